/* SPDX-License-Identifier: Apache-2.0 */
/* An owner of a page who keeps to no rule: it writes doorbells past the driver. */
#ifndef TMU_QUEUES_HOSTILE_H
#define TMU_QUEUES_HOSTILE_H

#include "worker.h"

/* Writes as many commands as its window says, or as the bus takes; nobody counts what is in
 * flight. */
tmu_result_t hostile_write(worker_t *worker);

#endif
