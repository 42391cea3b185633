/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-share and sessions that behave: what they are told, and how they end, by kill -9 as well.
 */
#include <fcntl.h>

#include "share_fixture.h"

static const char *gone_program; /* of the driver's tests */

#define EXPECT_REFUSED(uri, result, ...)                                                           \
    do {                                                                                           \
        char sentence[512];                                                                        \
        tmu_t *refused_device = NULL;                                                              \
        (void)snprintf(sentence, sizeof sentence, __VA_ARGS__);                                    \
        EXPECT_NUMBER(tmu_open((uri), &refused_device), (result));                                 \
        EXPECT_TEXT(tmu_error_text(NULL), sentence);                                               \
    } while (0)

/* ---- what there is to say -------------------------------------------------------------------- */

/* A server that greets the next connection like this, in a child, with a file or -1. */
static void greet_with(int listener, struct tmu_share_greeting greeting, size_t length, int file) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = &greeting, .iov_len = length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    }
    (void)fflush(NULL);
    if (fork() == 0) {
        int connection = accept(listener, NULL, NULL);
        (void)sendmsg(connection, &message, MSG_NOSIGNAL);
        _exit(0);
    }
}

static void greet_once(int listener, struct tmu_share_greeting greeting, size_t length) {
    greet_with(listener, greeting, length, -1);
}

static void sockets_without_tmu_share_are_explained(void) {
    char name[256];
    (void)snprintf(name, sizeof name, "share:/%0200d", 0);
    EXPECT_REFUSED("share:", TMU_ERR_URI,
                   "'' names no SOCKET; expected share:SOCKET[?endpoints=NUMBER]");
    EXPECT_REFUSED("share:/x?endpoint=1", TMU_ERR_URI,
                   "unknown option 'endpoint=1'; known: endpoints=NUMBER, and as reserve of each "
                   "posted=NUMBER and unexpected=NUMBER");
    EXPECT_REFUSED(name, TMU_ERR_URI, "the path of the socket %s has 201 bytes, at most 107",
                   name + strlen("share:"));
    EXPECT_REFUSED(share_uri, TMU_ERR_URI,
                   "there is no socket %s; start one with: tmu-share DEVICE %s", share_path,
                   share_path);
    EXPECT_REFUSED("share:/dev/null", TMU_ERR_URI,
                   "nobody answers at /dev/null: tmu-share has ended; start it again with: "
                   "tmu-share DEVICE /dev/null");
    int listener = listen_at(SOCK_STREAM);
    EXPECT_REFUSED(share_uri, TMU_ERR_URI, "%s is no socket of tmu-share", share_path);
    (void)close(listener);
    (void)unlink(share_path);
}

static void greetings_that_are_none_are_explained(void) {
    const struct tmu_share_greeting well = {.magic = TMU_SHARE_MAGIC, .version = TMU_SHARE_VERSION};
    struct tmu_share_greeting greeting = well;
    int listener = listen_at(SOCK_SEQPACKET);
    greet_once(listener, well, sizeof well - 1);
    EXPECT_REFUSED(share_uri, TMU_ERR_URI, "%s is no socket of tmu-share: found no greeting",
                   share_path);
    greeting.magic ^= 1;
    greet_once(listener, greeting, sizeof greeting);
    EXPECT_REFUSED(share_uri, TMU_ERR_URI, "%s is no socket of tmu-share: found no greeting",
                   share_path);
    greeting = well;
    greeting.version = 9;
    greet_once(listener, greeting, sizeof greeting);
    EXPECT_REFUSED(share_uri, TMU_ERR_VERSION,
                   "%s: tmu-share has version 9 of its messages, this library 1; start the "
                   "tmu-share that came with the library",
                   share_path);
    greet_once(listener, well, sizeof well); /* and then it has ended, and handed nothing over */
    EXPECT_REFUSED(share_uri, TMU_ERR_MEMORY, "the memory of a session of %s cannot be mapped",
                   share_path);
    /* Files behind whose end a touch would be a SIGBUS, now or later. */
    int file = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const size_t whole = sizeof(struct tmu_share_session);
    EXPECT(ftruncate(file, (off_t)whole) == 0);
    greet_with(listener, well, sizeof well, file);
    EXPECT_REFUSED(share_uri, TMU_ERR_MEMORY, "the memory of a session of %s cannot be mapped",
                   share_path);
    EXPECT(ftruncate(file, (off_t)whole - 1) == 0);
    EXPECT(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    greet_with(listener, well, sizeof well, file);
    EXPECT_REFUSED(share_uri, TMU_ERR_MEMORY, "the memory of a session of %s cannot be mapped",
                   share_path);
    (void)close(file);
    (void)close(listener);
    (void)unlink(share_path);
    while (wait(NULL) > 0) {
    }
}

/* Each of these is said before anything is served. */
static void what_cannot_be_shared_is_refused(void) {
    char text[1024];
    char sentence[512];
    bool ready = true;
    share_run_t run = share_start("ref:huge", &ready);
    EXPECT(!ready);
    EXPECT_NUMBER(share_stop(run, 0, text, sizeof text), 2);
    EXPECT(strstr(text, "tmu-share: unusable device URI: unknown preset 'huge'") == text);
    share_run_t first = share_started();
    (void)snprintf(sentence, sizeof sentence,
                   "tmu-share: busy: %s exists already and somebody serves it; end that one, or "
                   "choose another path\n",
                   share_path);
    run = share_start("ref:tiny", &ready);
    EXPECT(!ready);
    EXPECT_NUMBER(share_stop(run, 0, text, sizeof text), 2);
    EXPECT_TEXT(text, sentence);
    bench_t bench = session("", 0); /* the first one has not noticed */
    bench_close(&bench);
    /* One that was killed leaves its socket; the next one follows it. */
    EXPECT_NUMBER(share_stop(first, SIGKILL, text, sizeof text), -1);
    EXPECT_REFUSED(share_uri, TMU_ERR_URI,
                   "nobody answers at %s: tmu-share has ended; start it again with: tmu-share "
                   "DEVICE %s",
                   share_path, share_path);
    share_stopped(share_started());
    FILE *file = fopen(share_path, "w");
    EXPECT(file && fclose(file) == 0);
    run = share_start("ref:tiny", &ready);
    EXPECT(!ready);
    EXPECT_NUMBER(share_stop(run, 0, text, sizeof text), 2);
    (void)snprintf(sentence, sizeof sentence,
                   "tmu-share: unusable device URI: %s exists and is no socket; choose another "
                   "path\n",
                   share_path);
    EXPECT_TEXT(text, sentence);
    EXPECT(unlink(share_path) == 0);
}

static void endpoints_run_out(void) {
    share_run_t run = share_started();
    bench_t b = session("?endpoints=3", 2);
    char uri[256];
    (void)snprintf(uri, sizeof uri, "%s?endpoints=2", share_uri);
    EXPECT_REFUSED(uri, TMU_ERR_BUSY,
                   "taking endpoints: the unit of tmu-share at %s has no more of them free; end a "
                   "program that has some, or ask for fewer",
                   share_path);
    EXPECT(session_waits("")); /* what it was granted before is free again */
    bench_close(&b);
    EXPECT(session_waits("?endpoints=4"));
    share_stopped(run);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void its_end_is_heard(void) {
    char text[1024];
    char sentence[512];
    for (int number = SIGKILL; number == SIGKILL || number == SIGTERM;
         number = number == SIGKILL ? SIGTERM : 0) {
        share_run_t run = share_started();
        bench_t b = session("", 0);
        tmu_depth_t depth = {0};
        (void)bench_post(&b, 0, 1, 1, 1);
        bench_settle(&b);
        EXPECT_NUMBER(share_stop(run, number, text, sizeof text), number == SIGKILL ? -1 : 0);
        EXPECT(number == SIGKILL || strstr(text, ": tmu-share was told to end\n"));
        EXPECT_NUMBER(tmu_depth(b.device, 0, &depth), TMU_ERR_DEVICE);
        (void)snprintf(sentence, sizeof sentence,
                       "reading a depth: tmu-share at %s has ended or has ended this session; see "
                       "what it said, start it again and open the device anew",
                       share_path);
        EXPECT_TEXT(tmu_error_text(NULL), sentence);
        tmu_result_t result = TMU_OK;
        for (unsigned tries = 0; tries < 1000 && result == TMU_OK; tries++) {
            result = tmu_progress(b.device, 1); /* who only waits learns it as well */
        }
        EXPECT_NUMBER(result, TMU_ERR_DEVICE);
        bench_close(&b);
        (void)unlink(share_path);
    }
}

/* A session that a stopped tmu-share has commands of, when that is killed. */
static void its_end_is_heard_by_whoever_polls(void) {
    char text[1024];
    char number[32];
    int status = -1;
    share_run_t run = share_started();
    (void)snprintf(number, sizeof number, "%ld", (long)run.process);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int file = open("/dev/null", O_WRONLY);
        (void)dup2(file, 1);
        (void)execl(gone_program, "gone", share_uri, number, (char *)NULL);
        _exit(127);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT_NUMBER(share_stop(run, 0, text, sizeof text), -1);
    (void)unlink(share_path);
}

/* A process with entries and with commands in flight, until it is killed. */
static pid_t victim(int *ready_p) {
    int ends[2];
    (void)fflush(NULL);
    if (pipe(ends) != 0) {
        abort();
    }
    pid_t process = fork();
    if (process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        bench_t b = session("?endpoints=2", 1);
        for (uint64_t i = 0; i < 20; i++) {
            (void)bench_post(&b, 1, 1, 1, i);
            bench_arrive(&b, 1, 2, 2, i);
        }
        bench_settle(&b);
        (void)!write(ends[1], "r", 1);
        for (uint64_t i = 0;; i++) { /* never without something in flight */
            bench_arrive(&b, 1, 3, 3, i);
            bench_claim(&b, 1, 3, 3, i);
            b.count = 0;
        }
    }
    (void)close(ends[1]);
    *ready_p = ends[0];
    return process;
}

/* R13, R14: the endpoints of a killed process are empty and anybody's, and nobody else is
 * disturbed. */
static void a_killed_process_leaves_nothing(void) {
    share_run_t run = share_started();
    bench_t b = session("", 0);
    (void)bench_post(&b, 0, 9, 9, 9);
    bench_settle(&b);
    for (uint64_t turn = 0; turn < 20; turn++) {
        int ready = -1;
        char byte;
        pid_t process = victim(&ready);
        EXPECT(read(ready, &byte, 1) == 1);
        for (uint64_t i = 0; i < 50; i++) {
            if (i == 25) {
                (void)kill(process, SIGKILL);
            }
            uint64_t handle = 1000 + turn * 50 + i;
            bench_arrive(&b, 0, 4, (int32_t)i, handle);
            bench_claim(&b, 0, 4, (int32_t)i, handle);
            bench_settle(&b);
            EXPECT_ANSWER(&b, ARRIVE, handle, QUEUED, 0);
            EXPECT_ANSWER(&b, CLAIM, handle, MATCHED, handle);
        }
        (void)waitpid(process, NULL, 0);
        (void)close(ready);
        EXPECT(session_waits("?endpoints=3"));
    }
    for (size_t i = 0; i < b.count; i++) {
        EXPECT_NUMBER(b.log[i].serial, i);
    }
    bench_t next = session("?endpoints=3", 2);
    for (uint32_t i = 0; i < 3; i++) {
        tmu_depth_t depth = {1, 1};
        must(tmu_depth(next.device, i, &depth), next.device);
        EXPECT_NUMBER(depth.posted + depth.unexpected, 0);
    }
    bench_claim(&next, 2, 3, 3, 1);
    bench_settle(&next);
    EXPECT_ANSWER(&next, CLAIM, 1, NONE, 0);
    EXPECT_NUMBER(next.log[0].serial, 0);
    bench_close(&next);
    bench_close(&b);
    share_stopped(run);
}

/* A child has neither the calls nor may it close what is the parent's. */
static void a_child_has_nothing(void) {
    share_run_t run = share_started();
    bench_t b = session("", 0);
    int status = -1;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        tmu_depth_t depth;
        EXPECT_NUMBER(tmu_depth(b.device, 0, &depth), TMU_ERR_DEVICE);
        EXPECT(strstr(tmu_error_text(NULL), "was opened by another process"));
        tmu_close(b.device);
        _exit(expect_failures == 0 ? 0 : 1);
    }
    (void)waitpid(child, &status, 0);
    EXPECT_NUMBER(status, 0);
    bench_arrive(&b, 0, 1, 1, 1);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 1, QUEUED, 0);
    bench_close(&b);
    share_stopped(run);
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* Ticks of processor time that a process has had. */
static long ticks(pid_t process) {
    char name[64];
    char text[512] = "";
    long user = -1;
    long system = -1;
    (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)process);
    FILE *file = fopen(name, "r");
    (void)(file && fgets(text, sizeof text, file));
    (void)(file && fclose(file));
    const char *rest = strrchr(text, ')');
    EXPECT(rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
                          &system) == 2);
    return user + system;
}

/* With nothing in flight it sleeps, entries or not; the first bell wakes it. */
static void it_sleeps_when_nothing_is_in_flight(void) {
    const struct timespec rest = {.tv_nsec = 500000000};
    share_run_t run = share_started();
    bench_t b = session("", 0);
    (void)bench_post(&b, 0, 1, 1, 1);
    bench_settle(&b);
    long before = ticks(run.process);
    (void)nanosleep(&rest, NULL);
    EXPECT(ticks(run.process) - before <= 2); /* of 50 */
    bench_arrive(&b, 0, 1, 1, 2);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 2, MATCHED, 1);
    bench_close(&b);
    share_stopped(run);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        (void)fprintf(stderr, "usage: test_share TMU_SHARE GONE\n");
        return 2;
    }
    gone_program = argv[2];
    share_begin(2, argv);
    RUN(sockets_without_tmu_share_are_explained);
    RUN(greetings_that_are_none_are_explained);
    RUN(what_cannot_be_shared_is_refused);
    RUN(endpoints_run_out);
    RUN(its_end_is_heard);
    RUN(its_end_is_heard_by_whoever_polls);
    RUN(a_killed_process_leaves_nothing);
    RUN(a_child_has_nothing);
    RUN(it_sleeps_when_nothing_is_in_flight);
    return share_summary();
}
