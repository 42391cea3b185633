/* SPDX-License-Identifier: Apache-2.0
 *
 * The ordering needs of the driver towards a device, each under the name of what it guarantees.
 * A backend whose doorbell is write-combining memory adds its own flush inside doorbell_write.
 */
#ifndef TMU_BARRIER_H
#define TMU_BARRIER_H

#include <stdint.h>

/** Reads the word that tells whether a completion is there; reads after it see its other words. */
static inline uint64_t tmu_load_phase_word(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/** The device's side of the same: everything written before is seen by who sees this word. */
static inline void tmu_store_phase_word(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/** Host memory written before is visible to the device before it sees the doorbell. */
static inline void tmu_order_memory_before_doorbell(void) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/** Completions are read before the device learns that their ring entries are free. */
static inline void tmu_order_reads_before_consumer(void) {
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

#endif
