/* SPDX-License-Identifier: Apache-2.0
 *
 * When to look whether a device is still there, where that is not free.
 */
#ifndef TMU_LOOK_H
#define TMU_LOOK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define TMU_LOOK_EVERY_NS INT64_C(10000000)

/* Whether 10 ms are over since the last look, whose time is kept; one thread of all is told so.
 * By time, not by calls: a thread that sleeps between two calls is to learn it as well. */
static inline bool tmu_look_is_due(_Atomic int64_t *last_ns) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int64_t last = atomic_load_explicit(last_ns, memory_order_relaxed);
    return ns - last >= TMU_LOOK_EVERY_NS && atomic_compare_exchange_strong(last_ns, &last, ns);
}

#endif
