/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory lent to the functional device (R11): how many entries it is good for.
 *
 * The matcher has no table on chip, so entries beyond the table's size are those in memory, and
 * both queues take from the same. Reserves keep places on chip.  Beyond them entries go to memory,
 * so with memory lent nothing is refused on their account before it is used up, and the matcher,
 * whose capacity is both together, must not know of them.
 */
#include "ref_device.h"

#define CHUNKS_PER_SEGMENT (TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES)

typedef struct beyond {
    uint64_t posted;
    uint64_t unexpected;
} beyond_t;

static beyond_t beyond_chip(const ref_device_t *device) {
    const ref_preset_t *preset = device->preset;
    const ref_depths_t depths = device->match->depths(device->matcher);
    const uint64_t posted = depths.now[TMU_MODEL_POSTED];
    const uint64_t unexpected = depths.now[TMU_MODEL_UNEXPECTED];
    return (beyond_t){
        .posted = posted > preset->posted_entries ? posted - preset->posted_entries : 0,
        .unexpected =
            unexpected > preset->unexpected_entries ? unexpected - preset->unexpected_entries : 0,
    };
}

static uint64_t memory_entries(const ref_device_t *device) {
    return (uint64_t)device->segments * CHUNKS_PER_SEGMENT * TMU_SPILL_CHUNK_ENTRIES;
}

void ref_spill_share(ref_device_t *device) {
    const beyond_t beyond = beyond_chip(device);
    const uint64_t all = memory_entries(device);
    device->match->set_capacity(device->matcher,
                                device->preset->posted_entries + all - beyond.unexpected,
                                device->preset->unexpected_entries + all - beyond.posted);
}

void ref_spill_commit(ref_device_t *device, uint32_t value) {
    if (TMU_REGISTER_GET(value, TMU_SPILL_COMMIT_ADD) == 0) {
        return;
    }
    device->spill_error = device->segments == device->preset->spill_segments;
    device->segments += device->spill_error == 0;
    for (uint32_t e = 0; device->segments == 1 && e < device->preset->endpoints; e++) {
        device->match->set_reserve(device->matcher, e, 0, 0);
    }
}

/* Memory is taken away by a reset alone, and that clears reserves: none has to be kept for then. */
void ref_spill_reserve(ref_device_t *device) {
    if (device->segments == 0) {
        device->match->set_reserve(device->matcher, device->endpoint_select, device->reserve_posted,
                                   device->reserve_unexpected);
    }
}

static uint32_t chunks(uint64_t entries) {
    return (uint32_t)((entries + TMU_SPILL_CHUNK_ENTRIES - 1) / TMU_SPILL_CHUNK_ENTRIES);
}

uint32_t ref_spill_free(const ref_device_t *device) {
    const beyond_t beyond = beyond_chip(device);
    const uint32_t all = device->segments * CHUNKS_PER_SEGMENT;
    const uint32_t used = chunks(beyond.posted) + chunks(beyond.unexpected);
    return used < all ? all - used : 0;
}

bool ref_spill_used_up(const ref_device_t *device, tmu_model_queue_t queue) {
    const beyond_t beyond = beyond_chip(device);
    const ref_depths_t depths = device->match->depths(device->matcher);
    const bool full =
        depths.now[queue] >= (queue == TMU_MODEL_POSTED ? device->preset->posted_entries
                                                        : device->preset->unexpected_entries);
    return device->segments > 0 && full &&
           beyond.posted + beyond.unexpected == memory_entries(device);
}
