/* SPDX-License-Identifier: Apache-2.0
 *
 * One device with one queue and a log of its completions, for the driver's tests.
 *
 * Every test runs on `ref:tiny` and as well, with the preset tiny, on the functional device with
 * the engine that TMU_TEST_REF names ("tiny?engine=NAME"), on the simulated device whose library
 * TMU_TEST_SIM names, on the one at the socket that TMU_TEST_VFU names, on the PCI
 * function whose address TMU_TEST_VFIO names, and in a session of the kernel driver whose file and
 * options TMU_TEST_DEV names.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <stdlib.h>
#include <time.h>

#include "expect.h"
#include "tmu/tmu.h"

#define LOG_MAX 70000
#define PATIENCE 200000 /* steps of 64 clocks before a test gives up waiting */

static const char *test_uri = "ref:tiny";

/* Number of repeats: a simulated machine is slow. */
static inline uint64_t often(uint64_t count) {
    return strncmp(test_uri, "ref:", 4) == 0 ? count : count / 10;
}

typedef struct bench {
    tmu_t *device;
    tmu_queue_t *queue;
    tmu_completion_t *log;
    size_t count;
    size_t chunk; /* completions to poll at once */
} bench_t;

static inline void must(tmu_result_t result, const tmu_t *device) {
    if (result != TMU_OK) {
        (void)fprintf(stderr, "%s: %s\n", tmu_result_text(result), tmu_error_text(device));
        abort();
    }
}

static inline bench_t bench_open(uint32_t endpoint, uint32_t ring_log2) {
    bench_t bench = {.chunk = 64};
    tmu_queue_attr_t attr = {.endpoint = endpoint, .ring_log2 = ring_log2};
    must(tmu_open(test_uri, &bench.device), NULL);
    must(tmu_queue_open(bench.device, &attr, &bench.queue), bench.device);
    bench.log = calloc(LOG_MAX, sizeof *bench.log);
    if (!bench.log) {
        abort();
    }
    return bench;
}

/* Another queue on the same device; its log is to be freed, the device closes the queue. */
static inline bench_t bench_another(const bench_t *first, uint32_t endpoint) {
    bench_t b = *first;
    const tmu_queue_attr_t attr = {.endpoint = endpoint, .ring_log2 = 4};
    must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
    b.log = calloc(LOG_MAX, sizeof *b.log);
    if (!b.log) {
        abort();
    }
    return b;
}

static inline void bench_close(bench_t *bench) {
    tmu_close(bench->device);
    free(bench->log);
}

/* Whether the device runs by a clock of its own, which no call advances. */
static inline bool runs_by_itself(void) {
    return strncmp(test_uri, "vfio:", 5) == 0 || strncmp(test_uri, "dev:", 4) == 0 ||
           strncmp(test_uri, "share:", 6) == 0;
}

/* Lets the device run for some clocks, or for some time. */
static inline void run_device(tmu_t *device, unsigned clocks) {
    const struct timespec rest = {.tv_nsec = 200000};
    must(tmu_progress(device, clocks), device);
    if (runs_by_itself()) {
        (void)nanosleep(&rest, NULL);
    }
}

/* Lets the device run a little and logs what came; returns how many. */
static inline size_t bench_step(bench_t *bench) {
    size_t count = 0;
    run_device(bench->device, 64);
    if (bench->count + bench->chunk > LOG_MAX) {
        abort();
    }
    must(tmu_poll(bench->queue, bench->log + bench->count, bench->chunk, &count), bench->device);
    bench->count += count;
    return count;
}

/* Runs until everything is answered and held arrivals had their turn. */
static inline void bench_settle(bench_t *bench) {
    unsigned quiet = 0;
    for (unsigned step = 0; step < PATIENCE && quiet < 3; step++) {
        size_t count = bench_step(bench);
        quiet = count > 0 || tmu_queue_in_flight(bench->queue) > 0 ? 0 : quiet + 1;
    }
    EXPECT(quiet == 3);
}

/* Repeats a submission until it is accepted; returns any other answer. */
#define SUBMIT(bench, call)                                                                        \
    do {                                                                                           \
        tmu_result_t submit_result = TMU_AGAIN;                                                    \
        for (unsigned tries = 0; tries < PATIENCE; tries++) {                                      \
            submit_result = (call);                                                                \
            if (submit_result != TMU_AGAIN) {                                                      \
                break;                                                                             \
            }                                                                                      \
            (void)bench_step(bench);                                                               \
        }                                                                                          \
        must(submit_result, (bench)->device);                                                      \
    } while (0)

static inline tmu_receive_id_t bench_post(bench_t *bench, uint32_t endpoint, int64_t source,
                                          int64_t tag, uint64_t handle) {
    tmu_receive_t receive = {.handle = handle, .address = 0x1000 + handle, .length = 100};
    tmu_receive_id_t id = TMU_RECEIVE_NONE;
    must(tmu_key_mpi(7, source, tag, &receive.key), NULL);
    SUBMIT(bench, tmu_post(bench->queue, endpoint, &receive, &id));
    return id;
}

static inline void bench_arrive(bench_t *bench, uint32_t endpoint, uint32_t source, int32_t tag,
                                uint64_t handle) {
    tmu_key_t key;
    must(tmu_key_mpi(7, source, tag, &key), NULL);
    tmu_message_t message = {.match = key.match,
                             .source = source,
                             .handle = handle,
                             .place = 0x2000 + handle,
                             .length = 50};
    SUBMIT(bench, tmu_arrive(bench->queue, endpoint, &message));
}

static inline void bench_claim(bench_t *bench, uint32_t endpoint, int64_t source, int64_t tag,
                               uint64_t handle) {
    tmu_key_t key;
    must(tmu_key_mpi(7, source, tag, &key), NULL);
    SUBMIT(bench, tmu_claim(bench->queue, endpoint, &key, handle));
}

/* The last completion of an operation, or one of zeros if there is none. */
static inline tmu_completion_t bench_answer(const bench_t *bench, uint8_t opcode, uint64_t handle) {
    for (size_t i = bench->count; i-- > 0;) {
        if (bench->log[i].handle == handle && bench->log[i].opcode == opcode) {
            return bench->log[i];
        }
    }
    return (tmu_completion_t){0};
}

/* Position of an operation's completion in the log; LOG_MAX if there is none. */
static inline size_t bench_position(const bench_t *bench, uint8_t opcode, uint64_t handle) {
    for (size_t i = 0; i < bench->count; i++) {
        if (bench->log[i].handle == handle && bench->log[i].opcode == opcode) {
            return i;
        }
    }
    return LOG_MAX;
}

/* The device's counter of that name, which there has to be. */
static inline uint64_t bench_counter(const bench_t *bench, const char *name) {
    tmu_counter_t counters[128];
    size_t count = 0;
    must(tmu_counters(bench->device, counters, 128, &count), bench->device);
    EXPECT(count > 30);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(counters[i].name, name) == 0) {
            return counters[i].value;
        }
    }
    abort();
}

#define EXPECT_ANSWER(bench, opcode_name, handle_number, status_name, other_handle)                \
    do {                                                                                           \
        tmu_completion_t answer_found =                                                            \
            bench_answer((bench), TMU_OPCODE_##opcode_name, (handle_number));                      \
        EXPECT_NUMBER(answer_found.status, TMU_STATUS_##status_name);                              \
        EXPECT_NUMBER(answer_found.other, other_handle);                                           \
    } while (0)

/* Runs `all` on every device there is. */
static inline int on_every_device(void (*all)(void)) {
    static char uri[4096];
    const struct {
        const char *scheme;
        const char *variable;
    } others[] = {{"ref", "TMU_TEST_REF"},
                  {"sim", "TMU_TEST_SIM"},
                  {"vfu", "TMU_TEST_VFU"},
                  {"vfio", "TMU_TEST_VFIO"},
                  {"dev", "TMU_TEST_DEV"}};
    all();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *subject = getenv(others[i].variable);
        if (subject && subject[0]) {
            (void)snprintf(uri, sizeof uri, "%s:%s", others[i].scheme, subject);
            test_uri = uri;
            all();
        }
    }
    return expect_summary();
}

#endif
