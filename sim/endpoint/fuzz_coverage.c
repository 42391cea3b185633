/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_coverage.h"

#include <stdint.h>

static bool reached[FUZZ_EDGES];
static size_t edges;
static uintptr_t last;
static bool is_new;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void) {
    /* From here, since the program lies at another address each time, and a seed repeats it. */
    const uintptr_t here =
        (uintptr_t)__builtin_return_address(0) - (uintptr_t)__sanitizer_cov_trace_pc;
    const uintptr_t mixed = (here ^ (last << 1)) * (uintptr_t)UINT64_C(0x9e3779b97f4a7c15);
    const size_t edge = (size_t)(mixed >> (8 * sizeof mixed - 16));
    last = here;
    if (!reached[edge]) {
        reached[edge] = true;
        edges++;
        is_new = true;
    }
}

void fuzz_coverage_begin(void) {
    last = 0;
    is_new = false;
}

bool fuzz_coverage_is_new(void) { return is_new; }

size_t fuzz_coverage_edges(void) { return edges; }
