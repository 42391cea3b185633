/* SPDX-License-Identifier: Apache-2.0 */
/* What comes in by the inner endpoint: frames from peers, payloads, ends of sends. */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#define READ_MAX 16

/* Offers a buffer to the next frame; where the inner endpoint takes none, progress tries again. */
static int offer(tfi_ep_t *ep, tfi_in_t *in) {
    const ssize_t result = fi_trecv(ep->frames, in->bytes, sizeof in->bytes, NULL, FI_ADDR_UNSPEC,
                                    TFI_FRAME_TAG, 0, &in->work);
    const bool posted = result == 0;
    if (posted && !in->posted)
        --ep->idle;
    else if (!posted && in->posted)
        ++ep->idle;
    in->posted = posted;
    return result == -FI_EAGAIN ? 0 : (int)result;
}

int tfi_frames_start(tfi_ep_t *ep) {
    ep->in = calloc(TFI_FRAMES_IN, sizeof *ep->in);
    if (ep->in == NULL)
        return -FI_ENOMEM;
    ep->idle = TFI_FRAMES_IN;
    for (size_t i = 0; i < TFI_FRAMES_IN; ++i) {
        ep->in[i].work.kind = TFI_FRAME_IN;
        const int wrong = offer(ep, &ep->in[i]);
        if (wrong != 0)
            return wrong;
    }
    return 0;
}

/* A message goes to the unit; its payload, if it brought one, waits here until it is matched. */
static void message_came(tfi_ep_t *ep, const wire_frame_t *frame, const uint8_t *payload) {
    const size_t kept = frame->kind == WIRE_EAGER ? frame->length : 0;
    tfi_message_t *message = malloc(sizeof *message + kept);
    if (message == NULL) {
        tfi_say("no memory for a message of %zu bytes: it is lost", kept);
        return;
    }
    *message = (tfi_message_t){
        .data = frame->data,
        .has_data = frame->has_data,
        .ready = frame->kind == WIRE_READY,
        .sender = frame->sender,
        .source = names_get(&ep->av->names, frame->name, frame->name_length),
        .name_length = frame->name_length,
    };
    memcpy(message->name, frame->name, frame->name_length);
    memcpy(message->payload, payload, kept);
    message->record.opcode = TMU_OPCODE_ARRIVE;
    message->record.key.match = frame->tag;
    message->record.key.source = message->source;
    message->record.length = frame->length;
    if (message->ready)
        ++ep->domain->unit->traffic.rendezvous;
    else
        ++ep->domain->unit->traffic.eager;
    if (!matcher_submit(&ep->matcher, &message->record))
        free(message);
}

static void frame_came(tfi_ep_t *ep, tfi_in_t *in, size_t size) {
    wire_frame_t frame;
    const char *wrong = wire_decode(in->bytes, size, &frame);
    if (wrong != NULL)
        tfi_say("%s", wrong);
    else if (frame.kind == WIRE_PULL)
        tfi_send_payload(ep, &frame);
    else
        message_came(ep, &frame, in->bytes + WIRE_HEADER);
    (void)offer(ep, in);
}

static void out_ended(tfi_ep_t *ep, tfi_out_t *out, int err) {
    --ep->sending;
    if (err != 0) {
        tfi_out_failed(ep, out, err);
        return;
    }
    if (out->send != NULL)
        tfi_send_end(ep, out->send, 0);
    free(out);
}

/* An inner operation ended: `size` bytes came, or `err`. */
static void ended(tfi_ep_t *ep, void *context, size_t size, int err) {
    tfi_work_t *work = context;
    if (work == NULL)
        return;
    switch (work->kind) {
    case TFI_FRAME_IN:
        if (err == 0)
            frame_came(ep, TFI_OF(tfi_in_t, work), size);
        else
            (void)offer(ep, TFI_OF(tfi_in_t, work));
        break;
    case TFI_OUT:
        out_ended(ep, TFI_OF(tfi_out_t, work), err);
        break;
    default:
        tfi_pull_end(ep, TFI_OF(tfi_pull_t, work), err);
        break;
    }
}

static void read_inner(tfi_ep_t *ep) {
    struct fi_cq_tagged_entry entries[READ_MAX];
    for (;;) {
        const ssize_t count = fi_cq_read(ep->frames_cq, entries, READ_MAX);
        for (ssize_t i = 0; i < count; ++i)
            ended(ep, entries[i].op_context, entries[i].len, 0);
        if (count == -FI_EAVAIL) {
            struct fi_cq_err_entry error = {0};
            if (fi_cq_readerr(ep->frames_cq, &error, 0) != 1)
                return;
            ended(ep, error.op_context, error.len, error.err != 0 ? error.err : FI_EOTHER);
        } else if (count < READ_MAX) {
            return;
        }
    }
}

/* As a rule all are offered, and then their memory is not touched. */
static void offer_again(tfi_ep_t *ep) {
    for (size_t i = 0; ep->idle != 0 && i < TFI_FRAMES_IN; ++i)
        if (!ep->in[i].posted)
            (void)offer(ep, &ep->in[i]);
}

void tfi_progress(tfi_ep_t *ep) {
    if (!ep->enabled)
        return;
    read_inner(ep);
    offer_again(ep);
    tfi_out_progress(ep);
    tfi_pull_progress(ep);
    matcher_progress(&ep->matcher);
}
