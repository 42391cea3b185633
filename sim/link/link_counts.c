/* SPDX-License-Identifier: Apache-2.0 */
#include "link_switch.h"

#include <inttypes.h>
#include <stdio.h>

bool link_counts_agree(const link_counts_t *counts, unsigned ports, char error[LINK_ERROR_BYTES]) {
    uint64_t made = 0;
    uint64_t taken = 0;
    for (unsigned port = 0; port < ports; port++) {
        const link_counts_t *c = &counts[port];
        const uint64_t sorted =
            c->dropped + c->runts + c->filtered + c->forwarded + c->flooded + c->held;
        if (sorted != c->received) {
            (void)snprintf(error, LINK_ERROR_BYTES,
                           "port %u: found %" PRIu64 " frames dropped, runts, filtered, forwarded, "
                           "flooded or held, expected the %" PRIu64 " received",
                           port, sorted, c->received);
            return false;
        }
        made += c->copies;
        taken += c->sent + c->overflowed + c->lost + c->waiting;
    }
    if (made != taken) {
        (void)snprintf(error, LINK_ERROR_BYTES,
                       "found %" PRIu64 " frames sent, overflowed, lost or waiting at all ports, "
                       "expected the %" PRIu64 " copies made for them",
                       taken, made);
    }
    return made == taken;
}
