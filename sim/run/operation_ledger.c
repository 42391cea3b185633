/* SPDX-License-Identifier: Apache-2.0 */
#include "operation_ledger.h"

#include "describe.h"

static uint64_t index_of(const void *user, bool message, uint64_t handle) {
    const size_t index = workload_find(user, message, handle);
    return index == ID_MAP_NONE ? LEDGER_NO_KEY : index;
}

static void describe(const void *user, FILE *report, uint64_t index) {
    const workload_t *workload = user;
    describe_op(report, &workload->ops[index]);
}

ledger_t *operation_ledger_create(const workload_t *workload, uint32_t endpoints, FILE *report) {
    return ledger_create(&(ledger_shape_t){.endpoints = endpoints,
                                           .room = (uint32_t)workload->count + 1,
                                           .keeps = true,
                                           .report = report,
                                           .key = index_of,
                                           .describe = describe,
                                           .user = workload});
}

void operation_ledger_sent(ledger_t *ledger, const workload_t *workload, size_t index) {
    const tmu_trace_op_t *op = &workload->ops[index];
    (void)ledger_sent(ledger, index, op->endpoint, op->kind == TMU_TRACE_ARRIVE, NULL);
}
