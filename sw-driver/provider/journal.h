/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of operations as the unit decided it, and its verdicts: a trace in the raw forms and
 * a verdict log, so that the reference model can say afterwards what each verdict had to be.
 *
 * Operations are written in the order in which they were decided (R7; order.h sees to that).  A
 * stalled attempt changed nothing and is left out; the arrival stands where it was admitted (R11).
 */
#ifndef TMU_PROVIDER_JOURNAL_H
#define TMU_PROVIDER_JOURNAL_H

#include "tmu/tmu.h"

typedef struct journal_file journal_file_t;

typedef struct {
    journal_file_t *trace;
    journal_file_t *verdicts;
    /* Memory is registered, or others use the unit as well: refusals are left out, for they changed
     * nothing, the receive stands where it got in, and when room is used up nobody here knows. */
    bool spills;
} journal_t;

/* An operation of the trace.  Numbers are those of the trace, unique in it. */
typedef struct {
    uint8_t opcode; /* TMU_OPCODE_* */
    uint32_t endpoint;
    uint64_t number;
    uint64_t target; /* cancel: the receive's number */
    tmu_key_t key;   /* of a message: match and source */
    uint64_t length; /* of a receive or message */
} journal_operation_t;

/* Makes FOLDER/NAME.trace and FOLDER/NAME.verdicts; 0, or -1 with errno. */
int journal_open(journal_t *journal, const char *folder, const char *name);

/* `other` is the number of the completion's partner.  Does nothing on a journal that is not open,
 * and for attempts and entries that are no verdicts. */
void journal_write(journal_t *journal, const journal_operation_t *operation,
                   const tmu_completion_t *completion, uint64_t other);

/* 0, or -1 with the errno of what could not be written first; behind that nothing was written.  A
 * journal that is not open is left alone. */
int journal_close(journal_t *journal);

#endif
