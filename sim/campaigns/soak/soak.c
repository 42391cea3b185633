/* SPDX-License-Identifier: Apache-2.0 */
#include "soak.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TURN_CLOCKS 48
#define PATIENCE_CLOCKS 1000000 /* without an answer; then something hangs */
#define PACE_TURNS 256
#define PACE_ENDPOINTS 40 /* that do one operation a turn; with pauses it is twice that */
#define EBB_TURNS 20000
#define TIDE_FIRST 20000 /* operations */
#define PROGRESS_EVERY 1000000
#define LEDGER_ROOM 32768

static bool failed(soak_t *soak, const char *what) {
    (void)snprintf(soak->error, sizeof soak->error, "%s: %s", what,
                   tmu_error_text(soak->market.device));
    return false;
}

bool soak_open(soak_t *soak, tmu_t *device, const soak_shape_t *shape, FILE *report) {
    market_t *market = &soak->market;
    *soak = (soak_t){.shape = *shape, .lot = lot_seeded(shape->seed)};
    if (tmu_query(device, &soak->info) != TMU_OK) {
        return failed(soak, "query");
    }
    const uint32_t endpoints = soak->info.endpoints;
    *market =
        (market_t){.device = device,
                   .endpoints = endpoints,
                   .crowd = (soak->info.posted_entries + soak->info.unexpected_entries) / 4 * 3,
                   .canary = shape->canary,
                   .canary_kind = shape->canary_kind};
    market->ledger = ledger_create(&(ledger_shape_t){.endpoints = endpoints,
                                                     .room = LEDGER_ROOM,
                                                     .op_bytes = sizeof(operation_t),
                                                     .report = report});
    market->owners = calloc(endpoints + 1, sizeof *market->owners);
    if (market->ledger) {
        market->judge = judge_create(endpoints, market->ledger, report);
    }
    if (!market->ledger || !market->owners || !market->judge) {
        (void)snprintf(soak->error, sizeof soak->error, "no memory for %" PRIu32 " owners",
                       endpoints);
        return false;
    }
    if (tmu_spill_add(device, shape->segments) != TMU_OK) {
        return failed(soak, "memory");
    }
    for (uint32_t i = 0; i <= endpoints; i++) {
        owner_t *owner = &market->owners[i];
        owner->endpoint = i;
        owner->privileged = i == endpoints;
        owner->stalls = owner->privileged;
        if (events_welcome(soak, owner) != TMU_OK) {
            return failed(soak, "queue");
        }
    }
    soak->next_tide = shape->flood ? UINT64_MAX : TIDE_FIRST;
    market->tide = shape->flood ? TIDE_FLOOD : TIDE_LOW;
    soak->next_kill = shape->kill_every ? shape->kill_every : UINT64_MAX;
    soak->next_reset = shape->reset_every ? shape->reset_every : UINT64_MAX;
    soak->next_limit = shape->limit_every ? shape->limit_every : UINT64_MAX;
    return true;
}

void soak_close(soak_t *soak) {
    judge_destroy(soak->market.judge);
    ledger_destroy(soak->market.ledger);
    free(soak->market.owners);
}

/* Each has its turn at being first; who finds the bus full is the first of the next turn. */
static tmu_result_t everybody_asks(soak_t *soak) {
    market_t *market = &soak->market;
    const uint32_t all = market->endpoints + 1;
    const uint64_t now = tmu_clock(market->device);
    const uint32_t first = soak->turn;
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t who = first + i < all ? first + i : first + i - all;
        owner_t *owner = &market->owners[who];
        if (owner->state != OWNER_LIVES) {
            continue;
        }
        const tmu_result_t result = owner_ask(market, owner, now);
        if (result == TMU_AGAIN) {
            soak->turn = who;
            return TMU_OK;
        }
        if (result != TMU_OK) {
            return result;
        }
    }
    soak->turn = (first + 1) % all;
    return TMU_OK;
}

static tmu_result_t let_run(soak_t *soak) {
    tmu_t *device = soak->market.device;
    const uint64_t end = tmu_clock(device) + TURN_CLOCKS;
    tmu_result_t result = TMU_OK;
    for (uint64_t now = end - TURN_CLOCKS; now < end && result == TMU_OK; now = tmu_clock(device)) {
        result = tmu_progress(device, (unsigned)(end - now));
    }
    return result;
}

static uint64_t in_flight(const soak_t *soak) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= soak->market.endpoints; i++) {
        sum += soak->market.owners[i].flight_count;
    }
    return sum;
}

/* Something hangs if what is in flight has no answer for very long. */
static tmu_result_t watch(soak_t *soak) {
    const market_t *market = &soak->market;
    const uint64_t now = tmu_clock(market->device);
    if (market->answers != soak->seen || in_flight(soak) == 0) {
        soak->seen = market->answers;
        soak->answered = now;
    }
    return now - soak->answered <= PATIENCE_CLOCKS
               ? TMU_OK
               : tmu_raw_error(TMU_ERR_DEVICE,
                               "no answer in %d clocks, with %" PRIu64 " operations in flight",
                               PATIENCE_CLOCKS, in_flight(soak));
}

/* Queues that have gone to memory come back quickest when little is asked: after a tide, and when
 * little gets done, all come to rest once. */
static void ebb(soak_t *soak) {
    market_t *market = &soak->market;
    soak->ebbing = market->ebb ? soak->ebbing + 1 : 0;
    if (market->ebb && (in_flight(soak) == 0 || soak->ebbing == EBB_TURNS)) {
        market->ebb = false;
        soak->ebbs++;
    }
    if (soak->turns % PACE_TURNS != 0) {
        return;
    }
    market->ebb = market->ebb ||
                  (market->tide == TIDE_LOW &&
                   market->handles - soak->paced < market->endpoints / PACE_ENDPOINTS * PACE_TURNS);
    soak->paced = market->handles;
}

tmu_result_t soak_turn(soak_t *soak) {
    market_t *market = &soak->market;
    /* A device that answers within a turn has nothing on its way at the end of one. */
    const bool once_asked = lot_below(&soak->lot, 2) == 0;
    tmu_result_t result = everybody_asks(soak);
    if (result == TMU_OK && once_asked) {
        result = events_due(soak);
    }
    if (result == TMU_OK) {
        result = let_run(soak);
    }
    for (uint32_t i = 0; i <= market->endpoints && result == TMU_OK; i++) {
        if (market->owners[i].state == OWNER_LIVES) {
            result = owner_read(market, &market->owners[i]);
        }
    }
    soak->turns++;
    ebb(soak);
    soak->entries += ledger_counts(market->ledger).left;
    if (result == TMU_OK) {
        result = events_turn(soak);
    }
    if (result == TMU_OK && !once_asked) {
        result = events_due(soak);
    }
    return result == TMU_OK ? watch(soak) : result;
}

static void tell_progress(const soak_t *soak) {
    const judge_counts_t judged = judge_counts(soak->market.judge);
    (void)fprintf(stderr,
                  "tmu-soak: %" PRIu64 " operations, clock %" PRIu64 ", %" PRIu64
                  " stalls, %" PRIu64 " kills, %" PRIu64 " resets, %" PRIu64 " differences\n",
                  soak->market.handles, tmu_clock(soak->market.device), judged.stalls, soak->kills,
                  soak->resets, judged.differences);
}

static bool all_well(const soak_t *soak) {
    return judge_counts(soak->market.judge).differences == 0 &&
           ledger_complaints(soak->market.ledger) == 0;
}

/* Until nothing is in flight, and with `held` nothing held back either. */
static tmu_result_t rest(soak_t *soak, bool held) {
    tmu_result_t result = TMU_OK;
    while (result == TMU_OK && all_well(soak) &&
           (in_flight(soak) > 0 || !events_done(soak) || (held && soak->market.held > 0))) {
        result = soak_turn(soak);
    }
    return result;
}

static tmu_result_t empty(soak_t *soak) {
    market_t *market = &soak->market;
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; i < market->endpoints && result == TMU_OK; i++) {
        owner_t *owner = &market->owners[i];
        const tmu_depth_t entries = ledger_entries(market->ledger, i);
        if (entries.posted + entries.unexpected >=
            page_ring(&owner->page)) { /* its own ring is too small for that */
            owner = &market->owners[market->endpoints];
        }
        do {
            result = owner_flush(market, owner, i);
            if (result == TMU_AGAIN) {
                result = soak_turn(soak) == TMU_OK ? TMU_AGAIN : TMU_ERR_DEVICE;
            }
        } while (result == TMU_AGAIN && all_well(soak));
    }
    return result;
}

/* All that is left comes back. */
static tmu_result_t end(soak_t *soak) {
    market_t *market = &soak->market;
    market->closing = true;
    tmu_result_t result = rest(soak, false);
    if (result == TMU_OK) {
        result = events_lift(soak);
    }
    market->lifted = true;
    if (result == TMU_OK) {
        result = rest(soak, true);
    }
    if (result == TMU_OK && all_well(soak)) {
        result = empty(soak);
    }
    if (result == TMU_OK) {
        result = rest(soak, true);
    }
    judge_finish(market->judge);
    if (result == TMU_OK) {
        result = events_count(soak);
    }
    return result;
}

static bool is_empty(soak_t *soak) {
    const ledger_counts_t counts = ledger_counts(soak->market.ledger);
    tmu_spill_stats_t memory = {0};
    for (uint32_t i = 0; i < soak->market.endpoints; i++) {
        tmu_depth_t depth = {0};
        if (tmu_depth(soak->market.device, i, &depth) != TMU_OK) {
            return failed(soak, "depth");
        }
        if (depth.posted != 0 || depth.unexpected != 0) {
            (void)snprintf(soak->error, sizeof soak->error,
                           "endpoint %" PRIu32 " has %" PRIu32 " receives and %" PRIu32
                           " messages at the end (R14)",
                           i, depth.posted, depth.unexpected);
            return false;
        }
    }
    if (tmu_spill_stats(soak->market.device, &memory) != TMU_OK) {
        return failed(soak, "memory");
    }
    if (counts.left != 0 || counts.waiting != 0 || memory.chunks != memory.chunks_free) {
        (void)snprintf(soak->error, sizeof soak->error,
                       "at the end %" PRIu64 " entries did not come back, %" PRIu64
                       " operations have no answer, and %" PRIu32 " of %" PRIu32 " chunks are free",
                       counts.left, counts.waiting, memory.chunks_free, memory.chunks);
        return false;
    }
    return true;
}

bool soak_run(soak_t *soak) {
    tmu_result_t result = TMU_OK;
    uint64_t told = 0;
    while (result == TMU_OK && soak->market.handles < soak->shape.operations && all_well(soak)) {
        result = soak_turn(soak);
        if (soak->market.handles / PROGRESS_EVERY != told) {
            told = soak->market.handles / PROGRESS_EVERY;
            tell_progress(soak);
        }
    }
    if (result == TMU_OK && all_well(soak)) {
        result = end(soak);
    }
    if (result != TMU_OK) {
        return failed(soak, "operations");
    }
    return !all_well(soak) || is_empty(soak);
}
