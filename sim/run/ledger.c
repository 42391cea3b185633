// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"

#include "describe.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ANSWERED = 1, QUEUED = 2, RETURNED = 4 };

/* An operation, and the entry that it became. */
typedef struct {
    uint32_t life; /* in which it was sent: one more than the resets before it; 0 = never */
    uint32_t bits;
} page_t;

typedef struct {
    uint32_t left[2]; /* entries: receives, messages */
    bool used;        /* an operation named it */
} account_t;

struct ledger {
    const workload_t *workload;
    FILE *report;
    page_t *pages; /* by place in the workload */
    uint32_t endpoints;
    uint32_t life;
    account_t *accounts; /* by endpoint */
    uint64_t waiting;    /* operations of this life that have no answer */
    uint64_t complaints;
    ledger_counts_t counts;
};

ledger_t *ledger_create(const workload_t *workload, uint32_t endpoints, FILE *report) {
    ledger_t *ledger = calloc(1, sizeof *ledger);
    if (ledger == NULL)
        return NULL;
    ledger->workload = workload;
    ledger->report = report;
    ledger->endpoints = endpoints;
    ledger->life = 1;
    ledger->pages = calloc(workload->count + 1, sizeof *ledger->pages);
    ledger->accounts = calloc(endpoints, sizeof *ledger->accounts);
    if (ledger->pages == NULL || ledger->accounts == NULL) {
        ledger_destroy(ledger);
        return NULL;
    }
    return ledger;
}

void ledger_destroy(ledger_t *ledger) {
    if (ledger == NULL)
        return;
    free(ledger->pages);
    free(ledger->accounts);
    free(ledger);
}

/* Only the first complaint is told, and of which operation it is. */
static void complain(ledger_t *ledger, size_t place, const char *what, uint64_t handle) {
    if (ledger->complaints++ != 0)
        return;
    (void)fprintf(ledger->report, "the ledger's first complaint\n  operation: ");
    describe_op(ledger->report, &ledger->workload->ops[place]);
    (void)fprintf(ledger->report, "\n  handle %" PRIu64 " %s\n", handle, what);
}

void ledger_sent(ledger_t *ledger, size_t place) {
    page_t *page = &ledger->pages[place];
    if (page->life != 0) {
        complain(ledger, place, "was sent before", ledger->workload->ops[place].id);
        return;
    }
    const uint32_t endpoint = ledger->workload->ops[place].endpoint;
    if (endpoint < ledger->endpoints)
        ledger->accounts[endpoint].used = true;
    page->life = ledger->life;
    ++ledger->waiting;
}

/* The page of the entry that a verdict names; NULL, and a complaint, if nobody can have it. */
static page_t *named(ledger_t *ledger, size_t by, bool message, uint64_t handle) {
    const workload_t *workload = ledger->workload;
    const size_t place = workload_find(workload, message, handle);
    const char *wrong = NULL;
    if (place == ID_MAP_NONE)
        wrong = "is of no entry (R15)";
    else if (ledger->pages[place].life != ledger->life)
        wrong = "is from before a reset (R14)";
    else if ((ledger->pages[place].bits & QUEUED) == 0)
        wrong = "was never queued";
    else if (workload->ops[place].endpoint != workload->ops[by].endpoint)
        wrong = "is of another endpoint (R13)";
    if (wrong != NULL)
        complain(ledger, by, wrong, handle);
    return wrong == NULL ? &ledger->pages[place] : NULL;
}

static void entry_leaves(ledger_t *ledger, size_t by, bool message, uint64_t handle) {
    page_t *page = named(ledger, by, message, handle);
    if (page == NULL)
        return;
    if ((page->bits & RETURNED) != 0) {
        complain(ledger, by, "was returned before", handle);
        return;
    }
    page->bits |= RETURNED;
    ++ledger->counts.returned;
    --ledger->accounts[ledger->workload->ops[by].endpoint].left[message];
}

static void queue(ledger_t *ledger, size_t place, bool message) {
    const tmu_trace_op_t *op = &ledger->workload->ops[place];
    if (op->endpoint >= ledger->endpoints) {
        complain(ledger, place, "is queued at an endpoint that is not there (R13)", op->id);
        return;
    }
    ledger->pages[place].bits |= QUEUED;
    ++ledger->counts.queued;
    ++ledger->accounts[op->endpoint].left[message];
}

void ledger_take(ledger_t *ledger, const tmu_completion_t *c) {
    const bool arrival = c->opcode == TMU_OPCODE_ARRIVE;
    const size_t place = workload_find(ledger->workload, arrival, c->handle);
    if (place == ID_MAP_NONE) {
        if (ledger->complaints++ == 0)
            (void)fprintf(ledger->report,
                          "the ledger's first complaint\n  an answer has the handle %" PRIu64
                          ", which no operation has (R15)\n",
                          c->handle);
        return;
    }
    page_t *page = &ledger->pages[place];
    if (page->life != ledger->life) {
        complain(ledger, place, "was not sent since the last reset (R14)", c->handle);
        return;
    }
    if ((page->bits & ANSWERED) != 0) {
        complain(ledger, place, "was answered before", c->handle);
        return;
    }
    if (c->status == TMU_STATUS_REMOVED) {
        entry_leaves(ledger, place, c->unexpected, c->other);
        return;
    }
    page->bits |= ANSWERED;
    ++ledger->counts.answered;
    --ledger->waiting;
    if (c->status == TMU_STATUS_QUEUED)
        queue(ledger, place, arrival);
    else if (c->status == TMU_STATUS_MATCHED)
        entry_leaves(ledger, place, !arrival, c->other);
    else if (c->status == TMU_STATUS_CANCELLED)
        entry_leaves(ledger, place, false, c->other);
    else if (c->status == TMU_STATUS_FOUND)
        (void)named(ledger, place, true, c->other);
}

void ledger_still(ledger_t *ledger, uint64_t held) {
    if (ledger->waiting != held && ledger->complaints++ == 0)
        (void)fprintf(ledger->report,
                      "the ledger's first complaint\n  %" PRIu64
                      " operations have no answer, and %" PRIu64 " are held back (R11)\n",
                      ledger->waiting, held);
}

bool ledger_knows(const ledger_t *ledger, uint32_t endpoint) {
    return ledger->accounts[endpoint].used;
}

void ledger_depth(ledger_t *ledger, uint32_t endpoint, const tmu_depth_t *depth) {
    const uint32_t *left = ledger->accounts[endpoint].left;
    if ((left[0] != depth->posted || left[1] != depth->unexpected) && ledger->complaints++ == 0)
        (void)fprintf(ledger->report,
                      "the ledger's first complaint\n  endpoint %" PRIu32 " has %" PRIu32
                      " receives and %" PRIu32 " messages left, its depths are %" PRIu32
                      " and %" PRIu32 "\n",
                      endpoint, left[0], left[1], depth->posted, depth->unexpected);
}

static uint64_t all_left(const ledger_t *ledger) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ledger->endpoints; ++i)
        sum += (uint64_t)ledger->accounts[i].left[0] + ledger->accounts[i].left[1];
    return sum;
}

void ledger_reset(ledger_t *ledger) {
    ++ledger->life;
    ledger->counts.forgotten += all_left(ledger);
    ledger->counts.let_go += ledger->waiting;
    ledger->waiting = 0;
    for (uint32_t i = 0; i < ledger->endpoints; ++i)
        ledger->accounts[i] = (account_t){.used = ledger->accounts[i].used};
}

ledger_counts_t ledger_counts(const ledger_t *ledger) {
    ledger_counts_t counts = ledger->counts;
    counts.left = all_left(ledger);
    return counts;
}

uint64_t ledger_complaints(const ledger_t *ledger) { return ledger->complaints; }
