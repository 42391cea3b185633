/* SPDX-License-Identifier: Apache-2.0 */
/* That a victim's traffic is what it is meant to be, and that it notices every wrong answer. */
#include "expect.h"
#include "victim.h"

#include <stdlib.h>

#define ENDPOINT 3
#define OPERATIONS 4000

static tmu_t *device;
static tmu_queue_t *queue;
static tmu_model_t *model;
static victim_t victim;

static void begin(void) {
    const tmu_queue_attr_t attr = {ENDPOINT, 4, 2};
    const tmu_model_config_t config = {.endpoints = ENDPOINT + 1};
    if (tmu_open("ref:tiny", &device) != TMU_OK ||
        tmu_queue_open(device, &attr, &queue) != TMU_OK ||
        tmu_model_create(&config, &model) != TMU_MODEL_OK) {
        exit(1);
    }
    victim_start(&victim, queue, model, ENDPOINT, 7);
    victim.measures = true;
}

static void end(void) {
    tmu_completion_t c;
    size_t count = 1;
    while (tmu_queue_in_flight(queue) > 0 || count > 0) {
        EXPECT_NUMBER(tmu_progress(device, 64), TMU_OK);
        EXPECT_NUMBER(tmu_poll(queue, &c, 1, &count), TMU_OK);
    }
    EXPECT_NUMBER(tmu_queue_close(queue), TMU_OK);
    tmu_close(device);
    tmu_model_destroy(model);
    victim_free(&victim);
}

static void work(void) {
    EXPECT_NUMBER(victim_submit(&victim, 10), TMU_OK);
    EXPECT_NUMBER(tmu_progress(device, 64), TMU_OK);
}

static void every_verdict_is_the_models_R7(void) {
    uint64_t deepest = 0;
    begin();
    while (victim.completed < OPERATIONS) {
        work();
        for (tmu_model_queue_t q = TMU_MODEL_POSTED; q <= TMU_MODEL_UNEXPECTED; q++) {
            if (tmu_model_depth(model, ENDPOINT, q) > deepest) {
                deepest = tmu_model_depth(model, ENDPOINT, q);
            }
        }
        EXPECT_NUMBER(victim_collect(&victim, 19), TMU_OK);
    }
    tmu_model_stats_t stats;
    tmu_model_stats(model, &stats);
    EXPECT_NUMBER(victim.wrong, 0);
    EXPECT_NUMBER(victim.no_memory, false);
    EXPECT_NUMBER(victim.longest, 9);
    EXPECT_NUMBER(victim.host.count, victim.completed);
    /* Mixed, and no deeper than the reserve that keeps it on chip (R11). */
    EXPECT(stats.matched > OPERATIONS / 8 && stats.cancelled > 0 && stats.late > 0);
    EXPECT(stats.found > 0 && stats.none > 0 && stats.truncated > 0 && stats.queued > 0);
    EXPECT(deepest > VICTIM_ENTRIES / 2 && deepest <= VICTIM_ENTRIES);
    end();
}

static void spoil(tmu_completion_t *c, int field) {
    switch (field) {
    case 0:
        c->status = TMU_STATUS_MALFORMED;
        break;
    case 1:
        c->opcode ^= 1;
        break;
    case 2:
        c->endpoint--; /* another one's (R13) */
        break;
    case 3:
        c->serial++;
        break;
    case 4:
        c->other++;
        break;
    case 5:
        c->handle++; /* still to be asked (R15) */
        break;
    case 6:
        c->truncated = !c->truncated;
        break;
    default:
        c->source++;
        break;
    }
}

static void every_wrong_answer_is_noticed_R13(void) {
    for (int field = 0; field < 8; field++) {
        tmu_completion_t c;
        size_t count = 0;
        begin();
        do {
            work();
            EXPECT_NUMBER(tmu_poll(queue, &c, 1, &count), TMU_OK);
        } while (count == 0);
        /* The last operation of the window is not asked yet when the handle is one too many. */
        const uint64_t beyond = field == 5 ? victim.submitted - 1 - c.handle : 0;
        c.handle += beyond;
        spoil(&c, field);
        victim_judge(&victim, &c, 11);
        EXPECT_NUMBER(victim.wrong, 1);
        end();
    }
}

static void an_answer_that_comes_twice_is_noticed_R11(void) {
    tmu_completion_t c = {0};
    size_t count = 0;
    begin();
    work();
    EXPECT_NUMBER(tmu_poll(queue, &c, 1, &count), TMU_OK);
    EXPECT_NUMBER(count, 1);
    victim_judge(&victim, &c, 11);
    EXPECT_NUMBER(victim.wrong, 0);
    victim_judge(&victim, &c, 11);
    EXPECT_NUMBER(victim.wrong, 1);
    EXPECT_NUMBER(victim_collect(&victim, 12), TMU_OK);
    end();
}

int main(void) {
    RUN(every_verdict_is_the_models_R7);
    RUN(every_wrong_answer_is_noticed_R13);
    RUN(an_answer_that_comes_twice_is_noticed_R11);
    return expect_summary();
}
