/* SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    uint8_t opcode;
    const char *name; /* of the unit's counter of its answers */
} kinds[] = {
    {TMU_OPCODE_POST, "posts"},   {TMU_OPCODE_ARRIVE, "arrivals"}, {TMU_OPCODE_PROBE, "probes"},
    {TMU_OPCODE_CLAIM, "claims"}, {TMU_OPCODE_CANCEL, "cancels"},  {TMU_OPCODE_FLUSH, "flushes"},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static const struct {
    uint8_t opcode;
    uint8_t status;
    const char *name;
} verdicts[] = {
    {TMU_OPCODE_POST, TMU_STATUS_MATCHED, "post_matched"},
    {TMU_OPCODE_POST, TMU_STATUS_QUEUED, "post_queued"},
    {TMU_OPCODE_POST, TMU_STATUS_REFUSED_QUOTA, "post_refused"},
    {TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED, "arrive_matched"},
    {TMU_OPCODE_ARRIVE, TMU_STATUS_QUEUED, "arrive_queued"},
    {TMU_OPCODE_ARRIVE, TMU_STATUS_STALLED, "arrive_stalled"},
    {TMU_OPCODE_PROBE, TMU_STATUS_FOUND, "probe_found"},
    {TMU_OPCODE_CLAIM, TMU_STATUS_MATCHED, "claim_matched"},
    {TMU_OPCODE_CANCEL, TMU_STATUS_CANCELLED, "cancelled"},
    {TMU_OPCODE_CANCEL, TMU_STATUS_LATE, "cancel_late"},
};
#define VERDICTS (sizeof verdicts / sizeof verdicts[0])

_Static_assert(KINDS + VERDICTS + 3 <= COUNTS_NAMES, "room for every counter");

/* A card tells of a match whose bytes never came as `removed` (W7); a flush's entries are that. */
static uint8_t status_of(const tmu_completion_t *c) {
    const bool lost = c->status == TMU_STATUS_REMOVED && c->opcode != TMU_OPCODE_FLUSH;
    return lost ? TMU_STATUS_MATCHED : c->status;
}

void counts_answer(counts_t *counts, const tmu_completion_t *c) {
    if (c->opcode < COUNTS_OPCODES && c->status < COUNTS_STATUSES) {
        ++counts->answered[c->opcode][status_of(c)];
    }
    counts->truncated += c->truncated;
    counts->removed_posted += c->removed_posted;
    counts->removed_unexpected += c->removed_unexpected;
}

/* Verdicts on operations of one kind; a removed entry is not the flush's verdict. */
static uint64_t answers(const counts_t *counts, uint8_t opcode) {
    uint64_t sum = 0;
    for (unsigned status = 0; status < COUNTS_STATUSES; ++status) {
        if (status != TMU_STATUS_REMOVED) {
            sum += counts->answered[opcode][status];
        }
    }
    return sum;
}

size_t counts_expected(const counts_t *counts, tmu_counter_t expected[static COUNTS_NAMES]) {
    size_t n = 0;
    for (size_t i = 0; i < KINDS; ++i) {
        expected[n++] = (tmu_counter_t){kinds[i].name, answers(counts, kinds[i].opcode)};
    }
    for (size_t i = 0; i < VERDICTS; ++i) {
        expected[n++] = (tmu_counter_t){verdicts[i].name,
                                        counts->answered[verdicts[i].opcode][verdicts[i].status]};
    }
    expected[n++] = (tmu_counter_t){"truncated", counts->truncated};
    expected[n++] = (tmu_counter_t){"removed_posted", counts->removed_posted};
    expected[n++] = (tmu_counter_t){"removed_unexpected", counts->removed_unexpected};
    return n;
}

static void tell(FILE *report, size_t before, const char *what, const char *name, uint64_t found,
                 uint64_t expected, const char *more) {
    if (report) {
        (void)fprintf(report, "%s\"%s %s: found %" PRIu64 ", expected %" PRIu64 "%s\"",
                      before != 0 ? ", " : "", what, name, found, expected, more);
    }
}

static const tmu_counter_t *find(counts_reading_t reading, const char *name) {
    for (size_t i = 0; i < reading.count; ++i) {
        if (strcmp(reading.counters[i].name, name) == 0) {
            return &reading.counters[i];
        }
    }
    return NULL;
}

size_t counts_compare(const counts_t *counts, uint64_t held, counts_reading_t unit,
                      const counts_reading_t *before, FILE *report) {
    tmu_counter_t expected[COUNTS_NAMES];
    const size_t count = counts_expected(counts, expected);
    size_t differences = 0;
    for (size_t i = 0; i < count; ++i) {
        const tmu_counter_t *now = find(unit, expected[i].name);
        const tmu_counter_t *then = before ? find(*before, expected[i].name) : NULL;
        const uint64_t found = now ? now->value - (then ? then->value : 0) : UINT64_MAX;
        const bool others = before && now && found > expected[i].value;
        if (found != expected[i].value && !others) {
            tell(report, differences++, "the unit's counter", expected[i].name, found,
                 expected[i].value, before ? " at least" : "");
        }
    }
    for (size_t i = 0; i < KINDS; ++i) {
        uint64_t ended = answers(counts, kinds[i].opcode);
        if (kinds[i].opcode == TMU_OPCODE_ARRIVE) {
            ended += held - counts->answered[TMU_OPCODE_ARRIVE][TMU_STATUS_STALLED];
        }
        if (ended != counts->asked[kinds[i].opcode]) {
            tell(report, differences++, "answered", kinds[i].name, ended,
                 counts->asked[kinds[i].opcode], "");
        }
    }
    return differences;
}
