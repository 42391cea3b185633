/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and ending the unit of a process: files, sentences, shared use. */
#include "expect.h"
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char error[512];

static void without_a_uri_a_sentence_says_what_to_set(void) {
    (void)unsetenv(UNIT_URI);
    EXPECT(!unit_acquire(error, sizeof error));
    EXPECT_TEXT(error, "TMU_URI is not set; name the device to match with, for example "
                       "TMU_URI=ref:tiny");
}

static void a_device_that_cannot_be_opened_is_named(void) {
    (void)setenv(UNIT_URI, "ref:huge", 1);
    EXPECT(!unit_acquire(error, sizeof error));
    EXPECT(strstr(error, "TMU_URI=ref:huge: unusable device URI: unknown preset 'huge'") == error);
    (void)setenv(UNIT_URI, "sim:/nowhere/library.so", 1);
    EXPECT(!unit_acquire(error, sizeof error));
    EXPECT(strncmp(error, "TMU_URI=sim:/nowhere/library.so: ", 33) == 0);
}

/* Text on standard error between two calls. */
static FILE *said;
static int terminal;

static void listen(void) {
    said = tmpfile();
    terminal = dup(2);
    EXPECT(said && dup2(fileno(said), 2) == 2);
}

static void expect_said(const char *expected) {
    char text[1024] = "";
    EXPECT(dup2(terminal, 2) == 2);
    (void)close(terminal);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    (void)fclose(said);
    EXPECT_TEXT(text, expected);
}

/* Files must never cost the device. */
static void a_recording_that_cannot_be_made_is_said(void) {
    (void)setenv(UNIT_URI, "ref:tiny", 1);
    (void)setenv(UNIT_RECORD, "/nowhere", 1);
    (void)setenv(UNIT_REPORT, "/nowhere", 1);
    (void)setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    listen();
    unit_t *unit = unit_acquire(error, sizeof error);
    EXPECT(unit && !unit->journal.trace);
    unit_release(unit);
    expect_said("tmu provider: TMU_FI_RECORD=/nowhere: cannot make rank-3.trace and "
                "rank-3.verdicts there: No such file or directory; this process is not recorded\n"
                "tmu provider: TMU_FI_REPORT=/nowhere: cannot write rank-3.json there: No such "
                "file or directory\n");
    (void)unsetenv(UNIT_RECORD);
    (void)unsetenv(UNIT_REPORT);
}

static void a_recording_that_ends_early_is_said(void) {
    const tmu_completion_t queued = {.status = TMU_STATUS_QUEUED};
    const journal_operation_t post = {.opcode = TMU_OPCODE_POST};
    char folder[] = "/tmp/tmu-unit-XXXXXX";
    char path[64];
    EXPECT(mkdtemp(folder));
    (void)setenv(UNIT_RECORD, folder, 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    const struct rlimit small = {1000, RLIM_INFINITY};
    struct rlimit before;
    EXPECT(getrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (unsigned i = 0; i < 10000; ++i) {
        journal_write(&unit->journal, &post, &queued, 0);
    }
    EXPECT(setrlimit(RLIMIT_FSIZE, &small) == 0);
    listen();
    unit_release(unit);
    expect_said("tmu provider: the recording of rank-3-2 could not be written: File too large\n");
    EXPECT(setrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)unsetenv(UNIT_RECORD);
    const char *const ends[] = {"trace", "verdicts"};
    for (size_t i = 0; i < 2; ++i) {
        (void)snprintf(path, sizeof path, "%s/rank-3-2.%s", folder, ends[i]);
        EXPECT_NUMBER(unlink(path), 0);
    }
    EXPECT_NUMBER(rmdir(folder), 0);
}

/* Neither the device nor a file is a child's: whatever it does, its parent's are as they were. */
static void a_child_ends_nothing(void) {
    const tmu_completion_t queued = {.status = TMU_STATUS_QUEUED};
    const journal_operation_t post = {.opcode = TMU_OPCODE_POST};
    char folder[] = "/tmp/tmu-unit-XXXXXX";
    char path[64];
    struct stat found;
    int status = -1;
    EXPECT(mkdtemp(folder));
    (void)setenv(UNIT_RECORD, folder, 1);
    (void)setenv(UNIT_REPORT, folder, 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    journal_write(&unit->journal, &post, &queued, 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(!unit_is_open());
        unit_abandon();
        unit_release(unit);
        exit(expect_failures == 0 ? 0 : 1);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(unit_is_open());
    (void)snprintf(path, sizeof path, "%s/rank-3-3.json", folder);
    EXPECT(stat(path, &found) != 0);
    (void)snprintf(path, sizeof path, "%s/rank-3-3.trace", folder);
    EXPECT(stat(path, &found) == 0 && found.st_size == 0); /* still in this process */
    EXPECT_NUMBER(tmu_progress(unit->device, 1), TMU_OK);
    listen();
    unit_release(unit);
    expect_said("");
    const char *const ends[] = {"json", "trace", "verdicts"};
    for (size_t i = 0; i < 3; ++i) {
        (void)snprintf(path, sizeof path, "%s/rank-3-3.%s", folder, ends[i]);
        EXPECT(stat(path, &found) == 0 && found.st_size > 0);
        EXPECT_NUMBER(unlink(path), 0);
    }
    EXPECT_NUMBER(rmdir(folder), 0);
    (void)unsetenv(UNIT_RECORD);
    (void)unsetenv(UNIT_REPORT);
}

static void memory_that_cannot_be_registered_is_said(void) {
    const char *const wrong[] = {"5", "", "-1", "2x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        char expected[256];
        (void)setenv(SPILL_SEGMENTS, wrong[i], 1);
        EXPECT(!unit_acquire(error, sizeof error));
        (void)snprintf(
            expected, sizeof expected,
            "TMU_FI_SPILL=%s: expected how many segments of memory to register with the unit, "
            "0 to 4; unset it, and all are registered",
            wrong[i]);
        EXPECT_TEXT(error, expected);
    }
    (void)setenv(SPILL_SEGMENTS, "3", 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    EXPECT(unit && unit->spill.segments == 3);
    unit_release(unit);
    (void)unsetenv(SPILL_SEGMENTS);
    unit = unit_acquire(error, sizeof error);
    EXPECT(unit && unit->spill.segments == unit->info.spill_segments);
    unit_release(unit);
}

/* R11: of a shared unit no room is certain, and a refused receive has to be tried again. */
static void with_a_shared_unit_nothing_is_registered_and_nothing_promised(void) {
    const tmu_info_t info = {.shared = true, .posted_entries = 64, .spill_segments = 4};
    spill_t spill;
    (void)setenv(SPILL_SEGMENTS, "4", 1);
    EXPECT_NUMBER(spill_open(&spill, NULL, &info, error, sizeof error), -1);
    EXPECT_TEXT(error,
                "TMU_FI_SPILL=4: the unit is shared, and its sharing process has registered 4 "
                "segments of memory; unset it");
    (void)unsetenv(SPILL_SEGMENTS);
    EXPECT_NUMBER(spill_open(&spill, NULL, &info, error, sizeof error), 0);
    EXPECT_NUMBER(spill.segments, 4);
    EXPECT(!spill_takes_receive(&spill));
    EXPECT(spill_has_free(&spill));
}

static void one_device_serves_all_and_ends_with_the_last(void) {
    char folder[] = "/tmp/tmu-unit-XXXXXX";
    char path[128];
    char text[4096];
    EXPECT(mkdtemp(folder));
    (void)setenv(UNIT_REPORT, folder, 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    EXPECT(unit && unit_acquire(error, sizeof error) == unit);
    for (uint32_t i = 0; i < unit->info.endpoints; ++i) {
        EXPECT_NUMBER(unit_take_endpoint(unit), i);
    }
    EXPECT_NUMBER(unit_take_endpoint(unit), UINT32_MAX);
    unit_return_endpoint(unit, 2);
    EXPECT_NUMBER(unit_take_endpoint(unit), 2);
    /* Earlier tests opened devices, so this process's files have a number. */
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, unit->name);
    EXPECT(strncmp(unit->name, "rank-3", 6) == 0);
    unit_release(unit);
    EXPECT(access(path, F_OK) != 0);
    unit_release(unit);
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file) {
        (void)fclose(file);
    }
    EXPECT(strstr(text, "\"uri\": \"ref:tiny\""));
    EXPECT(strstr(text, "\"differences\": []}"));
    EXPECT_NUMBER(unit->differences, 0);
    (void)unlink(path);
    (void)rmdir(folder);
}

/* A unit that counted something else is found out, and a report without a file is said. */
static void differences_are_counted_at_the_end(void) {
    (void)setenv(UNIT_REPORT, "/nowhere", 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    unit->counts.answered[TMU_OPCODE_PROBE][TMU_STATUS_FOUND] = 1;
    unit_abandon();
    /* probes, probe_found, probes that were asked for, and the file */
    EXPECT_NUMBER(unit->differences, 4);
    (void)unsetenv(UNIT_REPORT);
}

/* The name of the report of one process that this one stands for. */
static const char *name_in(const char *folder) {
    static char name[64];
    (void)setenv(UNIT_REPORT, folder, 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    EXPECT(unit);
    unit_release(unit);
    /* Earlier tests opened devices, so there is a number behind it. */
    (void)snprintf(name, sizeof name, "%s", unit->name);
    *strrchr(name, '-') = '\0';
    EXPECT_NUMBER(unit->differences, 0);
    return name;
}

/* Processes that an MPI program starts have the ranks of those that started them. */
static void a_process_that_another_started_has_files_of_its_own(void) {
    char folder[] = "/tmp/tmu-unit-XXXXXX";
    char text[256];
    EXPECT(mkdtemp(folder));
    (void)setenv("OMPI_COMM_WORLD_RANK", "5", 1);
    (void)setenv("PMIX_NAMESPACE", "1066336257", 1); /* 2^16 * 16271 + 1 */
    EXPECT_TEXT(name_in(folder), "rank-5");
    (void)setenv("PMIX_NAMESPACE", "1066336259", 1);
    EXPECT_TEXT(name_in(folder), "job-3-rank-5");
    (void)setenv("PMIX_NAMESPACE", "prterun-node-1@4", 1);
    EXPECT_TEXT(name_in(folder), "job-4-rank-5");
    (void)setenv("PMIX_NAMESPACE", "slurm.pmix.17.0", 1);
    EXPECT_TEXT(name_in(folder), "rank-5");
    (void)unsetenv("PMIX_NAMESPACE");
    /* MPICH gives its jobs no numbers: the first that is free is taken. */
    (void)setenv("PMI_SPAWNED", "1", 1);
    EXPECT_TEXT(name_in(folder), "job-2-rank-5");
    (void)snprintf(text, sizeof text, "rm -r %s", folder);
    EXPECT_NUMBER(system(text), 0);
    (void)unsetenv(UNIT_REPORT);
    (void)unsetenv("PMI_SPAWNED");
}

/* The files of the next device of this process would be called so, but one of them is there. */
static void take_name(const char *folder, unsigned device, const char *ending) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/job-2-rank-5-%u.%s", folder, device, ending);
    FILE *file = fopen(path, "w");
    EXPECT(file && fclose(file) == 0);
}

/* Two jobs of MPICH's have the same ranks and no number; with a recording, and without. */
static void a_name_that_is_taken_is_left_alone(void) {
    char folder[] = "/tmp/tmu-unit-XXXXXX";
    char path[128];
    EXPECT(mkdtemp(folder));
    (void)setenv("PMI_SPAWNED", "1", 1);
    (void)setenv(UNIT_REPORT, folder, 1);
    unit_t *unit = unit_acquire(error, sizeof error);
    const unsigned device = (unsigned)strtoul(strrchr(unit->name, '-') + 1, NULL, 10);
    unit_release(unit);
    take_name(folder, device + 1, "json");
    EXPECT_TEXT(name_in(folder), "job-3-rank-5");
    take_name(folder, device + 2, "trace");
    (void)setenv(UNIT_RECORD, folder, 1);
    EXPECT_TEXT(name_in(folder), "job-3-rank-5");
    (void)snprintf(path, sizeof path, "rm -r %s", folder);
    EXPECT_NUMBER(system(path), 0);
    (void)unsetenv(UNIT_RECORD);
    (void)unsetenv(UNIT_REPORT);
    (void)unsetenv("PMI_SPAWNED");
}

int main(void) {
    RUN(without_a_uri_a_sentence_says_what_to_set);
    RUN(a_device_that_cannot_be_opened_is_named);
    RUN(a_recording_that_cannot_be_made_is_said);
    RUN(a_recording_that_ends_early_is_said);
    RUN(a_child_ends_nothing);
    RUN(memory_that_cannot_be_registered_is_said);
    RUN(with_a_shared_unit_nothing_is_registered_and_nothing_promised);
    RUN(one_device_serves_all_and_ends_with_the_last);
    RUN(differences_are_counted_at_the_end);
    RUN(a_process_that_another_started_has_files_of_its_own);
    RUN(a_name_that_is_taken_is_left_alone);
    return expect_summary();
}
