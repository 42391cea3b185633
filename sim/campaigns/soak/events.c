/* SPDX-License-Identifier: Apache-2.0 */
/* Events while all are at work: limits change, owners end, the unit is reset. */
#include "soak.h"

#define QUOTA_MOST 8
#define RESERVE_MOST 4 /* less 1 */
#define RESERVES_OF 12
#define UNNOTICED_CLOCKS 4000
#define TIDE_LOW_EVERY 400000
#define TIDE_HIGH_EVERY 6000

static uint64_t later(soak_t *soak, uint64_t every) {
    return every == 0 ? UINT64_MAX : soak->market.handles + 1 + lot_draw(&soak->lot) % (2 * every);
}

static owner_t *any_owner(soak_t *soak) {
    return &soak->market.owners[lot_below(&soak->lot, soak->market.endpoints)];
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Of an endpoint without a quota for messages arrivals cannot stall, and it stays so: its owner has
 * several of one source in flight. */
static uint32_t small(lot_t *lot) { return 1 + lot_below(lot, 1 + lot_below(lot, QUOTA_MOST)); }

static tmu_depth_t draw_quota(lot_t *lot, bool stalls) {
    return (tmu_depth_t){.posted = lot_below(lot, 3) == 0 ? 0 : small(lot),
                         .unexpected = stalls ? small(lot) : 0};
}

static tmu_result_t set_quota(soak_t *soak, const owner_t *owner, tmu_depth_t quota) {
    market_t *market = &soak->market;
    const tmu_result_t result =
        tmu_quota_set(market->device, owner->endpoint, quota.posted, quota.unexpected);
    const uint64_t orders[2] = {owner->order, market->owners[market->endpoints].order};
    judge_quota(market->judge, owner->endpoint, quota, orders);
    soak->quota_changes++;
    return result;
}

static uint32_t in_flight(const soak_t *soak, uint32_t endpoint) {
    const owner_t *privileged = &soak->market.owners[soak->market.endpoints];
    uint32_t count = soak->market.owners[endpoint].flight_count;
    for (uint32_t i = 0; i < privileged->flight_count; i++) {
        count += privileged->flights[i].endpoint == endpoint;
    }
    return count;
}

/* The unit may wait for ring space then, which only reading returns, and nobody reads while a
 * register is waited for: the driver has the same rule for depths. */
static bool flush_in_flight(const soak_t *soak) {
    for (uint32_t i = 0; i <= soak->market.endpoints; i++) {
        if (soak->market.owners[i].flushes > 0) {
            return true;
        }
    }
    return false;
}

static tmu_result_t change_limits(soak_t *soak) {
    const owner_t *owner = any_owner(soak);
    const uint32_t flights = in_flight(soak, owner->endpoint);
    if (owner->state != OWNER_LIVES || flush_in_flight(soak) ||
        (judge_is_between(soak->market.judge, owner->endpoint) && flights > 0)) {
        return TMU_OK;
    }
    soak->next_limit = later(soak, soak->shape.limit_every);
    if (lot_below(&soak->lot, 4) == 0) {
        /* Few have one, or all slots would be kept for those who do not use them. */
        const uint32_t most = lot_below(&soak->lot, RESERVES_OF) == 0 ? RESERVE_MOST : 1;
        const tmu_result_t result =
            tmu_reserve_set(soak->market.device, owner->endpoint, lot_below(&soak->lot, most),
                            lot_below(&soak->lot, most));
        soak->reserve_changes += result == TMU_OK;
        return result == TMU_ERR_INVALID ? TMU_OK : result; /* others have reserved too much */
    }
    soak->quota_under_way += flights > 0;
    return set_quota(soak, owner, draw_quota(&soak->lot, owner->stalls));
}

tmu_result_t events_lift(soak_t *soak) {
    const tmu_depth_t none = {0};
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; i < soak->market.endpoints && result == TMU_OK; i++) {
        result = set_quota(soak, &soak->market.owners[i], none);
    }
    return result;
}

/* ---- the end of an owner --------------------------------------------------------------------- */

static void kill_one(soak_t *soak) {
    owner_t *owner = any_owner(soak);
    /* The last answers may never be seen, so the model has to determine them. */
    if (owner->state != OWNER_LIVES || judge_is_between(soak->market.judge, owner->endpoint)) {
        return;
    }
    soak->next_kill = later(soak, soak->shape.kill_every);
    const bool at_once = lot_below(&soak->lot, 4) == 0;
    owner->state = OWNER_DEAD;
    owner->until =
        tmu_clock(soak->market.device) + (at_once ? 0 : lot_below(&soak->lot, UNNOTICED_CLOCKS));
    soak->kills++;
    soak->kills_in_flight += owner->flight_count + owner->held_count;
}

/* Takes the page away, as a kernel does: what had begun is executed, nothing else ever is.
 * Doorbells on their way arrive before that, or find the page disabled, and nobody else's. */
static tmu_result_t take_page(soak_t *soak, owner_t *owner) {
    market_t *market = &soak->market;
    const bool early = lot_below(&soak->lot, 2) == 0;
    tmu_result_t result = early ? page_settle(market->device) : TMU_OK;
    if (result == TMU_OK) {
        result = owner_read(market, owner);
    }
    if (result == TMU_OK) {
        result = page_stop(&owner->page);
    }
    if (result == TMU_OK) {
        result = owner_read(market, owner);
    }
    if (result == TMU_OK && !early) {
        result = page_settle(market->device);
    }
    if (result == TMU_OK) {
        result = page_close(&owner->page);
    }
    owner->state = OWNER_GONE;
    owner->flushes = 0; /* its own have left the unit with its page, or never began */
    return result;
}

tmu_result_t events_welcome(soak_t *soak, owner_t *owner) {
    if (owner->privileged) {
        return owner_start(&soak->market, owner, &soak->lot);
    }
    owner->stalls = lot_below(&soak->lot, 4) != 0;
    const tmu_result_t result = set_quota(soak, owner, draw_quota(&soak->lot, owner->stalls));
    return result == TMU_OK ? owner_start(&soak->market, owner, &soak->lot) : result;
}

/* R14: the flush has removed everything. */
static tmu_result_t inherit(soak_t *soak, owner_t *owner) {
    tmu_depth_t depth = {0};
    tmu_result_t result = tmu_depth(soak->market.device, owner->endpoint, &depth);
    if (result == TMU_OK && (depth.posted != 0 || depth.unexpected != 0)) {
        return tmu_raw_error(TMU_ERR_DEVICE,
                             "endpoint %u has %u receives and %u messages after a flush (R14)",
                             owner->endpoint, depth.posted, depth.unexpected);
    }
    owner_bury(&soak->market, owner);
    return result == TMU_OK ? events_welcome(soak, owner) : result;
}

static tmu_result_t follow(soak_t *soak, owner_t *owner) {
    market_t *market = &soak->market;
    tmu_result_t result = TMU_OK;
    switch (owner->state) {
    case OWNER_DEAD:
        return owner->until <= tmu_clock(market->device) ? take_page(soak, owner) : TMU_OK;
    case OWNER_GONE:
        result = owner_flush(market, &market->owners[market->endpoints], owner->endpoint);
        owner->state = result == TMU_OK ? OWNER_FLUSHING : OWNER_GONE;
        return result == TMU_AGAIN ? TMU_OK : result;
    case OWNER_FLUSHED:
        return flush_in_flight(soak) ? TMU_OK : inherit(soak, owner);
    default:
        return TMU_OK;
    }
}

/* ---- a reset --------------------------------------------------------------------------------- */

static tmu_result_t begin_again(soak_t *soak, owner_t *owner) {
    tmu_result_t result = TMU_OK;
    if (owner->state == OWNER_LIVES) {
        owner_forget(&soak->market, owner);
        return page_start(&owner->page);
    }
    if (owner->state == OWNER_DEAD) {
        result = page_close(&owner->page);
    }
    owner_forget(&soak->market, owner);
    return result == TMU_OK ? events_welcome(soak, owner) : result;
}

/* R14: whatever is on its way, nothing of it is there afterwards. */
static tmu_result_t reset(soak_t *soak) {
    market_t *market = &soak->market;
    soak->next_reset = later(soak, soak->shape.reset_every);
    soak->resets++;
    for (uint32_t i = 0; i <= market->endpoints; i++) {
        soak->reset_in_flight += market->owners[i].flight_count;
    }
    tmu_result_t result = events_count(soak);
    if (result == TMU_OK && lot_below(&soak->lot, 2) == 0) {
        result = page_settle(market->device); /* all doorbells are in the unit */
    }
    if (result == TMU_OK) {
        result = tmu_raw_reset(market->device);
    }
    if (result == TMU_OK) {
        result = page_settle(market->device); /* or find the pages closed */
    }
    /* Operations that were answered in time were executed, and are judged. */
    for (uint32_t i = 0; i <= market->endpoints && result == TMU_OK; i++) {
        if (market->owners[i].state < OWNER_GONE) {
            result = owner_read(market, &market->owners[i]);
        }
    }
    ledger_reset(market->ledger);
    if (result == TMU_OK && !judge_reset(market->judge)) {
        return tmu_raw_error(TMU_ERR_MEMORY, "no memory for a model");
    }
    for (uint32_t i = 0; i <= market->endpoints && result == TMU_OK; i++) {
        result = begin_again(soak, &market->owners[i]);
    }
    return result;
}

/* ---- what is due ----------------------------------------------------------------------------- */

bool events_done(const soak_t *soak) {
    for (uint32_t i = 0; i < soak->market.endpoints; i++) {
        if (soak->market.owners[i].state != OWNER_LIVES) {
            return false;
        }
    }
    return true;
}

const counter_row_t soak_counters[] = {
    {"commands", "commands"},
    {"completions", "completions"},
    {"disabled_drops", "disabled_drops"},
    {"queue_overruns", "queue_overruns"},
    {"ring_overruns", "ring_overruns"},
    {"malformed", "malformed"},
    {"refused_endpoint", "refused_endpoint"},
    {"spill_deferred", "spill_deferred"},
    {"spill_appended", "spill_appended"},
    {"spill_taken", "spill_taken"},
    {"spill_refilled", "spill_refilled"},
    {NULL, NULL},
};

tmu_result_t events_count(soak_t *soak) {
    return counter_set_add(&soak->counters, soak_counters, soak->market.device);
}

static void turn_tide(soak_t *soak) {
    market_t *market = &soak->market;
    market->tide = market->tide == TIDE_LOW ? TIDE_HIGH : TIDE_LOW;
    market->ebb = market->tide == TIDE_LOW;
    soak->tides += market->tide == TIDE_HIGH;
    soak->next_tide = later(soak, market->tide == TIDE_LOW ? TIDE_LOW_EVERY : TIDE_HIGH_EVERY);
}

tmu_result_t events_turn(soak_t *soak) {
    market_t *market = &soak->market;
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; i < market->endpoints && result == TMU_OK; i++) {
        result = follow(soak, &market->owners[i]);
    }
    return result;
}

tmu_result_t events_due(soak_t *soak) {
    market_t *market = &soak->market;
    tmu_result_t result = TMU_OK;
    if (market->closing) {
        return TMU_OK;
    }
    if (market->handles >= soak->next_tide) {
        turn_tide(soak);
    }
    if (market->handles >= soak->next_kill) {
        kill_one(soak);
    }
    if (market->handles >= soak->next_limit) {
        result = change_limits(soak);
    }
    if (result == TMU_OK && market->handles >= soak->next_reset) {
        result = reset(soak);
    }
    return result;
}
