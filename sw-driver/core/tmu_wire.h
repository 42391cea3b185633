/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's structures as the words of a record.  All positions come from the generated
 * header.
 */
#ifndef TMU_WIRE_H
#define TMU_WIRE_H

#include <stdint.h>

#include "tmu/tmu.h"
#include "tmu_record.h"

/* The selective fields of a search: post, probe, claim, flush. */
void tmu_wire_key(tmu_record_t *command, const tmu_key_t *key);

/* The key of a message. */
void tmu_wire_message(tmu_record_t *command, const tmu_message_t *message);

/* The selective fields of a flush of everything: all bits that the device keeps are ignored. */
void tmu_wire_everything(tmu_record_t *command, const tmu_info_t *info);

/* Decodes every field of a completion; handles stay as the unit gave them. */
void tmu_wire_completion(const tmu_record_t *record, tmu_completion_t *completion_p);

/* Decodes the answer to an inspect command (status entry). */
void tmu_wire_entry(const tmu_record_t *record, tmu_entry_t *entry_p);

/* Decodes an entry as it lies in memory; which queue it is of, the chunk's list knows. */
void tmu_wire_spilled(const tmu_record_t *record, tmu_entry_t *entry_p);

#endif
