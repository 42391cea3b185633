/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that are spoiled byte by byte, and those among them that are worth to be spoiled again. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "forge.h"

enum { FUZZ_KEPT = 4096 };

typedef struct {
    uint8_t frame[FORGE_ROOM];
    size_t bytes;
    uet_envelope_t envelope; /* of the frame before its bytes were changed */
} fuzz_frame_t;

typedef struct {
    fuzz_frame_t *kept; /* FUZZ_KEPT of them */
    size_t count;       /* that were ever kept; the oldest are overwritten */
} fuzz_corpus_t;

/* False without memory. */
bool fuzz_corpus_begin(fuzz_corpus_t *corpus);
void fuzz_corpus_end(fuzz_corpus_t *corpus);
void fuzz_corpus_keep(fuzz_corpus_t *corpus, const fuzz_frame_t *frame);

/* Changes a frame, or replaces it by one that was kept, and seals most of them with a right CRC,
 * which would refuse them all alike. */
void fuzz_mutate(const fuzz_corpus_t *corpus, lot_t *lot, fuzz_frame_t *frame);

#endif
