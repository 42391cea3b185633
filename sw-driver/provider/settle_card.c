/* SPDX-License-Identifier: Apache-2.0 */
#include "settle.h"

/* A receive of this matcher that the unit has, or NULL. */
static record_t *receive_of(const matcher_t *m, uint64_t handle) {
    record_t *record = slots_find(&m->unit->slots, handle);
    const bool is_one = record && record->owner == m && record->opcode == TMU_OPCODE_POST;
    return is_one && !record->waits ? record : NULL;
}

/* A message lies in a receive, or will not come any more (W7). */
static bool settle_receive(matcher_t *m, record_t *receive, const tmu_completion_t *c) {
    if (!receive) {
        return false;
    }
    matcher_end(m, receive);
    if (c->status == TMU_STATUS_MATCHED) {
        m->events->received(m->user, receive, c);
    } else {
        m->events->failed(m->user, receive);
    }
    return true;
}

static bool settle_post(matcher_t *m, record_t *receive, const tmu_completion_t *c) {
    switch (c->status) {
    case TMU_STATUS_QUEUED:
        return receive;
    case TMU_STATUS_REFUSED_QUOTA:
        if (receive) {
            matcher_refuse(m, receive);
        }
        return receive;
    case TMU_STATUS_MATCHED:
    case TMU_STATUS_REMOVED:
        return settle_receive(m, receive, c);
    default:
        return false;
    }
}

static bool settle_look(matcher_t *m, record_t *look, const tmu_completion_t *c) {
    const uint8_t found = c->opcode == TMU_OPCODE_CLAIM ? TMU_STATUS_MATCHED : TMU_STATUS_FOUND;
    const bool lost = c->opcode == TMU_OPCODE_CLAIM && c->status == TMU_STATUS_REMOVED;
    if (c->status != found && c->status != TMU_STATUS_NONE && !lost) {
        return false;
    }
    matcher_end(m, look);
    m->events->seen(m->user, look, c);
    return true;
}

static bool settle_cancel(matcher_t *m, record_t *cancel, const tmu_completion_t *c) {
    record_t *receive = c->status == TMU_STATUS_CANCELLED ? receive_of(m, c->other) : NULL;
    if (receive) {
        matcher_end(m, receive);
        cancel->cancelled = TMU_OK;
        return true;
    }
    cancel->cancelled = TMU_ERR_BUSY;
    return c->status == TMU_STATUS_LATE;
}

/* Nobody here knows of a message that a flush removes. */
static bool settle_flush(matcher_t *m, record_t *flush, const tmu_completion_t *c) {
    if (c->status == TMU_STATUS_FLUSHED) {
        flush->cancelled = TMU_OK;
        return true;
    }
    record_t *receive = c->unexpected ? NULL : receive_of(m, c->other);
    if (receive) {
        matcher_end(m, receive);
        m->events->left(m->user, receive);
    }
    return c->status == TMU_STATUS_REMOVED && (receive || c->unexpected);
}

bool matcher_settle_card(matcher_t *m, const tmu_completion_t *c) {
    if (c->opcode == TMU_OPCODE_ARRIVE) {
        return (c->status == TMU_STATUS_MATCHED || c->status == TMU_STATUS_REMOVED) &&
               settle_receive(m, receive_of(m, c->other), c);
    }
    record_t *record = slots_find(&m->unit->slots, c->handle);
    if (!record || record->owner != m || record->opcode != c->opcode || record->waits) {
        return false;
    }
    if (record == m->attempt) {
        m->attempt = NULL;
    }
    switch (c->opcode) {
    case TMU_OPCODE_POST:
        return settle_post(m, record, c);
    case TMU_OPCODE_PROBE:
    case TMU_OPCODE_CLAIM:
        return settle_look(m, record, c);
    case TMU_OPCODE_CANCEL:
        return settle_cancel(m, record, c);
    default:
        return settle_flush(m, record, c);
    }
}
