/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of completions, bytes and counters. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "traffic_state.h"

/* The first fault is kept. */
void traffic_wrong(traffic_t *traffic, const char *form, ...) {
    va_list arguments;
    if (traffic->result->error[0] != '\0') {
        return;
    }
    va_start(arguments, form);
    (void)vsnprintf(traffic->result->error, sizeof traffic->result->error, form, arguments);
    va_end(arguments);
}

/* Message and receive of a completion, by its handle. */
typedef struct {
    unsigned direction;
    unsigned kind;
    uint64_t number;
    class_t *class;
    traffic_message_t message;
    traffic_receive_t receive;
    uint32_t fits; /* bytes of the message that the receive has room for (R12) */
} subject_t;

static subject_t subject_of(const traffic_t *traffic, uint64_t handle) {
    const traffic_options_t *options = traffic->options;
    uint32_t mtu = options->payload_mtu;
    subject_t it;
    traffic_of_handle(handle, &it.direction, &it.kind, &it.number);
    it.class = traffic->class[it.direction][it.kind];
    it.message = traffic_message(options->seed, it.direction, it.kind, it.number, mtu);
    it.receive = traffic_receive(options->seed, it.direction, it.kind, it.number, mtu);
    it.fits = it.message.bytes < it.receive.bytes ? it.message.bytes : it.receive.bytes;
    return it;
}

/* The sender may reuse its buffer, and does (W4). */
void traffic_on_sent(void *context, const uet_sent_t *sent) {
    const struct side *side = context;
    traffic_t *traffic = side->traffic;
    const subject_t subject = subject_of(traffic, sent->handle);
    const uint32_t bytes = subject.message.bytes;
    class_t *class = subject.class;
    bool *busy = &class->busy[subject.number % DEPTH];
    if (subject.direction != side->number || subject.number >= class->sent || !*busy) {
        traffic_wrong(traffic,
                      "W4: a send was completed that is not on its way: class %u, message %" PRIu64,
                      subject.kind, subject.number);
        return;
    }
    if (sent->code != UET_RC_OK || sent->given_up ||
        (sent->modified != bytes && sent->modified != subject.fits)) {
        traffic_wrong(traffic,
                      "W4: class %u, message %" PRIu64 ": found return code %u, %" PRIu32
                      " bytes, expected 1 and %" PRIu32 " or %" PRIu32,
                      subject.kind, subject.number, sent->code, sent->modified, bytes,
                      subject.fits);
    }
    memset(class->out[subject.number % DEPTH], REUSED, bytes);
    *busy = false;
    class->completed += 1;
}

/* Bytes of the message where they belong, and nothing beside them (W2, R12). */
static void check_bytes(traffic_t *traffic, const subject_t *subject) {
    const uint8_t *buffer = subject->class->in[subject->number % DEPTH];
    for (uint32_t at = 0; at < GUARD + TRAFFIC_BYTES_MOST + GUARD; at++) {
        bool inside = at >= GUARD && at - GUARD < subject->fits;
        uint8_t expected =
            inside ? traffic_byte(subject->direction, subject->kind, subject->number, at - GUARD)
                   : (uint8_t)UNWRITTEN;
        if (buffer[at] != expected) {
            traffic_wrong(traffic,
                          "W2: class %u, receive %" PRIu64 " of %" PRIu32 " bytes: byte %" PRId64
                          ": found %u, expected %u",
                          subject->kind, subject->number, subject->fits, (int64_t)at - GUARD,
                          buffer[at], expected);
            return;
        }
    }
}

void traffic_on_received(void *context, const uet_received_t *received) {
    const struct side *side = context;
    traffic_t *traffic = side->traffic;
    const subject_t subject = subject_of(traffic, received->handle);
    const traffic_message_t *message = &subject.message;
    class_t *class = subject.class;
    uet_law_received(traffic->judge[side->number], received,
                     class->in[subject.number % DEPTH] + GUARD);
    if (subject.direction == side->number || subject.number != class->received ||
        subject.number >= class->posted) {
        traffic_wrong(traffic, "W1: class %u: receive %" PRIu64 " was completed, expected %" PRIu64,
                      subject.kind, subject.number, class->received);
        return;
    }
    if (received->code != UET_RC_OK || received->source != message->source ||
        received->match != message->match || received->length != message->bytes ||
        received->endpoint != message->endpoint || received->written != subject.fits ||
        received->has_header_data != message->has_header_data ||
        (message->has_header_data && received->header_data != message->header_data)) {
        traffic_wrong(
            traffic,
            "W3: class %u, receive %" PRIu64 ": found code %u, source %" PRIu32 ", match %#" PRIx64
            ", %" PRIu32 " bytes, expected 1, %" PRIu32 ", %#" PRIx64 ", %" PRIu32,
            subject.kind, subject.number, received->code, received->source, received->match,
            received->length, message->source, message->match, message->bytes);
    }
    check_bytes(traffic, &subject);
    class->received += 1;
    traffic->result->received += 1;
    traffic->result->bytes += received->written;
    traffic->result->truncated += received->written < received->length;
}

void traffic_check_law(traffic_t *traffic, unsigned side) {
    const char *error = wire_judge_error(traffic->judge[side]);
    if (error[0] != '\0') {
        traffic_wrong(traffic, "side %u is not as the model of the wire: %s", side, error);
    }
}

static void check_law_counts(traffic_t *traffic, unsigned side) {
    char error[UET_LAW_ERROR_BYTES];
    const wire_counts_t *right = wire_model_counts(wire_judge_model(traffic->judge[side]));
    wire_judge_finish(traffic->judge[side]);
    traffic_check_law(traffic, side);
    if (!uet_law_counts(uet_node_stats(traffic->node[side]), right, error)) {
        traffic_wrong(traffic, "side %u: %s", side, error);
    }
}

/* Each frame is counted once (W6), each message has entered matching once (W1). */
void traffic_check_counts(traffic_t *traffic) {
    traffic_result_t *result = traffic->result;
    char error[LINK_ERROR_BYTES];
    for (unsigned side = 0; side < 2; side++) {
        result->node[side] = *uet_node_stats(traffic->node[side]);
        result->port[side] = *link_switch_counts(traffic->network, side);
        const uet_node_stats_t *stats = &result->node[side];
        check_law_counts(traffic, side);
        uint64_t sum = 0;
        for (unsigned reason = 0; reason < UET_REASONS; reason++) {
            sum += stats->refused[reason];
        }
        for (unsigned count = 0; count < UET_COUNTS; count++) {
            sum += stats->counted[count];
        }
        if (sum != stats->frames || stats->frames != result->port[side].sent ||
            stats->sent_frames != result->port[side].received) {
            traffic_wrong(traffic,
                          "W6: side %u: %" PRIu64 " frames are counted, %" PRIu64
                          " came of %" PRIu64 "; %" PRIu64 " went, the switch has %" PRIu64,
                          side, sum, stats->frames, result->port[side].sent, stats->sent_frames,
                          result->port[side].received);
        }
        if (stats->messages_taken != traffic->each * TRAFFIC_CLASSES) {
            traffic_wrong(traffic,
                          "W1: side %u: %" PRIu64 " messages entered matching, expected %" PRIu64,
                          side, stats->messages_taken, traffic->each * TRAFFIC_CLASSES);
        }
    }
    if (!link_counts_agree(result->port, 2, error)) {
        traffic_wrong(traffic, "%s", error);
    }
    result->time_ns = traffic->now;
}
