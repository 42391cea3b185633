/* SPDX-License-Identifier: Apache-2.0 */
/* One operation: as the unit is asked, and as the law answers. */
#ifndef SOAK_OPERATION_H
#define SOAK_OPERATION_H

#include "tmu/tmu.h"
#include "tmu_model.h"
#include "tmu_record.h"

typedef struct operation {
    uint64_t handle; /* no two operations have the same one */
    tmu_key_t key;
    uint64_t length;
    uint64_t order; /* among the operations of its endpoint on its kind of page */
    uint32_t endpoint;
    uint32_t receive_id; /* of a post; of a cancel, the target's */
    uint8_t opcode;
    bool privileged; /* asked on the privileged page */
} operation_t;

tmu_record_t operation_command(const operation_t *op);

/* Carries the operation out in the model; a flush's entries go to `report`. */
tmu_model_verdict_t operation_law(const operation_t *op, tmu_model_t *model,
                                  tmu_model_report_t report, void *context);

/* For a message to people, without an end of line. */
void operation_text(const operation_t *op, char *text, size_t size);

#endif
