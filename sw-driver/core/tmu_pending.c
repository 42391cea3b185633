/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_pending.h"

#include <stdlib.h>

tmu_result_t tmu_pendings_init(tmu_pendings_t *pendings, uint32_t size) {
    *pendings = (tmu_pendings_t){.size = size};
    pendings->slots = calloc(size, sizeof *pendings->slots);
    if (!pendings->slots) {
        return TMU_ERR_MEMORY;
    }
    for (uint32_t i = size; i-- > 0;) {
        pendings->slots[i].next = pendings->free;
        pendings->free = &pendings->slots[i];
    }
    return TMU_OK;
}

void tmu_pendings_free(tmu_pendings_t *pendings) {
    free(pendings->slots);
    *pendings = (tmu_pendings_t){0};
}

tmu_pending_t *tmu_pending_next(const tmu_pendings_t *pendings) { return pendings->free; }

bool tmu_pending_is_named(uint8_t opcode) {
    return opcode != TMU_OPCODE_POST && opcode != TMU_OPCODE_ARRIVE;
}

uint64_t tmu_pending_name(const tmu_pendings_t *pendings, const tmu_pending_t *slot,
                          uint64_t handle_mask) {
    uint64_t index = (uint64_t)(slot - pendings->slots);
    return (pendings->sent * pendings->size + index) & handle_mask;
}

void tmu_pending_sent(tmu_pendings_t *pendings, tmu_pending_t *slot) {
    pendings->free = slot->next;
    slot->next = NULL;
    slot->previous = pendings->youngest;
    *(pendings->youngest ? &pendings->youngest->next : &pendings->oldest) = slot;
    pendings->youngest = slot;
    pendings->count++;
    pendings->sent++;
}

static bool answers(const tmu_completion_t *c, const tmu_pending_t *pending) {
    return pending->opcode == c->opcode &&
           TMU_FIELD_GET(&pending->command, TMU_COMMAND_HANDLE) == c->handle &&
           (tmu_pending_is_named(c->opcode) || pending->endpoint == c->endpoint);
}

/* A vacant slot bears no opcode, so that no completion answers it. */
tmu_pending_t *tmu_pending_find(const tmu_pendings_t *pendings,
                                const tmu_completion_t *completion) {
    if (tmu_pending_is_named(completion->opcode)) {
        tmu_pending_t *named = &pendings->slots[completion->handle & (pendings->size - 1)];
        return answers(completion, named) ? named : NULL;
    }
    tmu_pending_t *pending = pendings->oldest;
    while (pending && !answers(completion, pending)) {
        pending = pending->next;
    }
    return pending;
}

void tmu_pending_end(tmu_pendings_t *pendings, tmu_pending_t *pending) {
    *(pending->previous ? &pending->previous->next : &pendings->oldest) = pending->next;
    *(pending->next ? &pending->next->previous : &pendings->youngest) = pending->previous;
    pending->opcode = 0;
    pending->next = pendings->free;
    pendings->free = pending;
    pendings->count--;
}
