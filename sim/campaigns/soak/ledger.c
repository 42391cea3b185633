/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_LOG2 16
#define PLACES (UINT32_C(1) << PLACES_LOG2)
#define MOST (PLACES / 2)
#define NOWHERE UINT32_MAX

typedef enum { FREE = 0, WAITING, QUEUED } state_t;

typedef struct line {
    operation_t op;
    state_t state;
    bool stalled; /* while it waits: it is to be asked again */
} line_t;

/* Open addressing; handles are spread over all bits, so their top bits are the place. */
struct ledger {
    line_t *lines;
    uint32_t used;
    uint32_t endpoints;
    uint32_t (*entries)[2]; /* by endpoint: receives, messages */
    FILE *report;
    uint64_t complaints;
    ledger_counts_t counts;
};

ledger_t *ledger_create(uint32_t endpoints, FILE *report) {
    ledger_t *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return NULL;
    *ledger = (ledger_t){.endpoints = endpoints, .report = report};
    ledger->lines = calloc(PLACES, sizeof *ledger->lines);
    ledger->entries = calloc(endpoints, sizeof *ledger->entries);
    if (ledger->lines && ledger->entries)
        return ledger;
    ledger_destroy(ledger);
    return NULL;
}

void ledger_destroy(ledger_t *ledger) {
    if (!ledger)
        return;
    free(ledger->lines);
    free(ledger->entries);
    free(ledger);
}

static uint32_t home(uint64_t handle) { return (uint32_t)(handle >> (64 - PLACES_LOG2)); }

/* Where a handle is, or NOWHERE. */
static uint32_t find(const ledger_t *ledger, uint64_t handle) {
    uint32_t place = home(handle);
    while (ledger->lines[place].state != FREE) {
        if (ledger->lines[place].op.handle == handle)
            return place;
        place = (place + 1) % PLACES;
    }
    return NOWHERE;
}

/* Closes the hole, so that whoever comes after it in the chain is found. */
static void erase(ledger_t *ledger, uint32_t hole) {
    uint32_t next = (hole + 1) % PLACES;
    while (ledger->lines[next].state != FREE) {
        const uint32_t wanted = home(ledger->lines[next].op.handle);
        if ((next - wanted) % PLACES >= (next - hole) % PLACES) {
            ledger->lines[hole] = ledger->lines[next];
            hole = next;
        }
        next = (next + 1) % PLACES;
    }
    ledger->lines[hole].state = FREE;
    ledger->used--;
}

/* Only the first complaint is told. */
static void complain(ledger_t *ledger, uint64_t handle, const char *what) {
    if (ledger->complaints++ == 0)
        (void)fprintf(ledger->report, "the ledger's first complaint\n  handle 0x%" PRIx64 " %s\n",
                      handle, what);
}

bool ledger_sent(ledger_t *ledger, const operation_t *op) {
    uint32_t place = home(op->handle);
    if (ledger->used == MOST)
        return false;
    while (ledger->lines[place].state != FREE) {
        if (ledger->lines[place].op.handle == op->handle)
            complain(ledger, op->handle, "was given out before");
        place = (place + 1) % PLACES;
    }
    ledger->lines[place] = (line_t){.op = *op, .state = WAITING};
    ledger->used++;
    ledger->counts.sent++;
    ledger->counts.waiting++;
    return true;
}

const operation_t *ledger_find(const ledger_t *ledger, uint64_t handle) {
    const uint32_t place = find(ledger, handle);
    return place != NOWHERE && ledger->lines[place].state == WAITING ? &ledger->lines[place].op
                                                                     : NULL;
}

bool ledger_again(ledger_t *ledger, uint64_t handle, uint64_t order) {
    const uint32_t place = find(ledger, handle);
    if (place == NOWHERE || !ledger->lines[place].stalled)
        return false;
    ledger->lines[place].stalled = false;
    ledger->lines[place].op.order = order;
    return true;
}

/* The entry that an answer names; NOWHERE, and a complaint, if it cannot be one. */
static uint32_t named(ledger_t *ledger, uint64_t handle, uint32_t endpoint, bool message) {
    const uint32_t place = find(ledger, handle);
    const line_t *line = &ledger->lines[place == NOWHERE ? 0 : place];
    const char *wrong = NULL;
    if (place == NOWHERE)
        wrong = "is of no entry: it came back before, or nobody gave it (R15)";
    else if (line->state != QUEUED)
        wrong = "was never queued (R15)";
    else if (line->op.endpoint != endpoint)
        wrong = "is of another endpoint (R13)";
    else if ((line->op.opcode == TMU_OPCODE_ARRIVE) != message)
        wrong = "is of the other queue";
    if (wrong)
        complain(ledger, handle, wrong);
    return wrong ? NOWHERE : place;
}

static void entry_leaves(ledger_t *ledger, uint64_t handle, uint32_t endpoint, bool message) {
    const uint32_t place = named(ledger, handle, endpoint, message);
    if (place == NOWHERE)
        return;
    ledger->counts.returned++;
    ledger->counts.left--;
    ledger->entries[endpoint][message]--;
    erase(ledger, place);
}

void ledger_take(ledger_t *ledger, const tmu_completion_t *c) {
    const bool arrival = c->opcode == TMU_OPCODE_ARRIVE;
    const uint32_t place = find(ledger, c->handle);
    if (place == NOWHERE || ledger->lines[place].state != WAITING) {
        complain(ledger, c->handle, "was answered before, or never sent (R15)");
        return;
    }
    const uint32_t endpoint = ledger->lines[place].op.endpoint;
    if (c->status == TMU_STATUS_STALLED) {
        ledger->lines[place].stalled = true;
        return;
    }
    if (c->status == TMU_STATUS_REMOVED) {
        entry_leaves(ledger, c->other, endpoint, c->unexpected);
        return;
    }
    ledger->counts.answered++;
    ledger->counts.waiting--;
    if (c->status == TMU_STATUS_QUEUED && endpoint < ledger->endpoints) {
        ledger->lines[place].state = QUEUED;
        ledger->counts.queued++;
        ledger->counts.left++;
        ledger->entries[endpoint][arrival]++;
        return;
    }
    erase(ledger, place);
    if (c->status == TMU_STATUS_MATCHED)
        entry_leaves(ledger, c->other, endpoint, !arrival);
    else if (c->status == TMU_STATUS_CANCELLED)
        entry_leaves(ledger, c->other, endpoint, false);
    else if (c->status == TMU_STATUS_FOUND)
        (void)named(ledger, c->other, endpoint, true);
}

void ledger_drop(ledger_t *ledger, uint64_t handle) {
    const uint32_t place = find(ledger, handle);
    if (place == NOWHERE || ledger->lines[place].state != WAITING) {
        complain(ledger, handle, "is dropped, and does not wait");
        return;
    }
    erase(ledger, place);
    ledger->counts.dropped++;
    ledger->counts.waiting--;
}

void ledger_reset(ledger_t *ledger) {
    memset(ledger->lines, 0, PLACES * sizeof *ledger->lines);
    memset(ledger->entries, 0, ledger->endpoints * sizeof *ledger->entries);
    ledger->used = 0;
    ledger->counts.let_go += ledger->counts.waiting;
    ledger->counts.forgotten += ledger->counts.left;
    ledger->counts.waiting = 0;
    ledger->counts.left = 0;
}

uint32_t ledger_entries(const ledger_t *ledger, uint32_t endpoint, bool arrived) {
    return ledger->entries[endpoint][arrived];
}

ledger_counts_t ledger_counts(const ledger_t *ledger) { return ledger->counts; }

uint64_t ledger_complaints(const ledger_t *ledger) { return ledger->complaints; }
