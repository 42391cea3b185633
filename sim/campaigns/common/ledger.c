/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FREE = 0, WAITING, QUEUED, ANSWERED, RETURNED } state_t;

typedef struct line {
    uint64_t key;
    uint32_t endpoint;
    uint32_t life : 24; /* in which it was sent: the resets before it */
    uint32_t state : 3; /* state_t */
    uint32_t message : 1;
    uint32_t stalled : 1; /* while it waits: it is to be asked again */
} line_t;

typedef struct account {
    tmu_depth_t left; /* entries */
    bool used;        /* an operation named it */
} account_t;

/* Open addressing, in twice the room; lines that are kept lie at their keys. */
struct ledger {
    ledger_shape_t shape;
    line_t *lines;
    char *ops; /* the caller's bytes, by index of the line */
    uint32_t log2;
    uint32_t size;
    uint32_t used;
    uint32_t life;
    account_t *accounts; /* by endpoint */
    uint64_t complaints;
    ledger_counts_t counts;
};

ledger_t *ledger_create(const ledger_shape_t *shape) {
    ledger_t *ledger = calloc(1, sizeof *ledger);
    if (!ledger) {
        return NULL;
    }
    *ledger = (ledger_t){.shape = *shape, .log2 = 1, .size = shape->room + 1};
    if (!shape->keeps) {
        while (UINT32_C(1) << ledger->log2 < 2 * shape->room) {
            ledger->log2++;
        }
        ledger->size = UINT32_C(1) << ledger->log2;
    }
    ledger->lines = calloc(ledger->size, sizeof *ledger->lines);
    ledger->ops = calloc((size_t)ledger->size, shape->op_bytes + 1);
    ledger->accounts = calloc(shape->endpoints, sizeof *ledger->accounts);
    if (ledger->lines && ledger->ops && ledger->accounts) {
        return ledger;
    }
    ledger_destroy(ledger);
    return NULL;
}

void ledger_destroy(ledger_t *ledger) {
    if (!ledger) {
        return;
    }
    free(ledger->lines);
    free(ledger->ops);
    free(ledger->accounts);
    free(ledger);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static uint32_t home(const ledger_t *ledger, uint64_t key) {
    return ledger->shape.keeps ? (uint32_t)key
                               : (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - ledger->log2));
}

static uint32_t after(const ledger_t *ledger, uint32_t index) {
    return index + 1 == ledger->size ? 0 : index + 1;
}

static void *op_of(const ledger_t *ledger, uint32_t index) {
    return ledger->ops + (size_t)index * ledger->shape.op_bytes;
}

/* The index of a key's line, or of the free one where its search ends. */
static uint32_t seek(const ledger_t *ledger, uint64_t key) {
    uint32_t index = home(ledger, key);
    while (ledger->lines[index].state != FREE && ledger->lines[index].key != key) {
        index = after(ledger, index);
    }
    return index;
}

/* NULL when there is none. */
static line_t *find(const ledger_t *ledger, uint64_t key) {
    if (key == LEDGER_NO_KEY) {
        return NULL;
    }
    line_t *line = &ledger->lines[seek(ledger, key)];
    return line->state != FREE ? line : NULL;
}

/* A line that is done with stays, in its last state, or leaves: then the hole closes, so that the
 * rest of its chain is found. */
static void retire(ledger_t *ledger, line_t *line, state_t last) {
    line->state = last;
    if (ledger->shape.keeps) {
        return;
    }
    uint32_t hole = (uint32_t)(line - ledger->lines);
    const uint32_t mask = ledger->size - 1;
    for (uint32_t at = after(ledger, hole); ledger->lines[at].state != FREE;
         at = after(ledger, at)) {
        const uint32_t wanted = home(ledger, ledger->lines[at].key);
        if (((at - wanted) & mask) >= ((at - hole) & mask)) {
            ledger->lines[hole] = ledger->lines[at];
            memcpy(op_of(ledger, hole), op_of(ledger, at), ledger->shape.op_bytes);
            hole = at;
        }
    }
    ledger->lines[hole].state = FREE;
    ledger->used--;
}

/* Only the first complaint is told, and of which operation it is if that is known. */
static void complain(ledger_t *ledger, uint64_t by, uint64_t handle, const char *what) {
    const ledger_shape_t *shape = &ledger->shape;
    if (ledger->complaints++ != 0) {
        return;
    }
    (void)fprintf(shape->report, "the ledger's first complaint\n");
    if (shape->describe && by != LEDGER_NO_KEY) {
        (void)fprintf(shape->report, "  operation: ");
        shape->describe(shape->user, shape->report, by);
        (void)fprintf(shape->report, "\n");
    }
    if (shape->keeps && handle == LEDGER_NO_KEY) {
        (void)fprintf(shape->report, "  it %s\n", what);
    } else {
        (void)fprintf(shape->report,
                      shape->keeps ? "  handle %" PRIu64 " %s\n" : "  handle 0x%" PRIx64 " %s\n",
                      handle, what);
    }
}

/* ---- operations ----------------------------------------------------------------------------- */

bool ledger_sent(ledger_t *ledger, uint64_t key, uint32_t endpoint, bool message, const void *op) {
    if (ledger->used == ledger->shape.room) {
        return false;
    }
    const uint32_t index = seek(ledger, key);
    if (ledger->lines[index].state != FREE) {
        complain(ledger, key, ledger->shape.keeps ? LEDGER_NO_KEY : key, "was sent before");
        return true;
    }
    ledger->lines[index] = (line_t){.key = key,
                                    .endpoint = endpoint,
                                    .life = ledger->life & 0xffffff,
                                    .state = WAITING,
                                    .message = message};
    if (op) {
        memcpy(op_of(ledger, index), op, ledger->shape.op_bytes);
    }
    if (endpoint < ledger->shape.endpoints) {
        ledger->accounts[endpoint].used = true;
    }
    ledger->used++;
    ledger->counts.sent++;
    ledger->counts.waiting++;
    return true;
}

void *ledger_find(const ledger_t *ledger, uint64_t key) {
    const uint32_t index = seek(ledger, key);
    return ledger->lines[index].state == WAITING ? op_of(ledger, index) : NULL;
}

void *ledger_again(ledger_t *ledger, uint64_t key) {
    const uint32_t index = seek(ledger, key);
    if (ledger->lines[index].state != WAITING || !ledger->lines[index].stalled) {
        return NULL;
    }
    ledger->lines[index].stalled = false;
    return op_of(ledger, index);
}

void ledger_drop(ledger_t *ledger, uint64_t key) {
    line_t *line = find(ledger, key);
    if (!line || line->state != WAITING) {
        complain(ledger, key, key, "is dropped, and does not wait");
        return;
    }
    retire(ledger, line, ANSWERED);
    ledger->counts.dropped++;
    ledger->counts.waiting--;
}

/* ---- answers -------------------------------------------------------------------------------- */

static uint64_t key_of(const ledger_t *ledger, bool message, uint64_t handle) {
    const ledger_shape_t *shape = &ledger->shape;
    return shape->key ? shape->key(shape->user, message, handle) : handle;
}

static bool is_of_this_life(const ledger_t *ledger, const line_t *line) {
    return line && line->life == (ledger->life & 0xffffff);
}

/* Why there can be no answer of an operation; NULL if it waits for one. */
static const char *not_waiting(const ledger_t *ledger, uint64_t key, const line_t *line) {
    if (line && is_of_this_life(ledger, line) && line->state == WAITING) {
        return NULL;
    }
    return !ledger->shape.keeps             ? "was answered before, or never sent (R15)"
           : key == LEDGER_NO_KEY           ? "is of no operation (R15)"
           : !is_of_this_life(ledger, line) ? "was not sent since the last reset (R14)"
                                            : "was answered before";
}

/* The line of the entry that an answer names; NULL, and a complaint, if it cannot be one. */
static line_t *named(ledger_t *ledger, const line_t *by, bool message, uint64_t handle) {
    const bool keeps = ledger->shape.keeps;
    const uint64_t key = key_of(ledger, message, handle);
    line_t *line = find(ledger, key);
    const char *wrong = NULL;
    if (!line && (!keeps || key == LEDGER_NO_KEY)) {
        wrong = keeps ? "is of no entry (R15)"
                      : "is of no entry: it came back before, or nobody gave it (R15)";
    } else if (!is_of_this_life(ledger, line)) {
        wrong = "is from before a reset (R14)";
    } else if (line->state != QUEUED && line->state != RETURNED) {
        wrong = "was never queued (R15)";
    } else if (line->endpoint != by->endpoint) {
        wrong = "is of another endpoint (R13)";
    } else if (line->message != message) {
        wrong = "is of the other queue";
    }
    if (wrong) {
        complain(ledger, by->key, handle, wrong);
    }
    return wrong ? NULL : line;
}

static uint32_t *left_of(ledger_t *ledger, uint32_t endpoint, bool message) {
    tmu_depth_t *left = &ledger->accounts[endpoint].left;
    return message ? &left->unexpected : &left->posted;
}

/* `by` is a copy: lines move when one leaves. */
static void entry_leaves(ledger_t *ledger, line_t by, bool message, uint64_t handle) {
    line_t *line = named(ledger, &by, message, handle);
    if (!line) {
        return;
    }
    if (line->state == RETURNED) {
        complain(ledger, by.key, handle, "was returned before");
        return;
    }
    --*left_of(ledger, line->endpoint, message);
    ledger->counts.returned++;
    ledger->counts.left--;
    retire(ledger, line, RETURNED);
}

static void queue(ledger_t *ledger, line_t *line, uint64_t handle) {
    if (line->endpoint >= ledger->shape.endpoints) {
        complain(ledger, line->key, handle, "is queued at an endpoint that is not there (R13)");
        retire(ledger, line, ANSWERED);
        return;
    }
    line->state = QUEUED;
    ledger->counts.queued++;
    ledger->counts.left++;
    ++*left_of(ledger, line->endpoint, line->message);
}

void ledger_take(ledger_t *ledger, const tmu_completion_t *c) {
    const bool arrival = c->opcode == TMU_OPCODE_ARRIVE;
    const uint64_t key = key_of(ledger, arrival, c->handle);
    line_t *line = find(ledger, key);
    const char *wrong = not_waiting(ledger, key, line);
    if (wrong) {
        complain(ledger, key, c->handle, wrong);
        return;
    }
    const line_t by = *line;
    if (c->status == TMU_STATUS_STALLED) {
        line->stalled = true;
        return;
    }
    if (c->status == TMU_STATUS_REMOVED) {
        entry_leaves(ledger, by, c->unexpected, c->other);
        return;
    }
    ledger->counts.answered++;
    ledger->counts.waiting--;
    if (c->status == TMU_STATUS_QUEUED) {
        queue(ledger, line, c->handle);
        return;
    }
    retire(ledger, line, ANSWERED);
    if (c->status == TMU_STATUS_MATCHED) {
        entry_leaves(ledger, by, !arrival, c->other);
    } else if (c->status == TMU_STATUS_CANCELLED) {
        entry_leaves(ledger, by, false, c->other);
    } else if (c->status == TMU_STATUS_FOUND) {
        (void)named(ledger, &by, true, c->other);
    }
}

/* ---- sums ----------------------------------------------------------------------------------- */

void ledger_reset(ledger_t *ledger) {
    if (ledger->shape.keeps) {
        ledger->life++;
    } else {
        memset(ledger->lines, 0, ledger->size * sizeof *ledger->lines);
        ledger->used = 0;
    }
    for (uint32_t i = 0; i < ledger->shape.endpoints; i++) {
        ledger->accounts[i].left = (tmu_depth_t){0};
    }
    ledger->counts.let_go += ledger->counts.waiting;
    ledger->counts.forgotten += ledger->counts.left;
    ledger->counts.waiting = 0;
    ledger->counts.left = 0;
}

void ledger_still(ledger_t *ledger, uint64_t held) {
    if (ledger->counts.waiting != held && ledger->complaints++ == 0) {
        (void)fprintf(ledger->shape.report,
                      "the ledger's first complaint\n  %" PRIu64
                      " operations have no answer, and %" PRIu64 " are held back (R11)\n",
                      ledger->counts.waiting, held);
    }
}

bool ledger_knows(const ledger_t *ledger, uint32_t endpoint) {
    return ledger->accounts[endpoint].used;
}

tmu_depth_t ledger_entries(const ledger_t *ledger, uint32_t endpoint) {
    return ledger->accounts[endpoint].left;
}

void ledger_depth(ledger_t *ledger, uint32_t endpoint, const tmu_depth_t *depth) {
    const tmu_depth_t *left = &ledger->accounts[endpoint].left;
    if ((left->posted != depth->posted || left->unexpected != depth->unexpected) &&
        ledger->complaints++ == 0) {
        (void)fprintf(ledger->shape.report,
                      "the ledger's first complaint\n  endpoint %" PRIu32 " has %" PRIu32
                      " receives and %" PRIu32 " messages left, its depths are %" PRIu32
                      " and %" PRIu32 "\n",
                      endpoint, left->posted, left->unexpected, depth->posted, depth->unexpected);
    }
}

ledger_counts_t ledger_counts(const ledger_t *ledger) { return ledger->counts; }

uint64_t ledger_complaints(const ledger_t *ledger) { return ledger->complaints; }
