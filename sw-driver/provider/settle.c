/* SPDX-License-Identifier: Apache-2.0 */
#include "settle.h"

#define ANY_ENTRY UINT8_MAX /* a partner that is a receive or a message */

/* Every verdict that an operation can have, and what its partner then is; 0 = there is none. */
static const struct {
    uint8_t opcode;
    uint8_t status;
    uint8_t partner;
} possible[] = {
    {TMU_OPCODE_POST, TMU_STATUS_MATCHED, TMU_OPCODE_ARRIVE},
    {TMU_OPCODE_POST, TMU_STATUS_QUEUED, 0},
    {TMU_OPCODE_POST, TMU_STATUS_REFUSED_QUOTA, 0},
    {TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED, TMU_OPCODE_POST},
    {TMU_OPCODE_ARRIVE, TMU_STATUS_QUEUED, 0},
    {TMU_OPCODE_PROBE, TMU_STATUS_FOUND, TMU_OPCODE_ARRIVE},
    {TMU_OPCODE_PROBE, TMU_STATUS_NONE, 0},
    {TMU_OPCODE_CLAIM, TMU_STATUS_MATCHED, TMU_OPCODE_ARRIVE},
    {TMU_OPCODE_CLAIM, TMU_STATUS_NONE, 0},
    {TMU_OPCODE_CANCEL, TMU_STATUS_CANCELLED, TMU_OPCODE_POST},
    {TMU_OPCODE_CANCEL, TMU_STATUS_LATE, 0},
    {TMU_OPCODE_FLUSH, TMU_STATUS_REMOVED, ANY_ENTRY},
    {TMU_OPCODE_FLUSH, TMU_STATUS_FLUSHED, 0},
};
#define POSSIBLE (sizeof possible / sizeof possible[0])

static bool fits(const matcher_t *m, const record_t *partner, uint8_t wanted) {
    if (wanted == 0) {
        return true;
    }
    if (!partner || partner->owner != m || partner->waits) {
        return false;
    }
    if (wanted == ANY_ENTRY) {
        return partner->opcode == TMU_OPCODE_POST || partner->opcode == TMU_OPCODE_ARRIVE;
    }
    return partner->opcode == wanted;
}

static bool can_be(const matcher_t *m, const tmu_completion_t *c, const record_t *record,
                   const record_t *partner) {
    if (!record || record->owner != m || record->opcode != c->opcode || record->waits) {
        return false;
    }
    size_t i = 0;
    while (i < POSSIBLE && (possible[i].opcode != c->opcode || possible[i].status != c->status)) {
        ++i;
    }
    return i < POSSIBLE && fits(m, partner, possible[i].partner);
}

/* The record has left the unit. */
void matcher_end(matcher_t *m, record_t *record) {
    slots_release(&m->unit->slots, record->handle);
    --m->inside;
    m->unit->epoch += spill_uncount(&m->unit->spill, record->opcode);
}

/* Slots freed since the attempt may admit the receive: m->refused_epoch is of then. */
void matcher_refuse(matcher_t *m, record_t *receive) {
    --m->inside;
    (void)spill_uncount(&m->unit->spill, receive->opcode);
    receive->waits = true;
    records_prepend(&m->asks, receive);
    m->refused = true;
}

static void settle_match(matcher_t *m, record_t *record, record_t *other) {
    matcher_end(m, record);
    matcher_end(m, other);
    if (record->opcode == TMU_OPCODE_ARRIVE) {
        m->events->matched(m->user, record, other);
    } else {
        m->events->matched(m->user, other, record);
    }
}

static void settle_look(matcher_t *m, record_t *look, record_t *message) {
    matcher_end(m, look);
    if (message && look->opcode == TMU_OPCODE_CLAIM) {
        matcher_end(m, message);
    }
    m->events->looked(m->user, look, message);
}

bool matcher_settle(matcher_t *m, const tmu_completion_t *c) {
    record_t *record = slots_find(&m->unit->slots, c->handle);
    record_t *other = slots_find(&m->unit->slots, c->other);
    if (!can_be(m, c, record, other)) {
        return false;
    }
    if (record == m->attempt) {
        m->attempt = NULL;
    }
    switch (c->status) {
    case TMU_STATUS_MATCHED:
        if (c->opcode == TMU_OPCODE_CLAIM) {
            settle_look(m, record, other);
        } else {
            settle_match(m, record, other);
        }
        break;
    case TMU_STATUS_QUEUED:
        m->unit->epoch += c->opcode == TMU_OPCODE_ARRIVE;
        break;
    case TMU_STATUS_FOUND:
        settle_look(m, record, other);
        break;
    case TMU_STATUS_NONE:
        settle_look(m, record, NULL);
        break;
    case TMU_STATUS_CANCELLED:
        matcher_end(m, other);
        record->cancelled = TMU_OK;
        break;
    case TMU_STATUS_LATE:
        record->cancelled = TMU_ERR_BUSY;
        break;
    case TMU_STATUS_REFUSED_QUOTA:
        matcher_refuse(m, record);
        break;
    case TMU_STATUS_REMOVED:
        matcher_end(m, other);
        m->events->left(m->user, other);
        break;
    default: /* flushed */
        record->cancelled = TMU_OK;
        break;
    }
    return true;
}
