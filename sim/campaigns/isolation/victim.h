/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An endpoint with steady mixed traffic, whose every verdict has to be the model's.
 *
 * One queue acts for the endpoint and what it asks is never held back, so the order of submission
 * is the order of the law (R7): the model answers each operation when it is submitted, and knows of
 * nobody else.
 */
#ifndef TMU_ISOLATION_VICTIM_H
#define TMU_ISOLATION_VICTIM_H

#include "tmu/tmu.h"
#include "tmu_model.h"

/* Entries of a victim in each queue, at most; a reserve of as many keeps them on chip. */
#define VICTIM_ENTRIES 8
#define VICTIM_WINDOW 4 /* operations in flight */

/* Values as they come, as many as there are. */
typedef struct samples {
    uint16_t *values;
    size_t count;
    size_t room;
} samples_t;

/* False when memory is short. */
bool samples_add(samples_t *samples, uint16_t value);

/* An operation that is drawn, and when it was submitted what the model says to it. */
typedef struct question {
    uint8_t opcode;
    tmu_key_t key;
    uint64_t length;
    uint64_t handle;
    uint64_t target; /* cancel: the receive's handle */
    tmu_model_verdict_t expected;
    uint64_t asked; /* clock */
    bool waits;     /* for its completion */
} question_t;

typedef struct victim {
    tmu_queue_t *queue;
    tmu_model_t *model; /* not owned */
    uint32_t endpoint;
    uint64_t state; /* of its random numbers */
    bool drawn;
    question_t next;
    question_t asked[VICTIM_WINDOW];          /* by handle */
    tmu_receive_id_t ids[8 * VICTIM_ENTRIES]; /* of its latest receives, by handle */
    uint64_t submitted;
    uint64_t completed;
    uint64_t wrong; /* completions that are not what the model says */
    bool measures;
    bool no_memory;
    samples_t host;
    samples_t unit;
    uint64_t longest; /* clocks from a submission to the completion being seen */
} victim_t;

/* Starts anew on an open queue; `seed` decides all that it asks. */
void victim_start(victim_t *victim, tmu_queue_t *queue, tmu_model_t *model, uint32_t endpoint,
                  uint64_t seed);

/* Submits as much as its window lets in. */
tmu_result_t victim_submit(victim_t *victim, uint64_t now);

/* Judges a completion, and keeps its latencies while it measures. */
void victim_judge(victim_t *victim, const tmu_completion_t *completion, uint64_t now);

/* Takes what is answered. */
tmu_result_t victim_collect(victim_t *victim, uint64_t now);

void victim_free(victim_t *victim);

#endif
