/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading a simulated device; arguments: its library, and a library that is none.
 */
#include <unistd.h>

#include "fixture.h"

static const char *library;
static const char *stranger;

static tmu_result_t open_sim(const char *path, const char *options, tmu_t **device_p) {
    char uri[4096];
    (void)snprintf(uri, sizeof uri, "sim:%s%s", path, options);
    return tmu_open(uri, device_p);
}

static void a_missing_library_is_named(void) {
    tmu_t *device = NULL;
    const char *expected = "cannot load '/nowhere/tiny.so': ";
    EXPECT_NUMBER(tmu_open("sim:/nowhere/tiny.so", &device), TMU_ERR_URI);
    EXPECT(strncmp(tmu_error_text(NULL), expected, strlen(expected)) == 0);
    EXPECT(strstr(tmu_error_text(NULL), "No such file"));
    EXPECT_NUMBER(tmu_open("sim:", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "sim: needs the path of a library, or the name of a preset");
    EXPECT(!device);
}

static void a_presets_library_is_looked_for(void) {
    char folder[] = "/tmp/tmu-sim-XXXXXX";
    char path[128];
    char folders[128];
    tmu_t *device = NULL;
    EXPECT(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/libtmu_sim_fake.so", folder);
    EXPECT_NUMBER(tmu_open("sim:fake", &device), TMU_ERR_URI);
    EXPECT(strstr(tmu_error_text(NULL), "there is no libtmu_sim_fake.so; in a checkout this builds "
                                        "it: ./tmu run --preset fake; looked for it in the folders "
                                        "of TMU_SIM_PATH, in /") == tmu_error_text(NULL));
    EXPECT(strstr(tmu_error_text(NULL), ", and above it in verilated/fake"));
    EXPECT_NUMBER(symlink(library, path), 0);
    (void)snprintf(folders, sizeof folders, "/nowhere::%s", folder);
    (void)setenv("TMU_SIM_PATH", folders, 1);
    must(tmu_open("sim:fake", &device), NULL);
    tmu_close(device);
    device = NULL;
    EXPECT_NUMBER(tmu_open("sim:fake?refuse", &device), TMU_ERR_URI);
    EXPECT(strstr(tmu_error_text(NULL), "unknown option 'refuse'"));
    (void)unsetenv("TMU_SIM_PATH");
    EXPECT_NUMBER(unlink(path), 0);
    EXPECT_NUMBER(rmdir(folder), 0);
}

/* The functional device is looked for in the same way, and may be another library. */
static void the_functional_device_is_a_library_too(void) {
    char folder[] = "/tmp/tmu-sim-XXXXXX";
    char path[128];
    tmu_t *device = NULL;
    EXPECT(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/libtmu_functional.so", folder);
    EXPECT_NUMBER(symlink("/nowhere/tiny.so", path), 0);
    (void)setenv("TMU_SIM_PATH", folder, 1);
    must(tmu_open("ref:tiny", &device), NULL); /* what cannot be read is passed over */
    tmu_close(device);
    device = NULL;
    EXPECT_NUMBER(unlink(path), 0);
    EXPECT_NUMBER(symlink(stranger, path), 0);
    EXPECT_NUMBER(tmu_open("ref:tiny", &device), TMU_ERR_URI);
    EXPECT(strstr(tmu_error_text(NULL), "libtmu_functional.so' is no simulated device: it has no "
                                        "function tmu_sim_open"));
    (void)unsetenv("TMU_SIM_PATH");
    EXPECT_NUMBER(unlink(path), 0);
    EXPECT_NUMBER(rmdir(folder), 0);
}

static void a_library_that_is_no_device_is_refused(void) {
    tmu_t *device = NULL;
    char expected[4200];
    (void)snprintf(expected, sizeof expected,
                   "'%s' is no simulated device: it has no function tmu_sim_open", stranger);
    EXPECT_NUMBER(open_sim(stranger, "", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), expected);
}

static void the_librarys_reason_is_passed_on(void) {
    tmu_t *device = NULL;
    char expected[4200];
    (void)snprintf(expected, sizeof expected,
                   "'%s' does not start with options 'refuse': unknown option 'refuse'", library);
    EXPECT_NUMBER(open_sim(library, "?refuse", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), expected);
}

static void a_failing_assertion_is_reported(void) {
    tmu_t *device = NULL;
    tmu_queue_t *queue = NULL;
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    tmu_depth_t depth;
    must(open_sim(library, "?die", &device), NULL);
    must(tmu_queue_open(device, &attr, &queue), device);
    EXPECT_NUMBER(tmu_progress(device, 100), TMU_OK);
    EXPECT_NUMBER(tmu_clock(device), 100);
    EXPECT_NUMBER(tmu_progress(device, 100), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(device), "simulated hardware, clock 100: assertion failed");
    EXPECT_NUMBER(tmu_depth(device, 1, &depth), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_probe(queue, 1, &(tmu_key_t){0}, 1), TMU_ERR_DEVICE);
    tmu_close(device);
}

static void a_full_doorbell_path_is_tried_again(void) {
    static char uri[4096];
    (void)snprintf(uri, sizeof uri, "sim:%s?full", library);
    test_uri = uri;
    bench_t b = bench_open(1, 4);
    for (uint32_t i = 0; i < 60; i++) {
        bench_arrive(&b, 1, 1, 1, i);
    }
    SUBMIT(&b, tmu_flush(b.queue, 1, NULL, 100));
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 121);
    EXPECT_NUMBER(bench_answer(&b, TMU_OPCODE_FLUSH, 100).removed_unexpected, 60);
    bench_close(&b);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        (void)fprintf(stderr, "usage: %s LIBRARY STRANGER\n", argv[0]);
        return 2;
    }
    library = argv[1];
    stranger = argv[2];
    RUN(a_missing_library_is_named);
    RUN(a_presets_library_is_looked_for);
    RUN(the_functional_device_is_a_library_too);
    RUN(a_library_that_is_no_device_is_refused);
    RUN(the_librarys_reason_is_passed_on);
    RUN(a_failing_assertion_is_reported);
    RUN(a_full_doorbell_path_is_tried_again);
    return expect_summary();
}
