/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owner of a page: of one endpoint, or the privileged owner, which names any endpoint.
 *
 * An owner keeps the host's rules of R7 and R11: where arrivals can stall, one of a source
 * is in flight at a time, and one that stalled is asked again before its source's next.
 */
#ifndef SOAK_OWNER_H
#define SOAK_OWNER_H

#include "judge.h"
#include "page.h"
#include "traffic.h"

#define OWNER_WINDOW 8
#define OWNER_HELD 16

typedef enum owner_state {
    OWNER_LIVES,
    OWNER_DEAD, /* neither asks nor reads; nobody has noticed yet */
    OWNER_GONE, /* its page is closed, its entries are to be removed */
    OWNER_FLUSHING,
    OWNER_FLUSHED,
} owner_state_t;

typedef struct flight {
    uint64_t handle;
    uint32_t endpoint;
    uint32_t source; /* of an arrival */
    uint8_t opcode;
    bool again; /* it stalled before */
} flight_t;

typedef struct owner {
    page_t page;
    lot_t lot;
    traffic_t traffic;
    owner_state_t state;
    uint32_t endpoint; /* whose owner it is */
    bool privileged;
    bool stalls; /* an arrival at its endpoint can stall: it has a quota */
    uint32_t window;
    uint32_t lazy;  /* answers that it reads before it says so */
    uint64_t until; /* clock: dead, when that is noticed; else, when it goes on asking */
    uint64_t order; /* of its next operation; goes on with the next owner */
    uint32_t flushes;
    uint32_t flight_count;
    uint32_t held_count;
    bool has_drawn; /* an operation that the bus did not take */
    operation_t drawn;
    operation_t first; /* of a pair of the privileged page's, or opcode 0 */
    flight_t flights[OWNER_WINDOW];
    operation_t held[OWNER_HELD];
} owner_t;

/* State that all owners share. */
typedef struct market {
    tmu_t *device;
    ledger_t *ledger;
    judge_t *judge;
    owner_t *owners; /* by endpoint; after the last the privileged one */
    uint32_t endpoints;
    tide_t tide;
    bool ebb;         /* what is under way comes to its end, and nothing else begins */
    uint64_t crowd;   /* entries in the unit with which it is nearly full */
    uint64_t handles; /* given out */
    uint64_t resumes;
    uint64_t answers; /* read */
    uint64_t injected;
    uint32_t held;
    uint32_t held_most;
    uint64_t canary;      /* this answer is changed, as it is read; 0: none */
    uint32_t canary_kind; /* as canary.h has it */
    bool closing;         /* nothing new is asked */
    bool lifted;          /* nobody has a quota: what is held back will be let in */
} market_t;

/* A new owner with a page; the endpoint has nothing in the unit. */
tmu_result_t owner_start(market_t *market, owner_t *owner, lot_t *lot);

/* Reads its ring; TMU_ERR_DEVICE where something came that nobody asked for. */
tmu_result_t owner_read(market_t *market, owner_t *owner);

/* Asks; TMU_AGAIN: the bus takes no more for now. */
tmu_result_t owner_ask(market_t *market, owner_t *owner, uint64_t now);

/* Asks for a flush of an endpoint; TMU_AGAIN: not now. */
tmu_result_t owner_flush(market_t *market, owner_t *owner, uint32_t endpoint);

/* Accounts for all operations of an owner that has ended and whose endpoint is empty. */
void owner_bury(market_t *market, owner_t *owner);

/* Forgets an owner's operations after a reset, which the ledger knows. */
void owner_forget(market_t *market, owner_t *owner);

#endif
