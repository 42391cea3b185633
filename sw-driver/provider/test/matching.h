/* SPDX-License-Identifier: Apache-2.0 */
/* A matcher on a functional device, and records that remember what became of them. */
#ifndef TMU_PROVIDER_TEST_MATCHING_H
#define TMU_PROVIDER_TEST_MATCHING_H

#include "expect.h"
#include "settle.h"

#include <stdlib.h>

#define ENTRIES 64u /* of each queue of the preset tiny */

typedef struct {
    record_t record;
    int gone; /* how often it was returned */
    const record_t *partner;
    int order; /* of being returned, from 1 */
} item_t;

static unit_t *unit;
static matcher_t matcher;
static int returned;
static int breakdowns;
static int failures;

static inline item_t *item(const record_t *record) { return (item_t *)(uintptr_t)record; }

static inline void count_returned(record_t *record, const record_t *partner) {
    ++item(record)->gone;
    item(record)->partner = partner;
    item(record)->order = ++returned;
}

static inline void on_matched(void *user, record_t *message, record_t *receive) {
    (void)user;
    count_returned(receive, message);
    count_returned(message, receive);
}

static inline void on_looked(void *user, record_t *look, record_t *message) {
    (void)user;
    count_returned(look, message);
    if (message && look->opcode == TMU_OPCODE_CLAIM) {
        count_returned(message, look);
    }
}

static inline void on_left(void *user, record_t *record) {
    (void)user;
    count_returned(record, NULL);
}

static inline void on_broken(void *user, const char *sentence) {
    (void)user;
    ++breakdowns;
    (void)fprintf(stderr, "%s\n", sentence);
}

static inline void on_failed(void *user, record_t *record) {
    (void)user;
    EXPECT(breakdowns == 1);
    count_returned(record, NULL);
    ++failures;
}

static const match_events_t events = {.matched = on_matched,
                                      .looked = on_looked,
                                      .left = on_left,
                                      .broken = on_broken,
                                      .failed = on_failed};

/* With so many segments of memory registered with the unit. */
static inline void start_with(const char *segments) {
    char error[256];
    (void)setenv(UNIT_URI, "ref:tiny", 1);
    (void)setenv(SPILL_SEGMENTS, segments, 1);
    unit = unit_acquire(error, sizeof error);
    returned = breakdowns = failures = 0;
    EXPECT_NUMBER(matcher_open(&matcher, unit, &events, NULL, error, sizeof error), 0);
}

static inline void start(void) { start_with("0"); }

/* Ends the run: nothing broke, and the unit counted what the matcher did. */
static inline void stop(void) {
    matcher_close(&matcher);
    unit_release(unit);
    EXPECT_NUMBER(breakdowns, 0);
    EXPECT_NUMBER(unit->differences, 0);
}

static inline item_t made(uint8_t opcode, uint64_t tag, uint32_t source) {
    item_t one = {.record = {.opcode = opcode, .key = {.match = tag, .source = source}}};
    one.record.length = 8;
    return one;
}

static inline void progress_of(matcher_t *m) {
    for (int i = 0; i < 400; ++i) {
        matcher_progress(m);
    }
}

static inline void progress(void) { progress_of(&matcher); }

static inline void submit(item_t *one) { EXPECT(matcher_submit(&matcher, &one->record)); }

#endif
