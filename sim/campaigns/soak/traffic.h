/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that the owner of an endpoint asks for.
 *
 * Receives and messages come in pairs with one key, the one or the other first; as many are ahead
 * as the owner's target says, so that it decides how deep the queues are.  A claim or a
 * cancel can be the second half.  Wildcards take what was meant for others now and then,
 * and a flush removes what is left over.
 */
#ifndef SOAK_TRAFFIC_H
#define SOAK_TRAFFIC_H

#include "lot.h"
#include "operation.h"

#define TRAFFIC_SOURCES 4
#define TRAFFIC_OWED 64 /* more than any target */

/* Depth of the queues for a while. */
typedef enum tide { TIDE_LOW, TIDE_HIGH, TIDE_FLOOD } tide_t;

typedef struct half {
    uint64_t match;
    uint32_t source;
    uint32_t receive_id; /* of a receive */
} half_t;

typedef struct traffic {
    uint32_t contexts;
    uint32_t tags;
    uint32_t any_source; /* of 1,024 receives, so many have it */
    uint32_t any_tag;
    uint32_t raw;    /* and so many an arbitrary mask */
    uint32_t looks;  /* of 1,024 operations, so many are probes, and claims and cancels that miss */
    uint32_t target; /* halves that are to be ahead */
    uint32_t left;   /* operations until another target */
    tide_t tide;     /* when it was drawn */
    uint32_t owed;
    half_t ahead[TRAFFIC_OWED]; /* oldest first */
    bool posts_lead;            /* they are receives, and messages otherwise */
    uint32_t receive_id;        /* next */
} traffic_t;

/* A new owner's habits. */
void traffic_start(traffic_t *traffic, lot_t *lot);

/* Forgets all entries: the unit holds none of them. */
void traffic_forget(traffic_t *traffic);

/*
 * The next operation, but for its handle, its order and its page.
 * Bit n of `busy` says that no arrival of source n may be sent now.
 */
void traffic_draw(traffic_t *traffic, lot_t *lot, tide_t tide, uint32_t busy, operation_t *op);

/* Of the privileged page, which meddles with anybody's traffic, from sources of its own; `number`
 * is never the same. */
void traffic_inject(const traffic_t *traffic, lot_t *lot, uint64_t number, operation_t *op);

/* Operation after an injected one, so that as a rule nothing is left over. */
void traffic_answer(const operation_t *first, lot_t *lot, uint64_t number, operation_t *op);

#endif
