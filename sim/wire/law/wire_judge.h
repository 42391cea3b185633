/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds a target against the model of the wire: it is told what the target was given and what it
 * did, in order, and says the first difference.
 *
 * An input is held until the next one comes: acts of the target in between are its effects.
 * A judge has one difference at most; after it nothing is compared.
 */
#ifndef WIRE_JUDGE_H
#define WIRE_JUDGE_H

#include "wire_model.h"

typedef struct wire_judge wire_judge_t;

/* NULL without memory or with a configuration that is out of range. */
wire_judge_t *wire_judge_new(const wire_config_t *config);
void wire_judge_free(wire_judge_t *judge);
/* For its endpoints and pools, before anything is given. */
wire_model_t *wire_judge_model(wire_judge_t *judge);

/* Inputs of the target.  The caller's bytes may change afterwards. */
void wire_judge_frame(wire_judge_t *judge, const uint8_t *frame, size_t bytes);
void wire_judge_post(wire_judge_t *judge, const wire_receive_t *receive);
void wire_judge_advance(wire_judge_t *judge, uint64_t now);
void wire_judge_enable(wire_judge_t *judge, uint32_t endpoint, bool enable);

/* Acts of the target.  Frames of its sending side are ignored. */
void wire_judge_sent(wire_judge_t *judge, const uint8_t *frame, size_t bytes);
/* `data`: what is in the receive, completion->written bytes (W3). */
void wire_judge_completed(wire_judge_t *judge, const wire_completion_t *completion,
                          const uint8_t *data);

/* After all: compares the last; the counters of the target are the caller's to compare. */
void wire_judge_finish(wire_judge_t *judge);
/* Empty, or the first difference in words. */
const char *wire_judge_error(const wire_judge_t *judge);

#endif
