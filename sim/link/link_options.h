/* SPDX-License-Identifier: Apache-2.0 */
/* Options of programs that join links: impairments, delay, rate. */
#ifndef LINK_OPTIONS_H
#define LINK_OPTIONS_H

#include <getopt.h>

#include "link_switch.h"
#include "number_option.h"

#define LINK_IMPAIRMENT_USAGE                                                                      \
    "  --drop P        chance from 0 to 1 that a frame is lost (default 0)\n"                      \
    "  --duplicate P   that it comes twice\n"                                                      \
    "  --reorder P     that it lets 1 to 4 frames of its port pass\n"                              \
    "  --corrupt P     that one bit behind its Ethernet header is flipped\n"

/* Entries of a getopt_long table, to be followed by the program's own. */
#define LINK_LONG_OPTIONS                                                                          \
    {"drop", required_argument, NULL, 'd'}, {"duplicate", required_argument, NULL, 'u'},           \
        {"reorder", required_argument, NULL, 'r'}, {"corrupt", required_argument, NULL, 'c'},      \
        {"delay", required_argument, NULL, 'n'}, {"rate", required_argument, NULL, 'g'}, {         \
        "seed", required_argument, NULL, 'k'                                                       \
    }

/* Bounds that a program has of its own. */
typedef struct link_bounds {
    uint64_t delay_ns_most;
    double gbps_least;
} link_bounds_t;

/* Enters one of LINK_LONG_OPTIONS; false for another option.  A value out of its bounds ends the
 * program with a message and exit code 2. */
static inline bool link_option(const char *program, int option, const char *text,
                               link_bounds_t bounds, link_shape_t *shape) {
    link_impairments_t *impairments = &shape->impairments;
    switch (option) {
    case 'd':
        impairments->drop = decimal_option(program, "--drop", text, 0, 1);
        return true;
    case 'u':
        impairments->duplicate = decimal_option(program, "--duplicate", text, 0, 1);
        return true;
    case 'r':
        impairments->reorder = decimal_option(program, "--reorder", text, 0, 1);
        return true;
    case 'c':
        impairments->corrupt = decimal_option(program, "--corrupt", text, 0, 1);
        return true;
    case 'n':
        shape->delay_ns = number_option(program, "--delay", text, 0, bounds.delay_ns_most);
        return true;
    case 'g':
        shape->gbps = decimal_option(program, "--rate", text, bounds.gbps_least, 1e6);
        return true;
    case 'k':
        impairments->seed = number_option(program, "--seed", text, 0, UINT64_MAX);
        return true;
    default:
        return false;
    }
}

#endif
