/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches of the codec and the endpoint that packets have reached.
 *
 * The compiler calls __sanitizer_cov_trace_pc at each edge of the files that are compiled for it;
 * an edge is known by the addresses of two such calls in a row, folded to FUZZ_EDGES, so that a few
 * edges look alike.
 */
#ifndef FUZZ_COVERAGE_H
#define FUZZ_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { FUZZ_EDGES = 1 << 16 };

/* Edges that are counted from here on are those of a new packet. */
void fuzz_coverage_begin(void);
/* Whether the packet reached an edge that none before it had. */
bool fuzz_coverage_is_new(void);
/* Edges that were ever reached. */
size_t fuzz_coverage_edges(void);

#endif
