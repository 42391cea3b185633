/* SPDX-License-Identifier: Apache-2.0 */
/* Options of programs that join links: impairments, delay, rate. */
#ifndef LINK_OPTIONS_H
#define LINK_OPTIONS_H

#include "link_switch.h"
#include "program.h"

#define LINK_IMPAIRMENT_USAGE                                                                      \
    "  --drop P        chance from 0 to 1 that a frame is lost (default 0)\n"                      \
    "  --duplicate P   that it comes twice\n"                                                      \
    "  --reorder P     that it lets 1 to 4 frames of its port pass\n"                              \
    "  --corrupt P     that one bit behind its Ethernet header is flipped\n"

/* Rows of a program's table of options: those of a link_shape_t, with bounds of the program. */
#define LINK_OPTIONS(shape, delay_ns_most, gbps_least)                                             \
    OPTION_DECIMAL("drop", (shape).impairments.drop, 0, 1),                                        \
        OPTION_DECIMAL("duplicate", (shape).impairments.duplicate, 0, 1),                          \
        OPTION_DECIMAL("reorder", (shape).impairments.reorder, 0, 1),                              \
        OPTION_DECIMAL("corrupt", (shape).impairments.corrupt, 0, 1),                              \
        OPTION_NUMBER("delay", (shape).delay_ns, 0, delay_ns_most),                                \
        OPTION_DECIMAL("rate", (shape).gbps, gbps_least, 1e6),                                     \
        OPTION_NUMBER("seed", (shape).impairments.seed, 0, UINT64_MAX)

#endif
