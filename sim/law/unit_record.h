/* SPDX-License-Identifier: Apache-2.0
 *
 * Record of all that a card's unit decides: with `record=STEM` among its options a card writes the
 * operations in the order of the law as STEM.trace, in the raw forms of docs/trace-format.md, and
 * the verdicts as STEM.verdicts; for nobody else sees every arrival.
 *
 * A reset ends it, unless nothing was decided before.
 * Attempts that changed nothing because memory was used up are left out (R11).
 */
#ifndef UNIT_RECORD_H
#define UNIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "tmu_model.h"

typedef struct unit_record unit_record_t;

/* NULL, with a sentence, where the files cannot be made. */
unit_record_t *unit_record_open(const char *stem, char *error, size_t error_size);
/* Whether all was written.  NULL is allowed. */
bool unit_record_close(unit_record_t *record);

/* The unit is reset.  NULL is allowed. */
void unit_record_reset(unit_record_t *record);

/* Of a receive, message or search, with its verdict; `opcode` is the unit's.  NULL is allowed. */
void unit_record_post(unit_record_t *record, const tmu_model_receive_t *receive,
                      const tmu_model_verdict_t *verdict);
void unit_record_arrive(unit_record_t *record, const tmu_model_message_t *message,
                        const tmu_model_verdict_t *verdict);
void unit_record_search(unit_record_t *record, const tmu_model_search_t *search, unsigned opcode,
                        const tmu_model_verdict_t *verdict);
void unit_record_cancel(unit_record_t *record, uint32_t endpoint, uint32_t receive_id,
                        const tmu_model_verdict_t *verdict);

#endif
