/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors, results and what the unit answers, in words; a part of tmu/tmu.h.
 */
#ifndef TMU_TMU_TEXT_H
#define TMU_TMU_TEXT_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The sentence of the calling thread's last error, on this or on another device; NULL is allowed.
 * Never NULL; "" if there was none.  Valid until the thread's next call that fails.
 */
const char *tmu_error_text(const tmu_t *device);

/** A result in words.  Never NULL. */
const char *tmu_result_text(tmu_result_t result);

/**
 * The name of a verdict (TMU_STATUS_*) in small letters, as "refused_quota"; that of
 * TMU_STATUS_UNANSWERED is "unanswered".
 * Never NULL: "unknown status" for a number that is none.
 */
const char *tmu_status_text(uint8_t status);

/**
 * The name of an operation (TMU_OPCODE_*) in small letters, as "claim".
 * Never NULL: "unknown opcode" for a number that is none.
 */
const char *tmu_opcode_text(uint8_t opcode);

#ifdef __cplusplus
}
#endif

#endif
