/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of a workload: keys are indices into it, and every line stays. */
#ifndef TMU_REPLAY_OPERATION_LEDGER_H
#define TMU_REPLAY_OPERATION_LEDGER_H

#include "ledger.h"
#include "workload.h"

/* For the operations of `workload`, which stays; NULL when memory is short. */
ledger_t *operation_ledger_create(const workload_t *workload, uint32_t endpoints, FILE *report);

/* The driver has accepted the operation with this index in the workload. */
void operation_ledger_sent(ledger_t *ledger, const workload_t *workload, size_t index);

#endif
