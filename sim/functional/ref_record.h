/* SPDX-License-Identifier: Apache-2.0
 *
 * Record of all that a card's unit decides: with `record=STEM` among its options a card writes the
 * operations in the order of the law as STEM.trace, in the raw forms of docs/trace-format.md, and
 * the verdicts as STEM.verdicts; for nobody else sees every arrival.
 *
 * A reset ends it, unless nothing was decided before.
 * Attempts that changed nothing because memory was used up are left out (R11).
 */
#ifndef REF_RECORD_H
#define REF_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "ref_matcher.h"

typedef struct ref_record ref_record_t;

/* NULL, with a sentence, where the files cannot be made. */
ref_record_t *ref_record_open(const char *stem, char *error, size_t error_size);
/* Whether all was written.  NULL is allowed. */
bool ref_record_close(ref_record_t *record);

/* The unit is reset.  NULL is allowed. */
void ref_record_reset(ref_record_t *record);

/* Of a receive, message or search, with its verdict; `opcode` is the unit's.  NULL is allowed. */
void ref_record_post(ref_record_t *record, const tmu_model_receive_t *receive,
                     const tmu_model_verdict_t *verdict);
void ref_record_arrive(ref_record_t *record, const tmu_model_message_t *message,
                       const tmu_model_verdict_t *verdict);
void ref_record_search(ref_record_t *record, const tmu_model_search_t *search, unsigned opcode,
                       const tmu_model_verdict_t *verdict);
void ref_record_cancel(ref_record_t *record, uint32_t endpoint, uint32_t receive_id,
                       const tmu_model_verdict_t *verdict);

#endif
