/* SPDX-License-Identifier: Apache-2.0 */
#include "reach.h"

#define ENDPOINT_PARITY 1 /* the bit of lanes and whole entries that is their endpoint's own */
#define SLOT_SHIFT 2      /* of a lane: above both bits of parity */

/** Bits of a slot's number: the word of a free slot is the number and a bit of parity. */
static tmu_result_t query_slot(tmu_t *device, tmu_fault_t place, uint32_t *bits) {
    uint32_t width = 0;
    tmu_result_t result = tmu_fault_inject(device, place, TMU_FAULT_SELECT_BIT_MASK, &width);
    *bits = width > 0 ? width - 1 : 0;
    return result;
}

tmu_result_t reach_query(tmu_t *device, const tmu_info_t *info, reach_t *reach) {
    *reach = (reach_t){0};
    while (info->endpoints > UINT32_C(1) << reach->endpoint_bits) {
        reach->endpoint_bits++;
    }
    tmu_result_t result = query_slot(device, TMU_FAULT_POSTED_SLOTS, &reach->posted_slot_bits);
    if (result == TMU_OK) {
        result = query_slot(device, TMU_FAULT_UNEXPECTED_SLOTS, &reach->unexpected_slot_bits);
    }
    return result;
}

/** Nobody can tell whose the word was. */
static bool is_endpoint(const reach_t *reach, uint32_t bit, uint32_t width) {
    return bit == ENDPOINT_PARITY || bit + reach->endpoint_bits >= width;
}

static uint32_t lane_limit(const reach_t *reach, uint32_t bit, uint32_t width, uint32_t slot_bits) {
    if (is_endpoint(reach, bit, width)) {
        return REACH_ALL;
    }
    /* With a flipped slot its owner reads another's entry, and the unit withholds both: it does not
     * tell this lane from one whose endpoint was flipped.  The other one has lost nothing. */
    return bit >= SLOT_SHIFT && bit < SLOT_SHIFT + slot_bits ? 2 : 1;
}

uint32_t reach_limit(const reach_t *reach, tmu_fault_t place, uint32_t bit, uint32_t width) {
    switch (place) {
    case TMU_FAULT_POSTED_LANES:
        return lane_limit(reach, bit, width, reach->posted_slot_bits);
    case TMU_FAULT_UNEXPECTED_LANES:
        return lane_limit(reach, bit, width, reach->unexpected_slot_bits);
    case TMU_FAULT_POSTED_STORE:
    case TMU_FAULT_UNEXPECTED_STORE:
        return is_endpoint(reach, bit, width) ? REACH_ALL : 1;
    /* Read for the endpoint by whose number they are found, which is not in the word; entries in
     * memory by the list of their endpoint. */
    case TMU_FAULT_POST_TALLIES:
    case TMU_FAULT_ARRIVAL_TALLIES:
    case TMU_FAULT_POSTED_QUOTAS:
    case TMU_FAULT_UNEXPECTED_QUOTAS:
    case TMU_FAULT_MARKS:
    case TMU_FAULT_ENTRIES:
        return 1;
    /* Made up for. */
    case TMU_FAULT_POSTED_SLOTS:
    case TMU_FAULT_UNEXPECTED_SLOTS:
    case TMU_FAULT_POSTED_FILTERS:
    case TMU_FAULT_UNEXPECTED_FILTERS:
    case TMU_FAULT_FREE_CHUNKS:
    case TMU_FAULT_WORDS:
    case TMU_FAULT_WORD_TAGS:
        return 0;
    /* Memory has failed, for whoever needs it. */
    case TMU_FAULT_CHUNK_LINKS:
    case TMU_FAULT_CHUNK_LIVES:
    case TMU_FAULT_LISTS:
    case TMU_FAULT_ANSWERED:
        return REACH_ALL;
    }
    return 0; /* a place that is none flips nothing */
}
