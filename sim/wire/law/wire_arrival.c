/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that meet their receives, by the law, and where payload goes: into the receive and
 * nowhere else, or into a buffer of the endpoint's pool until a receive takes it (W2).
 */
#include <stdlib.h>
#include <string.h>

#include "wire_state.h"

void wire_message_free(wire_model_t *model, message_t *message) {
    message_t **at = &model->messages;
    while (*at != message) {
        at = &(*at)->next;
    }
    *at = message->next;
    free(message->kept);
    free(message);
}

void wire_endpoint_opens(endpoint_t *endpoint) {
    if (endpoint->full) {
        endpoint->full = false;
        endpoint->refused_before = false;
        if (!endpoint->is.no_generation) {
            endpoint->generation += 1;
        }
    }
}

/* The oldest buffer that holds the message. */
static buffer_t *find_buffer(const endpoint_t *endpoint, uint32_t bytes) {
    buffer_t *at = endpoint->pool;
    while (at && (at->used || at->bytes < bytes)) {
        at = at->next;
    }
    return at;
}

/* This endpoint alone is held back (W5), or with it all that share the connection. */
static wire_arrival_t shortage(wire_model_t *model, endpoint_t *endpoint, uint8_t nack) {
    if (endpoint->is.nack_shortage) {
        return (wire_arrival_t){.nack = nack};
    }
    bool first = model->config.no_match_first && !endpoint->refused_before;
    endpoint->full = true;
    endpoint->refused_before = true;
    endpoint->reopen =
        model->config.reopen == WIRE_NEVER ? WIRE_NEVER : model->now + model->config.reopen;
    uint8_t off = endpoint->is.no_generation ? UET_RC_DISABLED : UET_RC_DISABLED_GEN;
    return (wire_arrival_t){.code = first ? UET_RC_NO_MATCH : off};
}

static bool too_long(const wire_model_t *model, const message_t *message) {
    const wire_endpoint_t *endpoint = &model->endpoints[message->endpoint].is;
    return endpoint->too_long != WIRE_TRUNCATE && message->length > message->room;
}

static uint8_t too_long_code(const wire_model_t *model, const message_t *message) {
    const wire_endpoint_t *endpoint = &model->endpoints[message->endpoint].is;
    return endpoint->too_long == WIRE_TOO_LONG ? UET_RC_TOO_LONG : UET_RC_UNSUPPORTED_SIZE;
}

static void complete(wire_model_t *model, const message_t *message) {
    wire_completion_t completion = {
        .handle = message->receive,
        .endpoint = message->endpoint,
        .source = message->source,
        .match = message->match,
        .length = message->length,
        .written = least(message->arrived, message->room),
        .has_header_data = message->has_header_data,
        .header_data = message->header_data,
        .code = message->code,
    };
    wire_effect_complete(model, &completion);
}

/* The receive of a message that is too long ends with an error: no byte is written. */
static void refuse_long(wire_model_t *model, message_t *message) {
    message->state = MESSAGE_REFUSED;
    message->arrived = 0;
    message->code = too_long_code(model, message);
    complete(model, message);
}

wire_arrival_t wire_arrive(wire_model_t *model, message_t *message) {
    endpoint_t *endpoint = &model->endpoints[message->endpoint];
    bool pooled = endpoint->is.pooled && message->length != 0;
    buffer_t *buffer = pooled ? find_buffer(endpoint, message->length) : NULL;
    tmu_model_message_t arrival = {
        .match = message->match,
        .source = message->source,
        .endpoint = message->endpoint,
        .handle = message->handle,
        .length = message->length,
    };
    tmu_model_verdict_t verdict;
    tmu_model_set_full(model->law, false, pooled && !buffer);
    tmu_model_status_t status = tmu_model_arrive(model->law, &arrival, &verdict);
    tmu_model_set_full(model->law, false, false);
    if (status == TMU_MODEL_STALLED) {
        return shortage(model, endpoint,
                        pooled && !buffer ? UET_NACK_NO_PKT_BUFFER : UET_NACK_NO_SES_MSG_AVAIL);
    }
    if (status != TMU_MODEL_MATCHED && status != TMU_MODEL_QUEUED) {
        model->no_memory = true;
        return (wire_arrival_t){.nack = UET_NACK_NO_RESOURCE};
    }
    model->counts.messages += 1;
    if (status == TMU_MODEL_MATCHED) {
        message->state = MESSAGE_MATCHED;
        message->receive = verdict.other;
        message->address = verdict.address;
        message->room = (uint32_t)verdict.receive_length;
        if (too_long(model, message)) {
            refuse_long(model, message);
            return (wire_arrival_t){.code = message->code};
        }
        return (wire_arrival_t){.code = UET_RC_OK};
    }
    message->state = MESSAGE_PARKED;
    message->kept = wire_take(model, message->length);
    message->buffer = buffer;
    if (buffer) {
        buffer->used = true;
    }
    return (wire_arrival_t){.code = UET_RC_OK};
}

void wire_payload(wire_model_t *model, message_t *message, const uint8_t *bytes, uint32_t count) {
    uint32_t offset = message->arrived;
    message->arrived += count;
    if (count == 0) {
        return;
    }
    if (message->state == MESSAGE_PARKED) {
        if (message->kept) {
            memcpy(message->kept + offset, bytes, count);
        }
        if (message->buffer) {
            wire_effect_write(model, WIRE_PARK, message->endpoint,
                              message->buffer->address + offset, bytes, count);
        }
    } else if (offset < message->room) {
        wire_effect_write(model, WIRE_WRITE, message->endpoint, message->address + offset, bytes,
                          least(count, message->room - offset));
    }
}

void wire_message_end(wire_model_t *model, message_t *message, uint8_t code) {
    message->connection = 0;
    if (message->state == MESSAGE_REFUSED) {
        wire_message_free(model, message);
        return;
    }
    message->code = code;
    if (message->state == MESSAGE_MATCHED) {
        complete(model, message);
        wire_message_free(model, message);
    } /* else the receive that takes it hears of the code */
}

static void free_buffer(wire_model_t *model, message_t *message) {
    if (message->buffer) {
        message->buffer->used = false;
        wire_effect_write(model, WIRE_FREE, message->endpoint, message->buffer->address, NULL, 0);
        message->buffer = NULL;
    }
}

/* The answer that was put off until the message has its receive. */
static void settle(wire_model_t *model, const message_t *message) {
    uet_ses_t response = {
        .kind = UET_NEXT_RSP,
        .list = UET_LIST_OVERFLOW,
        .opcode = UET_RSP_RESPONSE,
        .return_code = message->code,
        .message_id = message->last.ses.message_id,
        .ri_generation = message->last.ses.ri_generation,
        .job_id = message->last.ses.job_id,
        .modified_length = least(message->arrived, message->room),
    };
    wire_settle(model, message->owed_by, &message->last, message->owed_psn, &response);
}

/* Parked bytes go to the receive; packets to come go there directly. */
static void hand_over(wire_model_t *model, message_t *message, const wire_receive_t *receive) {
    bool all_in = message->connection == 0;
    uint32_t moved = least(message->arrived, receive->bytes);
    message->receive = receive->handle;
    message->address = receive->address;
    message->room = receive->bytes;
    message->state = MESSAGE_MATCHED;
    if (too_long(model, message)) {
        refuse_long(model, message);
    } else if (moved != 0 && message->kept) {
        wire_effect_write(model, WIRE_WRITE, message->endpoint, message->address, message->kept,
                          moved);
    }
    free_buffer(model, message);
    if (all_in && message->state == MESSAGE_MATCHED) {
        complete(model, message);
    }
    if (message->owed_by != 0) {
        settle(model, message);
    }
    if (all_in) {
        wire_message_free(model, message);
    }
}

bool wire_model_post(wire_model_t *model, const wire_receive_t *receive, wire_result_t *result) {
    tmu_model_verdict_t verdict;
    tmu_model_receive_t entry = {
        .key = {.match = receive->match,
                .ignore = receive->ignore,
                .source = receive->source,
                .source_ignore = receive->source_ignore},
        .endpoint = receive->endpoint,
        .receive_id = TMU_MODEL_NO_RECEIVE_ID,
        .handle = receive->handle,
        .address = receive->address,
        .length = receive->bytes,
    };
    wire_effects_clear(model);
    if (receive->endpoint >= model->endpoint_count) {
        return false;
    }
    tmu_model_status_t status = tmu_model_post(model->law, &entry, &verdict);
    wire_endpoint_opens(&model->endpoints[receive->endpoint]);
    if (status == TMU_MODEL_MATCHED) {
        message_t *message = model->messages;
        while (message->handle != verdict.other) {
            message = message->next;
        }
        hand_over(model, message, receive);
    }
    *result = (wire_result_t){.effects = model->effect_count, .effect = model->effects};
    return !model->no_memory && (status == TMU_MODEL_MATCHED || status == TMU_MODEL_QUEUED);
}

bool wire_model_cancel(wire_model_t *model, uint32_t endpoint, uint64_t handle) {
    tmu_model_verdict_t verdict;
    return tmu_model_cancel(model->law, endpoint, handle, handle, &verdict) == TMU_MODEL_CANCELLED;
}
