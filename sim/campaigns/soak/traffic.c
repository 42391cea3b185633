/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

#include <string.h>

#define LENGTH 64
/* Ids of receives: of the owner below, of the privileged page from here on. */
#define IDS_PRIVILEGED UINT32_C(0x80000)
#define IDS_PRIVILEGED_COUNT UINT32_C(0x7fff0)
#define TARGET_EVERY 300
#define TARGET_MOST 48
#define LOOKS_WITHIN 8 /* of 1,024 times, between the halves of a pair */
#define FLUSH_OF_65536 100

void traffic_start(traffic_t *traffic, lot_t *lot) {
    const uint32_t id = traffic->receive_id;
    *traffic = (traffic_t){
        .contexts = 1 + lot_below(lot, 3),
        .tags = 1 + lot_below(lot, 8),
        .any_source = lot_below(lot, 3) == 0 ? 512 : lot_below(lot, 100),
        .any_tag = lot_below(lot, 3) == 0 ? 256 : lot_below(lot, 60),
        .raw = lot_below(lot, 2) == 0 ? 0 : lot_below(lot, 60),
        .looks = 20 + lot_below(lot, 120),
        .posts_lead = lot_below(lot, 2) == 0,
        .receive_id = id,
    };
}

void traffic_forget(traffic_t *traffic) {
    traffic->owed = 0;
    traffic->left = 0;
}

static uint64_t draw_match(const traffic_t *traffic, lot_t *lot) {
    uint32_t tag = lot_below(lot, traffic->tags) * 256u;
    if (lot_chance(lot, 32)) {
        tag |= UINT32_C(0x80000000); /* negative: internal to a library (R2) */
    }
    return (uint64_t)lot_below(lot, traffic->contexts) << 32 | tag;
}

static void widen(const traffic_t *traffic, lot_t *lot, operation_t *op) {
    if (lot_chance(lot, traffic->any_source)) {
        op->key.source = 0;
        op->key.source_ignore = UINT32_MAX;
    }
    if (lot_chance(lot, traffic->any_tag)) {
        op->key.match &= ~(uint64_t)INT32_MAX;
        op->key.ignore = INT32_MAX;
    } else if (lot_chance(lot, traffic->raw)) {
        op->key.ignore = lot_draw(lot) & lot_draw(lot);
    }
}

static void take_all(operation_t *op) {
    op->key.match = 0;
    op->key.source = 0;
    op->key.ignore = UINT64_MAX;
    op->key.source_ignore = UINT32_MAX;
}

static void set_key(operation_t *op, const half_t *half) {
    op->key.match = half->match;
    op->key.source = half->source;
}

/* A target is small as a rule: the tables are for all endpoints together. */
static void set_target(traffic_t *traffic, lot_t *lot, tide_t tide) {
    const uint32_t kind = lot_below(lot, 100);
    traffic->tide = tide;
    traffic->left = 1 + lot_below(lot, TARGET_EVERY);
    if (kind < 88) {
        traffic->target = 0;
    } else if (kind < 98) {
        traffic->target = 1 + lot_below(lot, 3);
    } else {
        traffic->target = 3 + lot_below(lot, 8);
    }
    if (tide == TIDE_FLOOD) {
        traffic->target = lot_below(lot, TARGET_MOST);
    }
    if (tide == TIDE_HIGH && kind % 4 == 0) {
        traffic->target = 4 + lot_below(lot, kind % 16 == 0 ? TARGET_MOST - 4 : 8);
    }
}

static half_t pop(traffic_t *traffic, lot_t *lot) {
    const uint32_t index = lot_chance(lot, 700) ? 0 : lot_below(lot, traffic->owed);
    const half_t half = traffic->ahead[index];
    traffic->owed--;
    memmove(&traffic->ahead[index], &traffic->ahead[index + 1],
            (traffic->owed - index) * sizeof half);
    return half;
}

static uint32_t next_id(traffic_t *traffic) {
    traffic->receive_id = (traffic->receive_id + 1) % IDS_PRIVILEGED;
    return traffic->receive_id;
}

static void lead(traffic_t *traffic, lot_t *lot, operation_t *op) {
    half_t half = {draw_match(traffic, lot), lot_below(lot, TRAFFIC_SOURCES), 0};
    op->opcode = traffic->posts_lead ? TMU_OPCODE_POST : TMU_OPCODE_ARRIVE;
    set_key(op, &half);
    if (traffic->posts_lead) {
        half.receive_id = op->receive_id = next_id(traffic);
        widen(traffic, lot, op);
    }
    traffic->ahead[traffic->owed++] = half;
}

static void follow(traffic_t *traffic, lot_t *lot, operation_t *op) {
    const half_t half = pop(traffic, lot);
    set_key(op, &half);
    if (traffic->posts_lead && lot_chance(lot, 100)) {
        op->opcode = TMU_OPCODE_CANCEL;
        op->receive_id = half.receive_id;
    } else if (traffic->posts_lead) {
        op->opcode = TMU_OPCODE_ARRIVE;
        op->receive_id = half.receive_id; /* for `put_off`; an arrival has none */
    } else {
        op->opcode = lot_chance(lot, 200) ? TMU_OPCODE_CLAIM : TMU_OPCODE_POST;
        widen(traffic, lot, op);
        if (op->opcode == TMU_OPCODE_POST) {
            op->receive_id = next_id(traffic);
        }
    }
}

/* Changes nothing as a rule: a probe, or what comes too late. */
static void look(traffic_t *traffic, lot_t *lot, operation_t *op) {
    const uint32_t kind = lot_below(lot, 8);
    if (kind == 0) {
        op->opcode = TMU_OPCODE_CANCEL;
        op->receive_id = (traffic->receive_id - lot_below(lot, 16)) % IDS_PRIVILEGED;
        return;
    }
    op->opcode = kind == 1 ? TMU_OPCODE_CLAIM : TMU_OPCODE_PROBE;
    op->key.match = draw_match(traffic, lot);
    op->key.source = lot_below(lot, TRAFFIC_SOURCES);
    widen(traffic, lot, op);
}

/* Makes room for messages that are held back: a receive, or a claim, of anything. */
static void relieve(traffic_t *traffic, lot_t *lot, operation_t *op) {
    take_all(op);
    op->opcode = lot_chance(lot, 512) ? TMU_OPCODE_CLAIM : TMU_OPCODE_POST;
    if (op->opcode == TMU_OPCODE_POST) {
        op->receive_id = next_id(traffic);
    }
}

/* An arrival that may not be sent now is none; what would have followed it, or what it follows, is
 * as before. */
static void put_off(traffic_t *traffic, const operation_t *op) {
    if (traffic->posts_lead) {
        traffic->ahead[traffic->owed++] = (half_t){op->key.match, op->key.source, op->receive_id};
    } else {
        traffic->owed--;
    }
}

/* A cancel has no key. */
static void tidy(operation_t *op) {
    if (op->opcode == TMU_OPCODE_CANCEL) {
        op->key.match = op->key.ignore = 0;
        op->key.source = op->key.source_ignore = 0;
    }
}

void traffic_draw(traffic_t *traffic, lot_t *lot, tide_t tide, uint32_t busy, operation_t *op) {
    *op = (operation_t){.length = LENGTH / 2 + lot_below(lot, LENGTH)}; /* R12: some truncate */
    if (traffic->left-- == 0 || traffic->tide != tide) {
        set_target(traffic, lot, tide);
    }
    if (lot_below(lot, 65536) < FLUSH_OF_65536) {
        take_all(op);
        op->opcode = TMU_OPCODE_FLUSH;
        traffic->owed = 0;
    } else if (lot_chance(lot, traffic->owed <= traffic->target ? traffic->looks : LOOKS_WITHIN)) {
        look(traffic, lot, op);
    } else if (traffic->owed <= traffic->target) {
        if (traffic->owed == 0) {
            traffic->posts_lead = lot_below(lot, 2) == 0;
        }
        lead(traffic, lot, op);
    } else {
        follow(traffic, lot, op);
    }
    if (op->opcode == TMU_OPCODE_ARRIVE && (busy >> op->key.source & 1) != 0) {
        put_off(traffic, op);
        *op = (operation_t){.length = op->length};
        relieve(traffic, lot, op);
    }
    tidy(op);
}

void traffic_inject(const traffic_t *traffic, lot_t *lot, uint64_t number, operation_t *op) {
    op->length = LENGTH / 2 + lot_below(lot, LENGTH);
    op->key.match = draw_match(traffic, lot);
    op->key.source = TRAFFIC_SOURCES + lot_below(lot, TRAFFIC_SOURCES);
    const uint32_t kind = lot_below(lot, 8);
    op->opcode = kind < 3   ? TMU_OPCODE_ARRIVE
                 : kind < 6 ? TMU_OPCODE_POST
                 : kind < 7 ? TMU_OPCODE_PROBE
                            : TMU_OPCODE_CANCEL;
    if (op->opcode == TMU_OPCODE_POST) {
        op->receive_id = IDS_PRIVILEGED + (uint32_t)(number % IDS_PRIVILEGED_COUNT);
    } else if (op->opcode == TMU_OPCODE_CANCEL) {
        op->receive_id = traffic->receive_id;
    }
    tidy(op);
}

void traffic_answer(const operation_t *first, lot_t *lot, uint64_t number, operation_t *op) {
    *op = (operation_t){.endpoint = first->endpoint,
                        .key = {.match = first->key.match, .source = first->key.source},
                        .length = LENGTH / 2 + lot_below(lot, LENGTH)};
    if (first->opcode == TMU_OPCODE_POST) {
        op->opcode = TMU_OPCODE_ARRIVE;
    } else if (lot_below(lot, 2) == 0) {
        op->opcode = TMU_OPCODE_CLAIM;
    } else {
        op->opcode = TMU_OPCODE_POST;
        op->receive_id = IDS_PRIVILEGED + (uint32_t)(number % IDS_PRIVILEGED_COUNT);
    }
}
