/* SPDX-License-Identifier: Apache-2.0 */
#include "submit.h"

#include "operations.h"

tmu_result_t submit_operation(tmu_queue_t *queue, const workload_t *workload, size_t index,
                              tmu_receive_id_t *receives) {
    const tmu_trace_op_t *op = &workload->ops[index];
    tmu_key_t key = {0};
    TMU_KEY_COPY(key, *op);
    switch (op->kind) {
    case TMU_TRACE_POST: {
        const tmu_receive_t receive = {key, op->id, operation_address(workload, op), op->bytes};
        return tmu_post(queue, op->endpoint, &receive, &receives[index]);
    }
    case TMU_TRACE_ARRIVE: {
        tmu_message_t message = {
            .handle = op->id, .place = operation_address(workload, op), .length = op->bytes};
        TMU_KEY_COPY_VALUES(message, *op);
        return tmu_arrive(queue, op->endpoint, &message);
    }
    case TMU_TRACE_PROBE:
        return tmu_probe(queue, op->endpoint, &key, op->id);
    case TMU_TRACE_CLAIM:
        return tmu_claim(queue, op->endpoint, &key, op->id);
    case TMU_TRACE_CANCEL: {
        /* A target that comes later or never has no receive: the unit answers late (R10). */
        const size_t target = workload_find(workload, false, op->target);
        const bool posted =
            target != ID_MAP_NONE && target < index && workload->ops[target].kind == TMU_TRACE_POST;
        return tmu_cancel(queue, op->endpoint, posted ? receives[target] : TMU_RECEIVE_NONE,
                          op->id);
    }
    default:
        return tmu_flush(queue, op->endpoint, NULL, op->id);
    }
}
