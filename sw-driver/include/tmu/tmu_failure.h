/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of operations that a device was asked for and did not answer before it failed; a part of
 * tmu/tmu.h.
 */
#ifndef TMU_TMU_FAILURE_H
#define TMU_TMU_FAILURE_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Instead of a verdict, and never of a unit: the device failed before it answered. */
#define TMU_STATUS_UNANSWERED 0

/**
 * Ends the operations that a failed device will not answer, once tmu_poll is TMU_ERR_DEVICE: one
 * completion for each that was accepted, with its opcode, endpoint and handle and the status
 * TMU_STATUS_UNANSWERED, those in flight before arrivals held back, oldest first.
 * Copies up to `max`; `*count_p` is 0 when there are no more.
 * A receive that was answered `queued` has its answer, and is lost with the device.
 * TMU_AGAIN while the device works, or tmu_poll has completions left.
 */
tmu_result_t tmu_unanswered(tmu_queue_t *queue, tmu_completion_t *completions, size_t max,
                            size_t *count_p);

#ifdef __cplusplus
}
#endif

#endif
