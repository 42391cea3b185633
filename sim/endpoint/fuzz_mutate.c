/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_mutate.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAC_BYTES = 12,
    CHANGES_MOST = 4,
    SEALED_OF_1024 = 900,
    LENGTH_OF_1024 = 60,
    REPLACED_OF_1024 = 250
};

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;

bool fuzz_corpus_begin(fuzz_corpus_t *corpus) {
    *corpus = (fuzz_corpus_t){.kept = calloc(FUZZ_KEPT, sizeof *corpus->kept)};
    return corpus->kept;
}

void fuzz_corpus_end(fuzz_corpus_t *corpus) { free(corpus->kept); }

void fuzz_corpus_keep(fuzz_corpus_t *corpus, const fuzz_frame_t *frame) {
    corpus->kept[corpus->count++ % FUZZ_KEPT] = *frame;
}

/* Any of those that are kept; NULL without one. */
static const fuzz_frame_t *draw(const fuzz_corpus_t *corpus, lot_t *lot) {
    const size_t count = corpus->count < FUZZ_KEPT ? corpus->count : FUZZ_KEPT;
    return count > 0 ? &corpus->kept[lot_below(lot, (uint32_t)count)] : NULL;
}

/* Bytes of another frame at the same offset, where fields of the same kind lie. */
static void splice(const fuzz_frame_t *other, lot_t *lot, fuzz_frame_t *frame, size_t at) {
    const size_t limit = other->bytes < frame->bytes ? other->bytes : frame->bytes;
    const size_t count = 1 + lot_below(lot, 12);
    if (at < limit) {
        memcpy(frame->frame + at, other->frame + at, at + count <= limit ? count : limit - at);
    }
}

static void change(const fuzz_corpus_t *corpus, lot_t *lot, fuzz_frame_t *frame) {
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff};
    const size_t at = MAC_BYTES + lot_below(lot, (uint32_t)frame->bytes - MAC_BYTES);
    const fuzz_frame_t *other = draw(corpus, lot);
    switch (lot_below(lot, 4)) {
    case 0:
        frame->frame[at] ^= (uint8_t)(1u << lot_below(lot, 8));
        break;
    case 1:
        frame->frame[at] = values[lot_below(lot, sizeof values)];
        break;
    case 2:
        frame->frame[at] = (uint8_t)lot_draw(lot);
        break;
    default:
        if (other) {
            splice(other, lot, frame, at);
        }
        break;
    }
}

/* Cuts a frame, or appends bytes; headers do not know of it. */
static void resize(lot_t *lot, fuzz_frame_t *frame) {
    const size_t bytes = 1 + lot_below(lot, FORGE_ROOM - 1);
    const size_t cut = lot_chance(lot, 700) ? 1 + lot_below(lot, (uint32_t)frame->bytes) : bytes;
    for (size_t i = frame->bytes; i < cut; i++) {
        frame->frame[i] = (uint8_t)lot_draw(lot);
    }
    frame->bytes = cut;
}

/* The endpoint takes a peer's Ethernet address from that of IP, and the model from the frame: they
 * have to agree, as those of our cards do. */
static void address(fuzz_frame_t *frame) {
    uet_envelope_t envelope;
    uet_error_t error;
    if (!uet_envelope_decode(frame->frame, frame->bytes, &settings, &envelope, &error)) {
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        frame->frame[MAC_BYTES - 1 - i] = (uint8_t)(envelope.source_low >> 8 * i);
    }
}

void fuzz_mutate(const fuzz_corpus_t *corpus, lot_t *lot, fuzz_frame_t *frame) {
    const fuzz_frame_t *kept = lot_chance(lot, REPLACED_OF_1024) ? draw(corpus, lot) : NULL;
    if (kept) {
        *frame = *kept;
    }
    const uint32_t most = frame->bytes > MAC_BYTES ? CHANGES_MOST : 0;
    for (uint32_t left = lot_below(lot, most + 1); left > 0; left--) {
        change(corpus, lot, frame);
    }
    if (frame->envelope.end <= frame->bytes && lot_chance(lot, SEALED_OF_1024)) {
        uet_packet_seal(&frame->envelope, &settings, frame->frame);
    }
    address(frame);
    if (lot_chance(lot, LENGTH_OF_1024)) {
        resize(lot, frame);
    }
}
