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

#endif
