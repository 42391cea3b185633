/* SPDX-License-Identifier: Apache-2.0
 *
 * gone URI PROCESS: a device whose process is killed with commands in flight.  Whoever only polls
 * learns it, and each operation ends once.
 */
#include <signal.h>
#include <time.h>

#include "fixture.h"

/* Of a look in 10 ms, on a machine that has other things to do. */
#define SECONDS_MAX 20

static long process;

static void whoever_polls_learns_it(void) {
    const struct timespec rest = {.tv_nsec = 1000000};
    tmu_completion_t completions[8];
    size_t count = 0;
    bench_t b = bench_open(0, 5);
    (void)bench_post(&b, 0, 1, 1, 11);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 11, QUEUED, 0);
    EXPECT_NUMBER(kill((pid_t)process, SIGSTOP), 0); /* what follows is not answered */
    bench_arrive(&b, 0, 1, 1, 12);
    must(tmu_probe(b.queue, 0, &(tmu_key_t){0}, 13), b.device);
    must(tmu_poll(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 0);
    EXPECT_NUMBER(kill((pid_t)process, SIGKILL), 0);
    tmu_result_t result = TMU_OK;
    for (unsigned tries = 0; tries < SECONDS_MAX * 1000 && result == TMU_OK; tries++) {
        (void)nanosleep(&rest, NULL);
        result = tmu_poll(b.queue, completions, 8, &count);
    }
    EXPECT_NUMBER(result, TMU_ERR_DEVICE);
    (void)printf("%s\n", tmu_error_text(NULL));
    must(tmu_unanswered(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 2);
    EXPECT_NUMBER(completions[0].handle, 12);
    EXPECT_NUMBER(completions[1].handle, 13);
    EXPECT_NUMBER(completions[1].status, TMU_STATUS_UNANSWERED);
    EXPECT_NUMBER(tmu_progress(b.device, 1), TMU_ERR_DEVICE);
    bench_close(&b);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        (void)fprintf(stderr, "usage: gone URI PROCESS\n");
        return 2;
    }
    test_uri = argv[1];
    process = strtol(argv[2], NULL, 10);
    RUN(whoever_polls_learns_it);
    return expect_summary();
}
