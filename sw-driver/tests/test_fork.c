/* SPDX-License-Identifier: Apache-2.0
 *
 * A device is of the process that opened it: a child of fork can use nothing of it, and however the
 * child ends, the device goes on.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dma_memory.h"
#include "fixture.h"

/* A child that does this, and whether it ended with exit code 0 and in time. */
static bool child_does(void (*what)(bench_t *), bench_t *b) {
    int status = -1;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(60); /* one that hangs is an error, and not the end of the tests */
        what(b);
        exit(expect_failures == 0 ? 0 : 1); /* with handlers, as programs end */
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void exits(bench_t *b) { (void)b; }

static void closes(bench_t *b) { tmu_close(b->device); }

/* Every kind of call; none of them waits for what a thread of the parent had. */
static void tries_everything(bench_t *b) {
    const tmu_queue_attr_t attr = {.endpoint = 0, .ring_log2 = 4};
    tmu_queue_t *queue = NULL;
    tmu_completion_t completion;
    tmu_depth_t depth;
    tmu_counter_t counters[128];
    size_t count = 77;
    int fd = -1;
    EXPECT_NUMBER(tmu_probe(b->queue, 0, &(tmu_key_t){0}, 1), TMU_ERR_DEVICE);
    EXPECT(strstr(tmu_error_text(NULL), "device was opened by another process"));
    EXPECT(strstr(tmu_error_text(NULL), "a child of fork opens a device of its own"));
    EXPECT_NUMBER(tmu_post(b->queue, 0, &(tmu_receive_t){0}, NULL), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_arrive(b->queue, 0, &(tmu_message_t){0}), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_cancel(b->queue, 0, 0, 1), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_flush(b->queue, 0, NULL, 1), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_poll(b->queue, &completion, 1, &count), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_unanswered(b->queue, &completion, 1, &count), TMU_ERR_DEVICE);
    EXPECT_NUMBER(count, 77);
    EXPECT_NUMBER(tmu_progress(b->device, 100), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_clock(b->device), 0);
    EXPECT_NUMBER(tmu_depth(b->device, 0, &depth), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_counters(b->device, counters, 128, &count), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_reset(b->device), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_queue_open(b->device, &attr, &queue), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_queue_close(b->queue), TMU_ERR_DEVICE);
    EXPECT(tmu_queue_event_fd(b->queue, &fd) != TMU_OK);
    tmu_close(b->device);
}

/* The receive of before is matched, and so are others: nothing was lost (R3, R9). */
static void goes_on(bench_t *b, uint64_t first) {
    bench_arrive(b, 0, 1, 1, first + 1);
    bench_arrive(b, 0, 2, 2, first + 2);
    bench_claim(b, 0, 2, 2, first + 3);
    bench_settle(b);
    EXPECT_ANSWER(b, ARRIVE, first + 1, MATCHED, first);
    EXPECT_ANSWER(b, CLAIM, first + 3, MATCHED, first + 2);
}

static void a_child_ends_nothing(void) {
    void (*const children[])(bench_t *) = {exits, closes, tries_everything};
    bench_t b = bench_open(0, 5);
    for (size_t i = 0; i < sizeof children / sizeof children[0]; i++) {
        const uint64_t first = 100 * (i + 1);
        (void)bench_post(&b, 0, 1, 1, first);
        bench_settle(&b);
        EXPECT(child_does(children[i], &b));
        goes_on(&b, first);
    }
    bench_close(&b);
}

/* A child may have a device of its own: one with nothing of its parent's in it. */
static void opens_its_own(bench_t *b) {
    (void)b;
    bench_t own = bench_open(0, 5);
    bench_arrive(&own, 0, 1, 1, 7);
    bench_settle(&own);
    EXPECT_ANSWER(&own, ARRIVE, 7, QUEUED, 0);
    bench_close(&own);
}

static void a_child_opens_its_own(void) {
    if (strncmp(test_uri, "ref:", 4) != 0 && strncmp(test_uri, "sim:", 4) != 0) {
        return; /* one process at a time has such a device */
    }
    bench_t b = bench_open(0, 5);
    (void)bench_post(&b, 0, 1, 1, 100);
    bench_settle(&b);
    EXPECT(child_does(opens_its_own, &b));
    goes_on(&b, 100);
    bench_close(&b);
}

static void *mapped;

static void has_no_such_memory(bench_t *b) {
    (void)b;
    EXPECT(msync(mapped, 1, MS_ASYNC) != 0 && errno == ENOMEM);
}

static void memory_for_a_device_is_no_childs(void) {
    const size_t bytes = dma_memory_whole(1);
    int file = -1;
    mapped = dma_memory_map(bytes, &file);
    EXPECT(mapped && msync(mapped, 1, MS_ASYNC) == 0);
    EXPECT(child_does(has_no_such_memory, NULL));
    dma_memory_unmap(mapped, bytes);
    (void)close(file);
}

static void all(void) {
    RUN(a_child_ends_nothing);
    RUN(a_child_opens_its_own);
}

int main(void) {
    const char *share = getenv("TMU_TEST_SHARE");
    char uri[512];
    RUN(memory_for_a_device_is_no_childs);
    if (share) {
        (void)snprintf(uri, sizeof uri, "share:%s", share);
        test_uri = uri;
        RUN(a_child_ends_nothing);
        return expect_summary();
    }
    return on_every_device(all);
}
