/* SPDX-License-Identifier: Apache-2.0 */
/* An operation of a workload, given to the driver. */
#ifndef TMU_REPLAY_SUBMIT_H
#define TMU_REPLAY_SUBMIT_H

#include "tmu/tmu.h"
#include "workload.h"

/*
 * Submits the operation with this index.
 * `receives` has the driver's names of receives by index: a post writes its own there, a cancel
 * reads its target's.
 */
tmu_result_t submit_operation(tmu_queue_t *queue, const workload_t *workload, size_t index,
                              tmu_receive_id_t *receives);

#endif
