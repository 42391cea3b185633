/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-share, and a session of it that behaves while others do not.
 */
#ifndef OTHER_SESSION_H
#define OTHER_SESSION_H

#include "share_fixture.h"

static share_run_t run;
static bench_t other; /* a session that behaves */

/* The other session's verdicts are right. */
static inline void other_goes_on(void) {
    static uint64_t handle = 1000;
    uint64_t number = ++handle;
    tmu_depth_t depth = {0};
    must(tmu_depth(other.device, 0, &depth), other.device);
    EXPECT_NUMBER(depth.posted, 1);
    bench_arrive(&other, 0, 3, 4, number);
    bench_claim(&other, 0, 3, 4, number);
    bench_settle(&other);
    EXPECT_ANSWER(&other, ARRIVE, number, QUEUED, 0);
    EXPECT_ANSWER(&other, CLAIM, number, MATCHED, number);
}

static inline void other_begin(void) {
    run = share_started();
    other = session("", 0);
    (void)bench_post(&other, 0, 8, 8, 1);
    bench_settle(&other);
}

#endif
