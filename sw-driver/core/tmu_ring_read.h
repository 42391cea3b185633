/* SPDX-License-Identifier: Apache-2.0 */
/* Read of a completion out of a ring that the unit writes meanwhile. */
#ifndef TMU_RING_READ_H
#define TMU_RING_READ_H

#include "tmu_barrier.h"
#include "tmu_internal.h"

/*
 * Copies the completion after `read` others out of a queue's ring; false if the unit has not
 * written it yet.  The phase is read first, and nothing else before it.
 */
static inline bool tmu_ring_read(const tmu_queue_t *queue, uint32_t read, tmu_record_t *record_p) {
    const uint64_t *words = (const uint64_t *)queue->ring.memory +
                            (read & (queue->entries - 1)) * (size_t)TMU_RECORD_WORDS;
    const uint64_t lap = read >> queue->ring_log2;
    tmu_record_t record;
    record.word[TMU_COMPLETION_PHASE_WORD] =
        tmu_le64(tmu_load_phase_word(&words[TMU_COMPLETION_PHASE_WORD]));
    if (TMU_FIELD_GET(&record, TMU_COMPLETION_PHASE) != (~lap & 1)) {
        return false;
    }
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        if (i != TMU_COMPLETION_PHASE_WORD) {
            record.word[i] = tmu_le64(words[i]);
        }
    }
    *record_p = record;
    return true;
}

#endif
