/* SPDX-License-Identifier: Apache-2.0
 *
 * The card's link and node, and the messages that arrive: matching by the unit, payload into
 * registered memory or the pool, completions when it lies there.
 */
#include "card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Frames that are taken before others have a turn. */
#define FRAMES_AT_ONCE 64
#define MAC_BYTES 6
/* When a card is closed: the time that its peers have to close their connections, and that they may
 * be silent meanwhile. */
#define LEAVE_NS UINT64_C(5000000000)
#define SILENCE_NS UINT64_C(500000000)

static uint64_t real_time(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* A switch sends no frame back to where it comes from: what is for this card itself stays here. */
static bool loop_in(ref_card_t *card, const uint8_t *frame, size_t bytes) {
    card_frame_t *kept = malloc(sizeof *kept + bytes);
    if (!kept) {
        return false;
    }
    kept->next = NULL;
    kept->bytes = bytes;
    memcpy(kept->octets, frame, bytes);
    *card->loop_end = kept;
    card->loop_end = &kept->next;
    return true;
}

/* The oldest frame of the loop, which the caller frees; NULL without one. */
static card_frame_t *loop_out(ref_card_t *card) {
    card_frame_t *frame = card->loop;
    if (frame) {
        card->loop = frame->next;
        card->loop_end = card->loop ? card->loop_end : &card->loop;
    }
    return frame;
}

static void frame_out(void *context, const uint8_t *frame, size_t bytes) {
    ref_card_t *card = context;
    const bool own = memcmp(frame, frame + MAC_BYTES, MAC_BYTES) == 0;
    if (own ? !loop_in(card, frame, bytes) : !link_send(card->link, frame, bytes)) {
        card->dropped++; /* as on a wire: the timer sends it again */
    }
}

/* The completion that waits for a message's bytes; its node calls that message's receive so. */
static card_completion_t *awaited_take(ref_card_t *card, uint64_t handle) {
    card_completion_t **at = &card->awaited;
    while (*at && (uint64_t)(uintptr_t)*at != handle) {
        at = &(*at)->next;
    }
    card_completion_t *completion = *at;
    if (completion) {
        *at = completion->next;
    }
    return completion;
}

/* Every byte is in memory, or none will come any more (W3, W7). */
static void received(void *context, const uet_received_t *told) {
    ref_card_t *card = context;
    card_completion_t *completion = awaited_take(card, told->handle);
    if (!completion) { /* a flush has removed it */
        return;
    }
    if (told->code != UET_RC_OK) {
        TMU_FIELD_SET(&completion->record, TMU_COMPLETION_STATUS, TMU_STATUS_REMOVED);
    }
    card_finish(card, completion);
}

static void await(ref_card_t *card, card_completion_t *completion) {
    completion->next = card->awaited;
    card->awaited = completion;
}

/* ---- from the wire to the unit ------------------------------------------------------------- */

/* A message met a receive, which its bytes go to. */
static uet_unit_answer_t matched(ref_card_t *card, const uet_message_t *message,
                                 const tmu_record_t *record, uet_receive_t *receive) {
    const uint64_t number = TMU_FIELD_GET(record, TMU_COMPLETION_OTHER);
    const uint64_t handle = card_receive_handle(card, number);
    const card_owner_t owner = card_receive_take(card, number);
    card_completion_t *completion = card_completion_new(card, &owner, record);
    if (!completion) {
        return UET_UNIT_FAILED;
    }
    TMU_FIELD_SET(&completion->record, TMU_COMPLETION_HANDLE, message->header_data);
    TMU_FIELD_SET(&completion->record, TMU_COMPLETION_OTHER, handle);
    const uint64_t room = TMU_FIELD_GET(record, TMU_COMPLETION_RECEIVE_LENGTH);
    *receive = (uet_receive_t){
        .buffer = (void *)(uintptr_t)TMU_FIELD_GET(record, TMU_COMPLETION_ADDRESS),
        .bytes = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX,
        .handle = (uint64_t)(uintptr_t)completion,
    };
    await(card, completion);
    return UET_UNIT_MATCHED;
}

static uet_unit_answer_t arrive(void *context, const uet_message_t *message,
                                uet_receive_t *receive) {
    ref_card_t *card = context;
    const card_name_t *name = &card->names[message->endpoint];
    const uint32_t number = card_message_next(card, name->endpoint);
    if (number == CARD_MESSAGES) {
        return UET_UNIT_FULL;
    }
    const uint64_t buffer = card_pool_buffer(card, name->endpoint, number);
    tmu_record_t command = {0};
    TMU_FIELD_SET(&command, TMU_COMMAND_OPCODE, TMU_OPCODE_ARRIVE);
    TMU_FIELD_SET(&command, TMU_COMMAND_MATCH, message->match);
    TMU_FIELD_SET(&command, TMU_COMMAND_SOURCE, message->source);
    TMU_FIELD_SET(&command, TMU_COMMAND_HANDLE, number);
    TMU_FIELD_SET(&command, TMU_COMMAND_ADDRESS, buffer);
    TMU_FIELD_SET(&command, TMU_COMMAND_LENGTH, message->length);
    const tmu_record_t record = ref_execute_arrival(card->device, name->endpoint, &command);
    switch (TMU_FIELD_GET(&record, TMU_COMPLETION_STATUS)) {
    case TMU_STATUS_MATCHED:
        return matched(card, message, &record, receive);
    case TMU_STATUS_QUEUED:
        card_message_use(card, number,
                         &(card_message_t){.node = message->number,
                                           .header_data = message->header_data,
                                           .length = message->length,
                                           .endpoint = name->endpoint});
        *receive = (uet_receive_t){.buffer = (void *)(uintptr_t)buffer, .bytes = message->length};
        return UET_UNIT_QUEUED;
    case TMU_STATUS_STALLED:
        return UET_UNIT_FULL;
    default:
        return UET_UNIT_FAILED;
    }
}

static bool write_bytes(void *context, void *buffer, uint32_t offset, const uint8_t *bytes,
                        uint32_t count) {
    const ref_card_t *card = context;
    const uint64_t address = (uint64_t)(uintptr_t)buffer + offset;
    if (!card_reaches(card, address, count)) {
        return false;
    }
    memmove((void *)(uintptr_t)address, bytes, count);
    return true;
}

static const uet_unit_t unit = {.arrive = arrive, .write = write_bytes, .fetch = card_fetch};

/* ---- unexpected messages that hosts take --------------------------------------------------- */

uint64_t card_header_data(const ref_card_t *card, uint64_t message) {
    return message < CARD_MESSAGES ? card->messages[message].header_data : 0;
}

void card_taken(ref_card_t *card, uint32_t page, const tmu_model_verdict_t *verdict,
                const tmu_record_t *record) {
    const uint32_t number = (uint32_t)verdict->other;
    card_message_t *message = &card->messages[number];
    const bool post = TMU_FIELD_GET(record, TMU_COMPLETION_OPCODE) == TMU_OPCODE_POST;
    const card_owner_t owner = card_owe(card, page);
    card_completion_t *completion = card_completion_new(card, &owner, record);
    if (!completion) {
        return;
    }
    TMU_FIELD_SET(&completion->record, TMU_COMPLETION_OTHER, message->header_data);
    const uint64_t room = verdict->receive_length;
    uet_receive_t receive = {.bytes = UINT32_MAX, .handle = (uint64_t)(uintptr_t)completion};
    if (post) { /* the card moves it, and its buffer is free when that is done */
        const uint64_t address = TMU_FIELD_GET(record, TMU_COMPLETION_ADDRESS);
        receive.buffer = (void *)(uintptr_t)address;
        receive.bytes = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
        completion->message = number;
    }
    message->claimed = !post;
    await(card, completion);
    uet_node_taken(card->node, message->node, &receive);
}

uint64_t card_removed(ref_card_t *card, uint64_t number) {
    const uint64_t header_data = card->messages[number].header_data;
    const uet_receive_t nowhere = {0};
    uet_node_taken(card->node, card->messages[number].node, &nowhere);
    card_message_free(card, (uint32_t)number);
    return header_data;
}

void card_room(ref_card_t *card, uint32_t endpoint) {
    for (uint32_t i = 0; i < card->name_count; i++) {
        if (card->names[i].used && card->names[i].endpoint == endpoint) {
            uet_node_room(card->node, i);
        }
    }
}

/* ---- life of a card ------------------------------------------------------------------------ */

static uint64_t seed(ref_card_t *card) {
    card->generation++;
    return real_time() ^ (uint64_t)(uintptr_t)card ^ card->generation << 48;
}

bool card_node_start(ref_card_t *card) {
    const uint32_t messages = *card_register(card, TMU_REG_WIRE_MESSAGES);
    const uet_callbacks_t callbacks = {card, frame_out, card_sent, received, &unit};
    uet_node_config_t config = UET_NODE_DEFAULT;
    config.address = *card_register(card, TMU_REG_WIRE_ADDRESS_0);
    config.payload_mtu = TMU_REGISTER_GET(messages, TMU_WIRE_MESSAGES_PAYLOAD_MTU);
    config.window = 16;
    config.endpoints = CARD_NAMES;
    config.message_most = (uint32_t)card_pool_bytes(card);
    config.retransmit = *card_register(card, TMU_REG_WIRE_RETRANSMIT) * UINT64_C(1000);
    config.attempts = *card_register(card, TMU_REG_WIRE_ATTEMPTS);
    config.seed = seed(card);
    config.idle =
        UINT64_C(1) << 62; /* never: its peers' cards run when their processes let them (W7) */
    card->node = uet_node_create(&config, &callbacks);
    return card->node;
}

static void completions_free(card_completion_t **list) {
    while (*list) {
        card_completion_t *completion = *list;
        *list = completion->next;
        free(completion);
    }
}

/* Forgets all but its link; connections die (W9). */
static void forget(ref_card_t *card) {
    uet_node_destroy(card->node);
    card->node = NULL;
    card_sends_forget(card);
    completions_free(&card->awaited);
    completions_free(&card->finished);
    card->finished_end = &card->finished;
    memset(card->peers, 0, sizeof card->peers);
    memset(card->memories, 0, sizeof card->memories);
    memset(card->names, 0, sizeof card->names);
    card_messages_start(card);
    free(card->receives);
    card->receives = NULL;
    card->receive_count = 0;
    card->receive_free = 0;
    card->name_count = 0;
    for (card_frame_t *frame = NULL; (frame = loop_out(card));) {
        free(frame);
    }
}

void card_reset(ref_card_t *card) {
    forget(card);
    card_registers_start(card);
}

ref_card_t *card_open(ref_device_t *device, const char *address) {
    char reason[LINK_ERROR_BYTES];
    ref_card_t *card = calloc(1, sizeof *card);
    if (!card) {
        (void)snprintf(device->error, sizeof device->error, "no memory for a card");
        return NULL;
    }
    card->device = device;
    card->process = getpid();
    card->loop_end = &card->loop;
    card->pools = calloc(device->preset->endpoints, sizeof *card->pools);
    if (!card->pools) {
        (void)snprintf(device->error, sizeof device->error, "no memory for a card");
        free(card);
        return NULL;
    }
    card->link = link_connect(address, reason);
    if (!card->link) {
        (void)snprintf(device->error, sizeof device->error, "link: %s", reason);
        free(card->pools);
        free(card);
        return NULL;
    }
    card_reset(card);
    return card;
}

static bool takes_frames(ref_card_t *card) {
    const uint32_t value = *card_register(card, TMU_REG_WIRE_CONFIG);
    return TMU_REGISTER_GET(value, TMU_WIRE_CONFIG_ENABLE) != 0;
}

/* Frames that were in the loop before; whether there were any. */
static bool loop_take(ref_card_t *card) {
    const card_frame_t *last = NULL;
    for (const card_frame_t *frame = card->loop; frame; frame = frame->next) {
        last = frame;
    }
    const bool came = last;
    bool more = came;
    while (more) {
        card_frame_t *frame = loop_out(card);
        more = frame != last;
        if (card->node && takes_frames(card)) {
            uet_node_frame(card->node, frame->octets, frame->bytes);
        }
        free(frame);
    }
    return came;
}

bool card_progress(ref_card_t *card) {
    const uint8_t *frame = NULL;
    size_t bytes = 0;
    bool came = false;
    (void)link_flush(card->link);
    came = loop_take(card);
    for (unsigned i = 0; i < FRAMES_AT_ONCE; i++) {
        if (link_receive(card->link, &frame, &bytes) != LINK_FRAME) {
            break; /* a link that has ended is silent: its peers are given up, or wait */
        }
        came = true;
        if (card->node && takes_frames(card)) {
            uet_node_frame(card->node, frame, bytes);
        }
    }
    if (card->node) {
        uet_node_advance(card->node, real_time());
    }
    (void)link_flush(card->link);
    return came;
}

/* Closes its connections, and answers its peers until they have closed theirs, since an
 * acknowledgement may have been lost; not in a child of fork, whose link is its parent's. */
static void leave(ref_card_t *card) {
    const struct timespec nap = {.tv_nsec = 1000000};
    if (!card->node || card->process != getpid()) {
        return;
    }
    uint64_t now = real_time();
    const uint64_t end = now + LEAVE_NS;
    uint64_t heard = now;
    uet_node_close(card->node);
    while ((!uet_node_quiet(card->node) || !uet_node_is_alone(card->node)) && now < end &&
           now - heard < SILENCE_NS) {
        const bool came = card_progress(card);
        now = real_time();
        heard = came ? now : heard;
        if (!came) {
            (void)nanosleep(&nap, NULL);
        }
    }
}

void card_close(ref_card_t *card) {
    if (card) {
        leave(card);
        forget(card);
        link_close(card->link);
        free(card->pools);
        free(card);
    }
}
