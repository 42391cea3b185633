/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_STEP 256u /* of random tags; more than a short tag has */

static uint64_t ones(uint32_t bits) { return bits == 0 ? 0 : UINT64_MAX >> (64 - bits); }

static bool is_full(const tmu_info_t *unit) {
    return unit->match_bits == 64 && unit->tag_bits == 32 && unit->source_bits == 32 &&
           unit->handle_bits == 64 && unit->address_bits == 64 && unit->length_bits == 48;
}

static bool has_key(const tmu_trace_op_t *op) {
    return op->kind != TMU_TRACE_CANCEL && op->kind != TMU_TRACE_FLUSH;
}

static void set_key(tmu_trace_op_t *op, const tmu_key_t *key) { TMU_KEY_COPY(*op, *key); }

/* The key of an MPI form; false with the library's sentence when it has no room. */
static bool fit_mpi(tmu_trace_op_t *op, const tmu_info_t *unit) {
    tmu_key_t key;
    const int64_t source = op->source_ignore != 0 ? TMU_ANY_SOURCE : (int64_t)op->source;
    const int64_t tag = op->ignore != 0 ? TMU_ANY_TAG : (int32_t)(uint32_t)op->match;
    if (tmu_key_mpi_for(unit, (uint32_t)(op->match >> 32), source, tag, &key) != TMU_OK) {
        return false;
    }
    set_key(op, &key);
    return true;
}

/* Field of an operation that has no room, and the bits that the unit keeps of it; NULL: none. */
static const char *too_wide(tmu_trace_op_t *op, const tmu_info_t *unit, uint64_t *value_p,
                            uint32_t *bits_p) {
    const bool buffer = op->kind == TMU_TRACE_POST || op->kind == TMU_TRACE_ARRIVE;
    const uint64_t match = op->raw != 0 ? op->match | op->ignore : 0;
    const struct {
        const char *name;
        uint64_t value;
        uint32_t bits;
    } fields[] = {
        {"match", match, unit->match_bits},
        {"source", op->raw != 0 ? op->source : 0, unit->source_bits},
        {"bytes", buffer ? op->bytes : 0, unit->length_bits},
        {"msg", op->kind == TMU_TRACE_ARRIVE ? op->id : 0, unit->handle_bits},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        if (fields[i].value > ones(fields[i].bits)) {
            *value_p = fields[i].value;
            *bits_p = fields[i].bits;
            return fields[i].name;
        }
    }
    return NULL;
}

int fit_trace(workload_t *workload, const char *path, const tmu_info_t *unit, char *error,
              size_t error_size) {
    workload->address_mask = ones(unit->address_bits);
    if (is_full(unit)) {
        return 0;
    }
    workload->made = malloc((workload->count + 1) * sizeof *workload->made);
    if (!workload->made) {
        (void)snprintf(error, error_size, "no memory for the trace %s", path);
        return -1;
    }
    memcpy(workload->made, workload->ops, workload->count * sizeof *workload->made);
    workload->ops = workload->made;
    for (size_t i = 0; i < workload->count; ++i) {
        tmu_trace_op_t *op = &workload->made[i];
        uint64_t value = 0;
        uint32_t bits = 0;
        const char *name = too_wide(op, unit, &value, &bits);
        if (name) {
            (void)snprintf(error, error_size,
                           "%s:%" PRIu64 ": found %s %" PRIu64
                           ", expected one of the %u bits that the unit keeps of it",
                           path, op->line, name, value, bits);
            return -1;
        }
        if (has_key(op) && op->raw == 0 && !fit_mpi(op, unit)) {
            (void)snprintf(error, error_size, "%s:%" PRIu64 ": %s", path, op->line,
                           tmu_error_text(NULL));
            return -1;
        }
        if (op->source_ignore != 0) {
            op->source_ignore = (uint32_t)ones(unit->source_bits);
        }
    }
    return 0;
}

void fit_random(tmu_trace_op_t *op, const tmu_info_t *unit) {
    if (is_full(unit) || !has_key(op)) {
        return;
    }
    const uint64_t magnitude = ones(unit->tag_bits - 1);
    const bool negative = (op->match >> 31 & 1) != 0;
    uint64_t tag = op->match & INT32_MAX;
    if (tag > magnitude) {
        tag = tag / TAG_STEP & magnitude;
    }
    const uint64_t context = op->match >> 32 & ones(unit->match_bits - unit->tag_bits);
    const bool any_tag = op->raw == 0 && op->ignore != 0;
    op->match = context << unit->tag_bits | (negative ? magnitude + 1 : 0) | tag;
    op->ignore = any_tag ? magnitude : op->ignore & ones(unit->match_bits);
    op->source &= (uint32_t)ones(unit->source_bits);
    op->source_ignore &= (uint32_t)ones(unit->source_bits);
    op->bytes &= ones(unit->length_bits);
}

uint64_t fit_spread(uint64_t index, uint32_t bits) {
    uint64_t x = index * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
    return bits == 64 ? x ^ (x >> 32) : x & ones(bits); /* an odd factor: no two are the same */
}
