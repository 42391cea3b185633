/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of the unit's verdicts on records. */
#ifndef TMU_PROVIDER_SETTLE_H
#define TMU_PROVIDER_SETTLE_H

#include "match.h"

/*
 * Carries out one verdict.  False, and nothing happened, when it names no record, a record of
 * another operation, or a verdict or partner that such an operation cannot have.
 */
bool matcher_settle(matcher_t *matcher, const tmu_completion_t *completion);

/* On a card, where a message is known by its completion alone. */
bool matcher_settle_card(matcher_t *matcher, const tmu_completion_t *completion);

/* settle.c, for both: a record has left the unit; a receive found no room there. */
void matcher_end(matcher_t *matcher, record_t *record);
void matcher_refuse(matcher_t *matcher, record_t *receive);

#endif
