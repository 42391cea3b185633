/* SPDX-License-Identifier: Apache-2.0 */
#include "stall.h"

#include "say.h"
#include "unit.h"

#include <inttypes.h>

#define PATIENCE_MS 3000u

static void tell(const unit_t *unit, uint64_t arrivals, bool receive_waits) {
    const uint32_t registered = unit->spill.segments;
    const uint32_t most = unit->info.spill_segments;
    tfi_say(
        "%" PRIu64 " arrivals are held back%s, and nothing has moved for %u seconds: the "
        "unit's tables and the memory registered with it (%" PRIu32 " segments) are used up; %s",
        arrivals, receive_waits ? " and a receive is refused" : "", PATIENCE_MS / 1000u, registered,
        unit->spill.shared  ? "share it with more --spill"
        : registered < most ? "register more with --spill or TMU_FI_SPILL"
                            : "that is all the device takes, so choose a larger preset");
}

void stall_look(unit_t *unit, bool receive_waits, uint64_t now_ms) {
    stall_t *stall = &unit->stall;
    tmu_flow_stats_t flow = {0};
    const bool known = tmu_flow_stats(unit->device, &flow) == TMU_OK;
    const bool waits = known && (flow.held_now != 0 || receive_waits);
    if (!waits || stall->since == 0 || flow.resumes != stall->resumes ||
        unit->epoch != stall->epoch) {
        *stall = (stall_t){waits ? now_ms : 0, flow.resumes, unit->epoch, stall->told && waits};
        return;
    }
    if (!stall->told && now_ms - stall->since >= PATIENCE_MS) {
        stall->told = true;
        tell(unit, flow.held_now, receive_waits);
    }
}
