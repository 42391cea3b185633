/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory is used up and busy with one endpoint, and an arrival of another one stalls.  When an
 * entry of its table leaves it gets that slot, although its endpoint waits for memory as well
 * (R11).
 */
#include "spill_fixture.h"

#define FILLED (TABLE + SEGMENT_ENTRIES)
#define DEEP 1u  /* the endpoint whose receives fill memory */
#define OTHER 2u /* the one whose messages fill their table */
#define RIVALS 12u
#define UNMATCHED 12345u
#define FIRST_SOURCE 100u /* a source each, so that each is held by itself */
enum { ARRIVAL = 5000, CLAIM = 6000 };

typedef struct crowd {
    tmu_queue_t *rivals[RIVALS];
    uint32_t source;
} crowd_t;

/* Each rival has an arrival in flight that searches all of the deep queue, and matches nothing. */
static void crowd_step(crowd_t *crowd, tmu_t *device, bool asks) {
    for (uint32_t i = 0; i < RIVALS; i++) {
        tmu_queue_t *rival = crowd->rivals[i];
        tmu_completion_t done[4];
        size_t count = 0;
        if (asks && tmu_queue_in_flight(rival) == 0) {
            const tmu_message_t message = {
                .match = UNMATCHED, .source = crowd->source, .handle = crowd->source};
            const tmu_result_t result = tmu_arrive(rival, DEEP, &message);
            EXPECT(result == TMU_OK || result == TMU_AGAIN);
            crowd->source += result == TMU_OK;
        }
        must(tmu_poll(rival, done, 4, &count), device);
    }
}

/* Every attempt of the arrival that stalls. */
static void observe(void *user, const tmu_completion_t *c) {
    uint32_t *stalls = user;
    *stalls += c->handle == ARRIVAL && c->status == TMU_STATUS_STALLED;
}

static bool still_waits(const bench_t *bench) {
    return tmu_queue_in_flight(bench->queue) > 0 || tmu_endpoint_stalled(bench->queue, OTHER);
}

static void an_arrival_behind_busy_memory_gets_the_slot_that_comes_free_R11(void) {
    bench_t b = spill_open(TMU_ENDPOINT_ANY, 12, 1);
    /* The functional device keeps nobody waiting for memory: rivals would take the room there. */
    const bool asks = keeps_memory(&b);
    for (uint32_t i = 0; i < FILLED; i++) {
        (void)bench_post(&b, DEEP, 1, i, i);
    }
    bench_settle(&b);
    bench_t q = bench_another(&b, OTHER);
    q.chunk = 8;
    for (uint32_t i = 0; i < TABLE; i++) {
        bench_arrive(&q, OTHER, 2, (int32_t)i, i);
    }
    bench_settle(&q);

    crowd_t crowd = {.source = FIRST_SOURCE};
    const tmu_queue_attr_t attr = {.endpoint = DEEP, .ring_log2 = 4};
    for (uint32_t i = 0; i < RIVALS; i++) {
        must(tmu_queue_open(b.device, &attr, &crowd.rivals[i]), b.device);
    }
    for (uint32_t i = 0; i < 40; i++) {
        crowd_step(&crowd, b.device, asks);
        must(tmu_progress(b.device, 64), b.device);
    }
    uint32_t stalls = 0;
    must(tmu_queue_observe(q.queue, observe, &stalls), b.device);
    bench_arrive(&q, OTHER, 2, TABLE, ARRIVAL);
    for (uint32_t i = 0; i < 2000 && !tmu_endpoint_stalled(q.queue, OTHER); i++) {
        crowd_step(&crowd, b.device, asks);
        (void)bench_step(&q);
    }
    EXPECT(tmu_endpoint_stalled(q.queue, OTHER));
    bench_claim(&q, OTHER, 2, 0, CLAIM);
    for (uint32_t i = 0; i < 20000 && still_waits(&q); i++) {
        crowd_step(&crowd, b.device, asks && i < 1000);
        (void)bench_step(&q);
    }
    bench_settle(&q);
    EXPECT_ANSWER(&q, CLAIM, CLAIM, MATCHED, 0);
    EXPECT_ANSWER(&q, ARRIVE, ARRIVAL, QUEUED, 0);
    /* Not because a chunk came free; and by the attempt that the claim gave rise to. */
    EXPECT_NUMBER(stats_of(&b).chunks_free, 0);
    EXPECT_NUMBER(stalls, 1);
    free(q.log);
    bench_close(&b);
}

static void all(void) { RUN(an_arrival_behind_busy_memory_gets_the_slot_that_comes_free_R11); }

int main(void) { return on_every_device(all); }
