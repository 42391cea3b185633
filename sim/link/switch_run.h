/* SPDX-License-Identifier: Apache-2.0 */
/* The switch with its sockets and clocks. */
#ifndef SWITCH_RUN_H
#define SWITCH_RUN_H

#include "link_switch.h"

typedef struct switch_options {
    link_shape_t shape;
    const char *socket;
    const char *pcap; /* NULL: none */
    bool json;
} switch_options_t;

/* Serves until SIGTERM or SIGINT; the exit code of the program. */
int switch_run(const switch_options_t *options);

/* Prints the counters of all ports. */
void switch_print(const switch_options_t *options, const link_counts_t *counts);

#endif
