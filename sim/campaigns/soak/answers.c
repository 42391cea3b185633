/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that an owner reads: they go to the judge, and a canary changes one of them. */
#include "owner.h"

#include "canary.h"

#include <string.h>

static flight_t *flight_of(owner_t *owner, uint64_t handle) {
    for (uint32_t i = 0; i < owner->flight_count; i++) {
        if (owner->flights[i].handle == handle) {
            return &owner->flights[i];
        }
    }
    return NULL;
}

/* Keeps an arrival that stalled; its source waits with it. */
static void hold(market_t *market, owner_t *owner, const operation_t *op) {
    owner->held[owner->held_count++] = *op;
    market->held++;
    market->held_most = market->held > market->held_most ? market->held : market->held_most;
}

static bool answered(market_t *market, owner_t *owner, const tmu_completion_t *found) {
    flight_t *flight = flight_of(owner, found->handle);
    const operation_t *op = ledger_find(market->ledger, found->handle);
    market->answers++;
    if (flight && op && found->status == TMU_STATUS_STALLED) {
        hold(market, owner, op);
    }
    /* The judge tells what is wrong with an answer that nobody waits for. */
    if (!judge_put(market->judge, found) || !flight) {
        return false;
    }
    if (found->status == TMU_STATUS_REMOVED) {
        return true;
    }
    owner->flushes -= flight->opcode == TMU_OPCODE_FLUSH;
    market->resumes += flight->again && found->status != TMU_STATUS_STALLED;
    if (owner->privileged && flight->opcode == TMU_OPCODE_FLUSH) {
        owner_t *gone = &market->owners[flight->endpoint];
        gone->state = gone->state == OWNER_FLUSHING ? OWNER_FLUSHED : gone->state;
    }
    owner->flight_count--;
    const size_t after = (size_t)(&owner->flights[owner->flight_count] - flight);
    memmove(flight, flight + 1, after * sizeof *flight);
    return true;
}

/* The answer as it is, or as the canary has it. */
static bool pass_on(market_t *market, owner_t *owner, tmu_completion_t found) {
    const bool change = market->canary != 0 && market->answers + 1 >= market->canary &&
                        found.status == TMU_STATUS_MATCHED;
    if (!change) {
        return answered(market, owner, &found);
    }
    market->canary = 0;
    if (market->canary_kind == CANARY_LOST) {
        return true;
    }
    if (market->canary_kind == CANARY_VERDICT) {
        found.other ^= 1;
    } else if (!answered(market, owner, &found)) {
        return false;
    }
    return answered(market, owner, &found);
}

tmu_result_t owner_read(market_t *market, owner_t *owner) {
    tmu_completion_t found;
    while (page_take(&owner->page, &found)) {
        if (!pass_on(market, owner, found)) {
            return tmu_raw_error(TMU_ERR_DEVICE, "an answer came that nobody waits for");
        }
    }
    return TMU_OK;
}
