/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "link_capture.h"

static const uint32_t ADDRESS[2] = {0x0a000001, 0x0a000002};

static void on_frame(void *context, const uint8_t *frame, size_t bytes) {
    const struct side *side = context;
    traffic_t *traffic = side->traffic;
    wire_judge_sent(traffic->judge[side->number], frame, bytes);
    if (traffic->capture) {
        (void)link_capture_write(traffic->capture, side->number, traffic->now, frame, bytes, false,
                                 NULL);
    }
    (void)link_switch_receive(traffic->network, side->number, frame, bytes, traffic->now);
}

static void send_one(traffic_t *traffic, unsigned direction, unsigned kind) {
    const traffic_options_t *options = traffic->options;
    class_t *class = traffic->class[direction][kind];
    uint64_t number = class->sent;
    unsigned slot = (unsigned)(number % DEPTH);
    if (number == traffic->each || class->busy[slot] || number - class->received >= DEPTH) {
        return;
    }
    traffic_message_t message =
        traffic_message(options->seed, direction, kind, number, options->payload_mtu);
    for (uint32_t at = 0; at < message.bytes; at++) {
        class->out[slot][at] = traffic_byte(direction, kind, number, at);
    }
    uet_send_t send = {
        .to = {ADDRESS[1 - direction], TRAFFIC_JOB, TRAFFIC_PID, (uint16_t)message.endpoint},
        .initiator = message.source,
        .match = message.match,
        .data = class->out[slot],
        .bytes = message.bytes,
        .has_header_data = message.has_header_data,
        .header_data = message.header_data,
        .handle = traffic_handle(direction, kind, number),
    };
    class->busy[slot] = true;
    class->sent += 1;
    if (!uet_node_send(traffic->node[direction], &send)) {
        traffic_wrong(traffic, "class %u: message %" PRIu64 " was not taken", kind, number);
    }
}

static void judge_post(wire_judge_t *judge, const uet_receive_t *post) {
    const wire_receive_t receive = {
        .endpoint = post->endpoint,
        .match = post->match,
        .ignore = post->ignore,
        .source = post->source,
        .source_ignore = post->source_ignore,
        .address = (uintptr_t)post->buffer,
        .bytes = post->bytes,
        .handle = post->handle,
    };
    wire_judge_post(judge, &receive);
}

static void post_one(traffic_t *traffic, unsigned direction, unsigned kind) {
    const traffic_options_t *options = traffic->options;
    class_t *class = traffic->class[direction][kind];
    uint64_t number = class->posted;
    if (number == traffic->each || number - class->received >= DEPTH) {
        return;
    }
    uint8_t *buffer = class->in[number % DEPTH];
    uint64_t before = traffic->result->received;
    traffic_receive_t receive =
        traffic_receive(options->seed, direction, kind, number, options->payload_mtu);
    traffic_message_t message =
        traffic_message(options->seed, direction, kind, number, options->payload_mtu);
    uet_receive_t post = {
        .endpoint = message.endpoint,
        .match = receive.match,
        .ignore = TRAFFIC_IGNORED,
        .source = receive.source_ignore == 0 ? message.source : 0,
        .source_ignore = receive.source_ignore,
        .buffer = buffer + GUARD,
        .bytes = receive.bytes,
        .handle = traffic_handle(direction, kind, number),
    };
    memset(buffer, UNWRITTEN, GUARD + TRAFFIC_BYTES_MOST + GUARD);
    class->posted += 1;
    judge_post(traffic->judge[1 - direction], &post);
    if (!uet_node_post(traffic->node[1 - direction], &post)) {
        traffic_wrong(traffic, "class %u: receive %" PRIu64 " was not taken", kind, number);
    }
    traffic->result->unexpected += traffic->result->received - before;
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void deliver(traffic_t *traffic) {
    size_t bytes;
    const uint8_t *frame;
    for (unsigned side = 0; side < 2; side++) {
        while ((frame = link_switch_ready(traffic->network, side, traffic->now, &bytes))) {
            uint8_t copy[LINK_FRAME_MAX];
            memcpy(copy, frame, bytes);
            link_switch_sent(traffic->network, side);
            if (traffic->capture) {
                (void)link_capture_write(traffic->capture, side, traffic->now, copy, bytes, true,
                                         NULL);
            }
            wire_judge_frame(traffic->judge[side], copy, bytes);
            uet_node_frame(traffic->node[side], copy, bytes);
        }
    }
}

static uint64_t next_event(traffic_t *traffic) {
    uint64_t next = link_switch_release(traffic->network, traffic->now, false);
    for (unsigned side = 0; side < 2; side++) {
        next = earlier(next, link_switch_leaves(traffic->network, side));
        next = earlier(next, uet_node_next(traffic->node[side]));
    }
    return next;
}

static void advance(traffic_t *traffic) {
    for (unsigned side = 0; side < 2; side++) {
        wire_judge_advance(traffic->judge[side], traffic->now);
        uet_node_advance(traffic->node[side], traffic->now);
        traffic_check_law(traffic, side);
    }
}

/* Everything that happens up to a time. */
static void run_until(traffic_t *traffic, uint64_t until) {
    while (traffic->result->error[0] == '\0') {
        deliver(traffic);
        uint64_t next = next_event(traffic);
        if (next > until) {
            break;
        }
        traffic->now = next > traffic->now ? next : traffic->now + 1;
        advance(traffic);
    }
    traffic->now = until > traffic->now ? until : traffic->now;
    advance(traffic);
}

static bool all_done(const traffic_t *traffic) {
    for (unsigned direction = 0; direction < 2; direction++) {
        for (unsigned kind = 0; kind < TRAFFIC_CLASSES; kind++) {
            const class_t *class = traffic->class[direction][kind];
            if (class->received != traffic->each || class->completed != traffic->each) {
                return false;
            }
        }
    }
    return true;
}

/* Phases with more sends than receives, or the reverse, so that queues of both kinds fill. */
static void generate(traffic_t *traffic) {
    enum { STEPS = 16, STEP_NS = 4000, WAIT_NS = 10000000 };
    uint64_t stopped = traffic->now;
    uint64_t before = 0;
    uint32_t sends = 512;
    while (!all_done(traffic) && traffic->result->error[0] == '\0') {
        if (lot_chance(&traffic->lot, 32)) {
            sends = lot_below(&traffic->lot, 1025);
        }
        for (unsigned step = 0; step < STEPS; step++) {
            unsigned direction = lot_below(&traffic->lot, 2);
            unsigned kind = lot_below(&traffic->lot, TRAFFIC_CLASSES);
            if (lot_chance(&traffic->lot, sends)) {
                send_one(traffic, direction, kind);
            } else {
                post_one(traffic, direction, kind);
            }
        }
        if (traffic->options->close_midway && lot_chance(&traffic->lot, 4)) {
            uet_node_close(traffic->node[lot_below(&traffic->lot, 2)]);
        }
        run_until(traffic, traffic->now + 1 + lot_below(&traffic->lot, STEP_NS));
        if (traffic->result->received != before) {
            before = traffic->result->received;
            stopped = traffic->now;
            if (traffic->options->progress) {
                traffic->options->progress(before);
            }
        } else if (traffic->now > stopped + (uint64_t)WAIT_NS * 6000) {
            traffic_wrong(traffic, "W1: nothing arrives any more after %" PRIu64 " messages",
                          traffic->result->received);
        }
    }
}

static void finish(traffic_t *traffic) {
    for (unsigned round = 0; round < 2000; round++) {
        uet_node_close(traffic->node[0]);
        uet_node_close(traffic->node[1]);
        if (uet_node_quiet(traffic->node[0]) && uet_node_quiet(traffic->node[1])) {
            break;
        }
        run_until(traffic, traffic->now + 5000000);
    }
    if (!uet_node_quiet(traffic->node[0]) || !uet_node_quiet(traffic->node[1])) {
        traffic_wrong(traffic, "W1: PDCs do not close");
    }
    (void)link_switch_release(traffic->network, traffic->now, true);
    run_until(traffic, traffic->now + 5000000);
}

/* Its endpoints; every other one keeps few unexpected messages. */
static void create_endpoints(traffic_t *traffic, unsigned side) {
    wire_model_t *law = wire_judge_model(traffic->judge[side]);
    for (uint16_t index = 0; index < TRAFFIC_ENDPOINTS; index++) {
        wire_endpoint_t endpoint = {
            .job = TRAFFIC_JOB,
            .pid = TRAFFIC_PID,
            .index = index,
            .unexpected = index % 2 == 1 ? traffic->options->quota : 0,
        };
        uint32_t number = uet_node_endpoint(traffic->node[side], TRAFFIC_JOB, TRAFFIC_PID, index);
        uet_node_quota(traffic->node[side], number, endpoint.unexpected);
        (void)wire_model_endpoint(law, &endpoint);
    }
}

static bool create_side(traffic_t *traffic, unsigned side) {
    const traffic_options_t *options = traffic->options;
    uet_callbacks_t callbacks = {&traffic->side[side], on_frame, traffic_on_sent,
                                 traffic_on_received, NULL};
    uet_node_config_t config = UET_NODE_DEFAULT;
    config.address = ADDRESS[side];
    config.payload_mtu = options->payload_mtu;
    config.window = options->window;
    config.seed = options->seed * 2 + side;
    config.quarantine = 50000000;
    traffic->side[side] = (struct side){traffic, side};
    traffic->node[side] = uet_node_create(&config, &callbacks);
    traffic->judge[side] = uet_law_judge(&config);
    for (unsigned kind = 0; kind < TRAFFIC_CLASSES; kind++) {
        traffic->class[side][kind] = calloc(1, sizeof(class_t));
        if (!traffic->class[side][kind]) {
            return false;
        }
    }
    if (!traffic->node[side] || !traffic->judge[side]) {
        return false;
    }
    create_endpoints(traffic, side);
    return true;
}

static bool create(traffic_t *traffic) {
    link_shape_t shape = traffic->options->link;
    shape.ports = 2;
    traffic->network = link_switch_new(&shape);
    if (!traffic->network || !create_side(traffic, 0) || !create_side(traffic, 1)) {
        return false;
    }
    link_switch_open(traffic->network, 0);
    link_switch_open(traffic->network, 1);
    return true;
}

static void destroy(traffic_t *traffic) {
    for (unsigned side = 0; side < 2; side++) {
        uet_node_destroy(traffic->node[side]);
        wire_judge_free(traffic->judge[side]);
        for (unsigned kind = 0; kind < TRAFFIC_CLASSES; kind++) {
            free(traffic->class[side][kind]);
        }
    }
    if (traffic->network) {
        link_switch_free(traffic->network);
    }
}

static void open_capture(traffic_t *traffic) {
    static const char *const names[2] = {"10.0.0.1", "10.0.0.2"};
    char error[LINK_CAPTURE_ERROR_BYTES];
    if (!traffic->options->pcap) {
        return;
    }
    traffic->capture =
        link_capture_open(traffic->options->pcap, "OpenTMU tmu-wire-soak", names, 2, error);
    if (!traffic->capture) {
        traffic_wrong(traffic, "%s", error);
    }
}

bool traffic_run(const traffic_options_t *options, traffic_result_t *result) {
    traffic_t traffic = {.options = options, .result = result, .lot = lot_seeded(options->seed)};
    memset(result, 0, sizeof *result);
    traffic.each = (options->messages + 2 * TRAFFIC_CLASSES - 1) / (2 * TRAFFIC_CLASSES);
    open_capture(&traffic);
    if (!create(&traffic)) {
        traffic_wrong(&traffic, "no memory, or a payload MTU or window out of range");
    } else if (result->error[0] == '\0') {
        generate(&traffic);
        finish(&traffic);
        traffic_check_counts(&traffic);
    }
    destroy(&traffic);
    if (traffic.capture && !link_capture_close(traffic.capture)) {
        traffic_wrong(&traffic, "%s: could not be written", options->pcap);
    }
    return result->error[0] == '\0';
}
