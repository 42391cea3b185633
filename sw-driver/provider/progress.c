/* SPDX-License-Identifier: Apache-2.0 */
/* Input of the inner endpoint: frames from peers, payloads, and ends of sends. */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#define READ_MAX 16
#define FRAME_BYTES (WIRE_HEADER + TFI_EAGER)

/* Offers a buffer to the next frame; where the inner endpoint takes none, progress tries again. */
static int offer(tfi_ep_t *ep, tfi_in_t *in) {
    const ssize_t result = fi_trecv(ep->below, in->bytes, FRAME_BYTES, NULL, FI_ADDR_UNSPEC,
                                    TFI_FRAME_TAG, 0, &in->work);
    const bool posted = result == 0;
    if (posted && !in->posted) {
        --ep->idle;
    } else if (!posted && in->posted) {
        ++ep->idle;
    }
    in->posted = posted;
    return result == -FI_EAGAIN ? 0 : (int)result;
}

void tfi_frame_spare(tfi_ep_t *ep, uint8_t *bytes) {
    if (ep->spares >= TFI_FRAMES_IN) {
        free(bytes);
        return;
    }
    memcpy(bytes, &ep->spare, sizeof ep->spare);
    ep->spare = bytes;
    ++ep->spares;
}

/* NULL: memory is short. */
static uint8_t *take_spare(tfi_ep_t *ep) {
    uint8_t *bytes = ep->spare;
    if (!bytes) {
        return malloc(FRAME_BYTES);
    }
    memcpy(&ep->spare, bytes, sizeof ep->spare);
    --ep->spares;
    return bytes;
}

void tfi_frames_free(tfi_ep_t *ep) {
    for (size_t i = 0; ep->in && i < TFI_FRAMES_IN; ++i) {
        free(ep->in[i].bytes);
    }
    free(ep->in);
    ep->in = NULL;
    while (ep->spare) {
        free(take_spare(ep));
    }
}

int tfi_frames_start(tfi_ep_t *ep) {
    ep->in = calloc(TFI_FRAMES_IN, sizeof *ep->in);
    if (!ep->in) {
        return -FI_ENOMEM;
    }
    ep->idle = TFI_FRAMES_IN;
    for (size_t i = 0; i < TFI_FRAMES_IN; ++i) {
        ep->in[i].work.kind = TFI_FRAME_IN;
        ep->in[i].bytes = malloc(FRAME_BYTES);
        if (!ep->in[i].bytes) {
            return -FI_ENOMEM;
        }
        const int wrong = offer(ep, &ep->in[i]);
        if (wrong != 0) {
            return wrong;
        }
    }
    return 0;
}

/* A short payload is copied out of its buffer, which may be much larger; a long one keeps that. */
static void keep_payload(tfi_message_t *message, tfi_in_t *in, uint8_t *spare, size_t kept) {
    message->payload = message->copy;
    if (!spare) {
        memcpy(message->copy, in->bytes + WIRE_HEADER, kept);
        return;
    }
    message->payload = in->bytes + WIRE_HEADER;
    message->frame = in->bytes;
    in->bytes = spare;
}

/* The frame is in its buffer again, for it is read once more. */
static void give_up(tfi_ep_t *ep, tfi_message_t *message, tfi_in_t *in) {
    if (message->frame) {
        tfi_frame_spare(ep, in->bytes);
        in->bytes = message->frame;
        message->frame = NULL;
    }
    tfi_message_free(ep, message);
}

/* A message goes to the unit, or to the queue of untagged ones; its payload, if it brought one,
 * waits here until it is matched. False: memory is short, or enough is here. */
static bool message_came(tfi_ep_t *ep, peer_t *from, const wire_frame_t *frame, tfi_in_t *in) {
    ep->over = false;
    const size_t kept = frame->kind == WIRE_EAGER ? frame->length : 0;
    uint8_t *spare = kept >= TFI_HANDED ? take_spare(ep) : NULL;
    tfi_message_t *message = malloc(sizeof *message + (!spare ? kept : 0));
    if (!message) {
        if (spare) {
            tfi_frame_spare(ep, spare);
        }
        return false;
    }
    *message = (tfi_message_t){
        .data = frame->data,
        .has_data = frame->has_data,
        .ready = frame->kind == WIRE_READY,
        .sender = frame->sender,
        .from = from,
    };
    ++from->holds;
    keep_payload(message, in, spare, kept);
    if (!tfi_held_add(ep, message, sizeof *message + (!spare ? kept : FRAME_BYTES))) {
        give_up(ep, message, in);
        return false;
    }
    message->record.opcode = TMU_OPCODE_ARRIVE;
    message->record.key.match = frame->tag;
    message->record.key.source = tfi_peer_source(ep, from);
    message->record.length = frame->length;
    message->untagged = frame->untagged;
    const bool ready = message->ready;
    const bool taken = frame->untagged ? tfi_untagged_came(ep, message)
                                       : matcher_submit(&ep->matcher, &message->record);
    if (!taken) {
        give_up(ep, message, in);
    }
    if (frame->untagged) {
        return taken;
    }
    ep->domain->unit->traffic.rendezvous += taken && ready;
    ep->domain->unit->traffic.eager += taken && !ready;
    return taken || ep->matcher.broken; /* then nothing is matched any more, as was said */
}

/* False: memory is short.  Else `*wrong_p` is NULL, or why the frame is refused. */
static bool obey(tfi_ep_t *ep, const wire_frame_t *frame, tfi_in_t *in, const char **wrong_p) {
    *wrong_p = NULL;
    if (frame->name_length != ep->domain->name_size) {
        *wrong_p = "its sender's name has another length than those of this provider";
    } else if (frame->length >> ep->domain->unit->info.length_bits != 0) {
        *wrong_p = "its message is longer than the unit counts";
    }
    if (*wrong_p) {
        return true;
    }
    peer_t *from = peers_hold(&ep->av->peers, frame->name, frame->name_length);
    if (!from && peers_are_all(&ep->av->peers)) {
        *wrong_p = "the unit has no number for another peer";
    }
    if (!from) {
        return *wrong_p;
    }
    bool done = true;
    if (frame->kind == WIRE_PULL) {
        *wrong_p = tfi_send_payload(ep, from, frame);
    } else {
        done = message_came(ep, from, frame, in);
    }
    tfi_peer_release(ep->av, from);
    return done;
}

/* False: memory is short, and the frame stays in its buffer. */
static bool read_frame(tfi_ep_t *ep, tfi_in_t *in) {
    wire_frame_t frame;
    const char *wrong = wire_decode(in->bytes, in->size, &frame);
    if (!wrong && !obey(ep, &frame, in, &wrong)) {
        return false;
    }
    if (wrong) {
        tfi_say_rarely(&ep->domain->unit->traffic.refused, "a frame is refused: %s", wrong);
    }
    return true;
}

/* Frames that there is no memory for wait in their buffers, with all that come after them (R7): the
 * provider below runs out of buffers, and so holds their senders up. */
static void frame_came(tfi_ep_t *ep, tfi_in_t *in, size_t size) {
    in->size = size;
    if (!ep->kept_first && read_frame(ep, in)) {
        (void)offer(ep, in);
        return;
    }
    if (ep->over) {
        tfi_held_tell(ep);
    } else {
        tfi_say_rarely(&ep->kept, "no memory for a message; it waits, and its sender with it");
    }
    in->next = NULL;
    if (!ep->kept_first) {
        ep->kept_first = in;
    } else {
        ep->kept_last->next = in;
    }
    ep->kept_last = in;
}

static void read_kept(tfi_ep_t *ep) {
    while (ep->kept_first && read_frame(ep, ep->kept_first)) {
        tfi_in_t *in = ep->kept_first;
        ep->kept_first = in->next;
        (void)offer(ep, in);
    }
}

/* An inner operation ended, in error if `entry->err` is not 0. */
static void ended(tfi_ep_t *ep, tfi_work_t *work, size_t length, int err) {
    if (!work) {
        return;
    }
    switch (work->kind) {
    case TFI_FRAME_IN:
        if (err == 0) {
            frame_came(ep, TFI_OF(tfi_in_t, work), length);
        } else {
            tfi_say_rarely(&ep->domain->unit->traffic.refused, "a frame is refused: %s",
                           fi_strerror(err));
            (void)offer(ep, TFI_OF(tfi_in_t, work));
        }
        break;
    case TFI_OUT:
        tfi_out_ended(ep, TFI_OF(tfi_out_t, work), err);
        break;
    default:
        tfi_pull_end(ep, TFI_OF(tfi_pull_t, work), length, err);
        break;
    }
}

/* The one that failed; false: there is none after all. */
static bool read_failed(tfi_ep_t *ep) {
    /* libfabric may write a longer structure than the one this was compiled with. */
    struct {
        struct fi_cq_err_entry entry;
        uint64_t longer[8];
    } error = {0};
    if (fi_cq_readerr(ep->inner_cq, &error.entry, 0) != 1) {
        return false;
    }
    ended(ep, error.entry.op_context, error.entry.len,
          error.entry.err != 0 ? error.entry.err : FI_EOTHER);
    return true;
}

static void read_inner(tfi_ep_t *ep) {
    struct fi_cq_msg_entry entries[READ_MAX];
    ssize_t count = READ_MAX;
    while (count == READ_MAX || (count == -FI_EAVAIL && read_failed(ep))) {
        count = fi_cq_read(ep->inner_cq, entries, READ_MAX);
        for (ssize_t i = 0; i < count; ++i) {
            ended(ep, entries[i].op_context, entries[i].len, 0);
        }
    }
}

bool tfi_inner_comes(tfi_ep_t *ep) {
    struct fi_cq_msg_entry entry;
    const ssize_t got = fi_cq_sread(ep->inner_cq, &entry, 1, NULL, 1);
    if (got == 1) {
        ended(ep, entry.op_context, entry.len, 0);
    }
    return got != -FI_EAGAIN;
}

/* As a rule all are offered, and then their memory is not touched. */
static void offer_again(tfi_ep_t *ep) {
    for (size_t i = 0; ep->idle != 0 && i < TFI_FRAMES_IN; ++i) {
        if (!ep->in[i].posted) {
            (void)offer(ep, &ep->in[i]);
        }
    }
}

bool tfi_busy(const tfi_ep_t *ep) {
    /* A frame that waits for memory, and a payload whose sender may end, wake nobody. */
    return ep->enabled &&
           (ep->idle != 0 || ep->kept_first || ep->fetched.used != 0 || tfi_out_waits(ep, NULL) ||
            ep->pulls || ep->untagged.waits || matcher_works(&ep->matcher));
}

void tfi_progress(tfi_ep_t *ep) {
    if (!ep->enabled) {
        return;
    }
    read_kept(ep);
    read_inner(ep);
    offer_again(ep);
    tfi_out_progress(ep);
    tfi_pull_progress(ep);
    tfi_untagged_progress(ep);
    tfi_gone_progress(ep);
    matcher_progress(&ep->matcher);
}
