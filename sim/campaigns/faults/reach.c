/* SPDX-License-Identifier: Apache-2.0 */
#include "reach.h"

#define ENDPOINT_PARITY 1 /* the bit of lanes and whole entries that is their endpoint's own */

/* Nobody can tell whose the word was. */
static bool is_endpoint(uint32_t endpoints, uint32_t bit, uint32_t width) {
    uint32_t endpoint_bits = 0;
    while (endpoints > UINT32_C(1) << endpoint_bits) {
        endpoint_bits++;
    }
    return bit == ENDPOINT_PARITY || bit + endpoint_bits >= width;
}

uint32_t reach_limit(uint32_t endpoints, tmu_fault_t place, uint32_t bit, uint32_t width) {
    switch (place) {
    case TMU_FAULT_POSTED_LANES:
    case TMU_FAULT_UNEXPECTED_LANES:
    case TMU_FAULT_POSTED_STORE:
    case TMU_FAULT_UNEXPECTED_STORE:
        return is_endpoint(endpoints, bit, width) ? REACH_ALL : 1;
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
