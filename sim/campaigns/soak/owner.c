/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#define RING_LOG2_LOW 4
#define RINGS 4 /* sizes */
#define PRIVILEGED_RING_LOG2 10
#define SHARES 2 /* sizes, of 2 and 4 commands */
#define RESTS 4  /* of 1,024 turns, so many are the last for a while */
#define SWEEPS 64
#define REST_CLOCKS 3000
#define AGAIN_OF_1024 60
#define STUCK 128 /* of 1,024 turns in which its ring may be full, so many end that */

/* A different number for every index, spread over all 64 bits, so that every handle bit is used. */
static uint64_t spread(uint64_t index) {
    uint64_t x = index * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
    x ^= x >> 32;
    return x * 0x9e3779b97f4a7c15u;
}

tmu_result_t owner_start(market_t *market, owner_t *owner, lot_t *lot) {
    tmu_queue_attr_t attr = {
        .endpoint = owner->privileged ? TMU_ENDPOINT_ANY : owner->endpoint,
        .ring_log2 =
            owner->privileged ? PRIVILEGED_RING_LOG2 : RING_LOG2_LOW + lot_below(lot, RINGS),
        .commands_log2 = owner->privileged ? 3 : 1 + lot_below(lot, SHARES),
    };
    owner->lot.state = lot_draw(lot);
    owner->state = OWNER_LIVES;
    /* Up to the whole ring, so that commands wait for room in it now and then. */
    owner->lazy = 1 + lot_below(lot, 1u << (owner->privileged ? RING_LOG2_LOW : attr.ring_log2));
    owner->until = 0;
    traffic_start(&owner->traffic, lot);
    tmu_result_t result = page_open(&owner->page, market->device, &attr);
    if (result == TMU_ERR_BUSY) { /* no such share is free in one piece */
        attr.commands_log2 = 1;
        result = page_open(&owner->page, market->device, &attr);
    }
    if (result == TMU_OK) {
        owner->window = page_share(&owner->page);
    }
    return result;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static tmu_result_t send(market_t *market, owner_t *owner, const operation_t *op, bool again) {
    const tmu_result_t result = page_send(&owner->page, op);
    if (result != TMU_OK) {
        return result;
    }
    owner->order++;
    owner->flights[owner->flight_count++] =
        (flight_t){op->handle, op->endpoint, op->key.source, op->opcode, again};
    if (!again && !ledger_sent(market->ledger, op->handle, op->endpoint,
                               op->opcode == TMU_OPCODE_ARRIVE, op)) {
        return tmu_raw_error(TMU_ERR_MEMORY, "the ledger is full");
    }
    market->handles += !again;
    return TMU_OK;
}

static void number(const market_t *market, const owner_t *owner, operation_t *op) {
    op->handle = spread(market->handles + 1);
    op->order = owner->order;
    op->privileged = owner->privileged;
}

/* Bit n: source n has an arrival at the endpoint in flight or held back. */
static uint32_t busy_sources(const owner_t *owner, uint32_t endpoint) {
    uint32_t busy = 0;
    for (uint32_t i = 0; i < owner->flight_count; i++) {
        if (owner->flights[i].opcode == TMU_OPCODE_ARRIVE &&
            owner->flights[i].endpoint == endpoint) {
            busy |= 1u << owner->flights[i].source;
        }
    }
    for (uint32_t i = 0; i < owner->held_count; i++) {
        if (owner->held[i].endpoint == endpoint) {
            busy |= 1u << owner->held[i].key.source;
        }
    }
    return busy;
}

/* Tries a held arrival again; TMU_AGAIN if none is to be tried now, or the bus is full. */
static tmu_result_t ask_again(market_t *market, owner_t *owner) {
    const uint32_t index = lot_below(&owner->lot, owner->held_count);
    operation_t op = owner->held[index];
    if (market->owners[op.endpoint].state != OWNER_LIVES ||
        market->owners[op.endpoint].flushes > 0) {
        return TMU_AGAIN;
    }
    operation_t *kept = ledger_again(market->ledger, op.handle);
    if (!kept) {
        return TMU_AGAIN;
    }
    op.order = kept->order = owner->order;
    tmu_result_t result = send(market, owner, &op, true);
    if (result == TMU_OK) {
        owner->held[index] = owner->held[--owner->held_count];
        market->held--;
    } else {
        tmu_completion_t stalled = {
            .opcode = op.opcode, .status = TMU_STATUS_STALLED, .handle = op.handle};
        ledger_take(market->ledger, &stalled); /* as before */
    }
    return result;
}

/* Whether the privileged page may ask that now. */
static bool may_inject(const market_t *market, const owner_t *owner, const operation_t *op) {
    const owner_t *other = &market->owners[op->endpoint];
    if (other->state != OWNER_LIVES || other->flushes > 0) {
        return false;
    }
    return op->opcode != TMU_OPCODE_ARRIVE ||
           (owner->held_count + owner->flight_count < OWNER_HELD &&
            (busy_sources(owner, op->endpoint) >> op->key.source & 1) == 0);
}

/* An operation of the privileged page at anybody's endpoint, or at one that is not there (R13). */
static bool inject(market_t *market, owner_t *owner, operation_t *op) {
    lot_t *lot = &owner->lot;
    const operation_t first = owner->first;
    owner->first.opcode = 0;
    if (first.opcode != 0) {
        traffic_answer(&first, lot, market->injected++, op);
        return may_inject(market, owner, op);
    }
    *op = (operation_t){.endpoint = lot_below(lot, market->endpoints)};
    traffic_inject(&market->owners[op->endpoint].traffic, lot, market->injected++, op);
    if (!may_inject(market, owner, op)) {
        return false;
    }
    if (lot_chance(lot, 8)) {
        op->endpoint = market->endpoints + lot_below(lot, 3);
    } else if (op->opcode == TMU_OPCODE_ARRIVE || op->opcode == TMU_OPCODE_POST) {
        owner->first = *op;
    }
    return true;
}

/* Ring entries that are free as far as the unit knows. */
static uint32_t ring_room(const owner_t *owner) {
    const uint32_t used = page_unannounced(&owner->page) + owner->flight_count;
    const uint32_t ring = page_ring(&owner->page);
    return used < ring ? ring - used : 0;
}

/* Receives and messages that an endpoint has, as far as answers tell. */
static uint32_t entries_of(const market_t *market, uint32_t endpoint) {
    const tmu_depth_t entries = ledger_entries(market->ledger, endpoint);
    return entries.posted + entries.unexpected;
}

/* Operations in flight at an endpoint: each may become an entry. */
static uint32_t flights_at(const owner_t *owner, uint32_t endpoint) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < owner->flight_count; i++) {
        count += owner->flights[i].endpoint == endpoint;
    }
    return count;
}

/* Whether the privileged page has a flush of an endpoint in flight. */
static bool is_swept(const market_t *market, uint32_t endpoint) {
    const owner_t *privileged = &market->owners[market->endpoints];
    for (uint32_t i = 0; privileged->flushes > 0 && i < privileged->flight_count; i++) {
        if (privileged->flights[i].opcode == TMU_OPCODE_FLUSH &&
            privileged->flights[i].endpoint == endpoint) {
            return true;
        }
    }
    return false;
}

/* Nothing may take the room in the ring that are for what a flush reports, or add to them; the
 * privileged page keeps some for what it asks behind one. */
static bool waits_for_flush(const market_t *market, const owner_t *owner) {
    return !owner->privileged && (owner->flushes > 0 || is_swept(market, owner->endpoint));
}

/* Whether a flush's reports surely fit: nobody injects anything until it is answered. */
static bool flush_fits(const market_t *market, const owner_t *owner, uint32_t endpoint) {
    const owner_t *privileged = &market->owners[market->endpoints];
    const uint32_t most = entries_of(market, endpoint) +
                          flights_at(&market->owners[endpoint], endpoint) +
                          flights_at(privileged, endpoint) + judge_waiting(market->judge, endpoint);
    const uint32_t behind = owner->privileged ? owner->window : 1;
    return owner->flushes == 0 && most + behind <= ring_room(owner);
}

tmu_result_t owner_flush(market_t *market, owner_t *owner, uint32_t endpoint) {
    operation_t op = {.endpoint = endpoint,
                      .opcode = TMU_OPCODE_FLUSH,
                      .key = {.ignore = UINT64_MAX, .source_ignore = UINT32_MAX}};
    if (owner->flight_count >= owner->window) {
        return TMU_AGAIN;
    }
    if (page_unannounced(&owner->page) > 0 && page_announce(&owner->page) != TMU_OK) {
        return TMU_AGAIN;
    }
    if (!flush_fits(market, owner, endpoint)) {
        return TMU_AGAIN;
    }
    number(market, owner, &op);
    const tmu_result_t result = send(market, owner, &op, false);
    owner->flushes += result == TMU_OK;
    return result;
}

/* Whether pairs that others met have left something over. */
static bool is_left_over(const market_t *market, owner_t *owner) {
    return owner->traffic.owed == 0 && owner->flight_count == 0 &&
           lot_chance(&owner->lot, SWEEPS) && entries_of(market, owner->endpoint) > 0;
}

/* Removes what is left over at an endpoint whose own ring is too small for that. */
static tmu_result_t sweep(market_t *market, owner_t *privileged) {
    const uint32_t endpoint = lot_below(&privileged->lot, market->endpoints);
    const owner_t *owner = &market->owners[endpoint];
    if (owner->state != OWNER_LIVES || owner->flushes > 0 || owner->flight_count > 0 ||
        owner->traffic.owed > 0 || entries_of(market, endpoint) < page_ring(&owner->page)) {
        return TMU_OK;
    }
    const tmu_result_t result = owner_flush(market, privileged, endpoint);
    return result == TMU_AGAIN ? TMU_OK : result;
}

/* At low tide nobody begins anything while the tables are nearly full: once most entries go to
 * memory all wait for it, and so go on filling it. */
static bool is_crowded(const market_t *market) {
    const ledger_counts_t counts = ledger_counts(market->ledger);
    return market->ebb ||
           (market->tide == TIDE_LOW && counts.left + counts.waiting / 2 > market->crowd);
}

/* Draws the next operation; false if there is none this time. */
static bool draw(market_t *market, owner_t *owner) {
    operation_t *op = &owner->drawn;
    if (owner->privileged) {
        return inject(market, owner, op);
    }
    const uint32_t busy = owner->stalls ? busy_sources(owner, owner->endpoint) : 0;
    if (is_left_over(market, owner)) {
        *op = (operation_t){.endpoint = owner->endpoint, .opcode = TMU_OPCODE_FLUSH};
        return true;
    }
    traffic_draw(&owner->traffic, &owner->lot, market->tide, busy, op);
    op->endpoint = owner->endpoint;
    return true;
}

static tmu_result_t ask_new(market_t *market, owner_t *owner) {
    owner->has_drawn = owner->has_drawn || draw(market, owner);
    if (!owner->has_drawn) {
        return TMU_OK;
    }
    if (owner->privileged && owner->drawn.endpoint < market->endpoints &&
        !may_inject(market, owner, &owner->drawn)) {
        owner->has_drawn = false;
        return TMU_OK;
    }
    if (owner->drawn.opcode == TMU_OPCODE_FLUSH) {
        owner->has_drawn = false;
        const tmu_result_t result = owner_flush(market, owner, owner->endpoint);
        return result == TMU_AGAIN ? TMU_OK : result;
    }
    number(market, owner, &owner->drawn);
    const tmu_result_t result = send(market, owner, &owner->drawn, false);
    owner->has_drawn = result == TMU_AGAIN;
    return result;
}

/* Some at once; a pair is begun only where it can be ended, so that the tables are not full of
 * halves. */
static tmu_result_t ask_some(market_t *market, owner_t *owner) {
    traffic_t *traffic = &owner->traffic;
    const bool crowded = is_crowded(market);
    uint32_t tries = 1 + lot_below(&owner->lot, owner->window);
    tmu_result_t result = TMU_OK;
    if (crowded && !owner->privileged) {
        traffic->target = 0;
        if (is_left_over(market, owner)) {
            result = owner_flush(market, owner, owner->endpoint);
        }
        if (result != TMU_OK || traffic->owed == 0) {
            return TMU_OK;
        }
    }
    if (crowded && owner->privileged) {
        result = sweep(market, owner);
    }
    while (result == TMU_OK && owner->flight_count < owner->window &&
           !waits_for_flush(market, owner)) {
        const bool ends = traffic->owed > traffic->target && !owner->privileged;
        if (!ends && (crowded || tries == 0 || owner->flight_count + 2 > owner->window)) {
            break;
        }
        tries -= tries > 0;
        result = ask_new(market, owner);
    }
    return result;
}

static tmu_result_t say_read(owner_t *owner) {
    const uint32_t unannounced = page_unannounced(&owner->page);
    const bool stuck = unannounced + owner->flight_count >= page_ring(&owner->page);
    if (unannounced == 0 ||
        (unannounced < owner->lazy && !(stuck && lot_chance(&owner->lot, STUCK)))) {
        return TMU_OK;
    }
    return page_announce(&owner->page);
}

tmu_result_t owner_ask(market_t *market, owner_t *owner, uint64_t now) {
    tmu_result_t result = say_read(owner);
    if (result != TMU_OK || owner->until > now || waits_for_flush(market, owner)) {
        return result;
    }
    if (owner->held_count > 0 && owner->flight_count < owner->window &&
        (market->lifted ||
         (!market->closing && !market->ebb && lot_chance(&owner->lot, AGAIN_OF_1024)))) {
        result = ask_again(market, owner);
        if (result != TMU_OK && result != TMU_AGAIN) {
            return result;
        }
    }
    if (market->closing || (market->ebb && owner->privileged)) {
        return TMU_OK;
    }
    if (lot_chance(&owner->lot, RESTS) && !owner->privileged) {
        owner->until = now + lot_below(&owner->lot, REST_CLOCKS);
    }
    return ask_some(market, owner);
}

static void forget(market_t *market, owner_t *owner) {
    market->held -= owner->held_count;
    owner->flight_count = 0;
    owner->held_count = 0;
    owner->flushes = 0;
    owner->has_drawn = false;
    traffic_forget(&owner->traffic);
}

void owner_bury(market_t *market, owner_t *owner) {
    uint64_t handles[OWNER_WINDOW];
    for (uint32_t i = 0; i < owner->flight_count; i++) {
        handles[i] = owner->flights[i].handle;
    }
    const uint32_t executed =
        judge_unseen(market->judge, owner->endpoint, handles, owner->flight_count);
    for (uint32_t i = 0; i < owner->flight_count; i++) {
        if (i >= executed || ledger_find(market->ledger, handles[i])) { /* it may have stalled */
            ledger_drop(market->ledger, handles[i]);
        }
    }
    for (uint32_t i = 0; i < owner->held_count; i++) {
        ledger_drop(market->ledger, owner->held[i].handle);
    }
    forget(market, owner);
}

void owner_forget(market_t *market, owner_t *owner) { forget(market, owner); }
