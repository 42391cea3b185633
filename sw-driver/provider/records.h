/* SPDX-License-Identifier: Apache-2.0 */
/* Records that the matcher is handed, and the lists in which they wait. */
#ifndef TMU_PROVIDER_RECORDS_H
#define TMU_PROVIDER_RECORDS_H

#include "tmu/tmu.h"

typedef struct record {
    uint8_t opcode;        /* TMU_OPCODE_POST, ARRIVE, PROBE or CLAIM; the caller's to set */
    tmu_key_t key;         /* the caller's to set; of a message match and source */
    uint64_t length;       /* of a receive or message, the caller's to set */
    struct record *next;   /* waiting behind this one */
    struct record *before; /* waiting before it */
    const void *owner;     /* the matcher that has it */
    uint64_t handle;       /* by which the unit knows it */
    uint64_t address; /* on a card: of a receive's buffer, and its bytes; the caller's to set */
    uint64_t room;
    uint64_t number;        /* in the trace */
    uint64_t target;        /* cancel: number of the receive in the trace */
    tmu_receive_id_t id;    /* of a receive in the unit */
    bool waits;             /* not in the unit yet, or refused by it */
    tmu_result_t cancelled; /* cancel: what became of it; TMU_AGAIN until the unit said so */
} record_t;

/* A zeroed list is empty. */
typedef struct {
    record_t *first;
    record_t *last;
} record_list_t;

void records_append(record_list_t *list, record_t *record);
void records_prepend(record_list_t *list, record_t *record);
/* Right behind one that is in the list; NULL: at its beginning. */
void records_put_behind(record_list_t *list, record_t *before, record_t *record);

/* NULL when the list is empty. */
record_t *records_take_first(record_list_t *list);

/* False: the record, which is in no other list, is not in this one. */
bool records_take_out(record_list_t *list, record_t *record);

#endif
