/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory registered with the functional device (R11): whether it has room for an entry.
 *
 * Once memory is registered, the tables' sizes and the reserves decide only what lies on chip, so
 * the matcher knows no limits but the quotas, and is told of each command whether there is room.
 */
#include "ref_device.h"

#define CHUNKS_PER_SEGMENT (TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES)

/* Counts what is queued, which lies on chip. */
static bool begin(ref_device_t *device) {
    const ref_preset_t *preset = device->preset;
    if (!ref_chunks_create(&device->chunks, preset->endpoints, preset->posted_entries,
                           preset->unexpected_entries)) {
        return false;
    }
    for (uint32_t e = 0; e < preset->endpoints; e++) {
        device->match->set_reserve(device->matcher, e, 0, 0);
        ref_chunks_set_reserve(&device->chunks, e, device->reserves[e].posted,
                               device->reserves[e].unexpected);
        for (int queue = 0; queue < 2; queue++) {
            const tmu_model_queue_t q = (tmu_model_queue_t)queue;
            const uint64_t depth = device->match->depth(device->matcher, e, q);
            for (uint64_t i = 0; i < depth; i++) {
                (void)ref_chunks_append(&device->chunks, e, q);
            }
        }
    }
    device->match->set_capacity(device->matcher, 0, 0);
    return true;
}

void ref_spill_commit(ref_device_t *device, uint32_t value) {
    if (TMU_REGISTER_GET(value, TMU_SPILL_COMMIT_ADD) == 0) {
        return;
    }
    device->spill_error = device->segments == device->preset->spill_segments;
    if (device->spill_error != 0) {
        return;
    }
    if (device->segments == 0 && !begin(device)) {
        device->out_of_memory = true;
        return;
    }
    device->segments++;
    ref_chunks_add(&device->chunks, CHUNKS_PER_SEGMENT);
}

/* Memory is taken away by a reset alone. */
void ref_spill_clear(ref_device_t *device) {
    ref_chunks_destroy(&device->chunks);
    device->segments = 0;
    device->spill_error = 0;
}

void ref_spill_reserve(ref_device_t *device) {
    const uint32_t endpoint = device->endpoint_select;
    const ref_reserve_t reserve = {device->reserve_posted, device->reserve_unexpected};
    device->reserves[endpoint] = reserve;
    if (device->segments == 0) {
        device->match->set_reserve(device->matcher, endpoint, reserve.posted, reserve.unexpected);
    } else {
        ref_chunks_set_reserve(&device->chunks, endpoint, reserve.posted, reserve.unexpected);
    }
}

void ref_spill_prepare(ref_device_t *device, tmu_model_queue_t queue, uint32_t endpoint) {
    if (device->segments == 0) {
        return;
    }
    device->full = !ref_chunks_make_room(&device->chunks, endpoint, queue);
    device->match->set_full(device->matcher, device->full, device->full);
}

/* Removes flushed entries: so many of the oldest, or all. */
static void flushed(ref_device_t *device, uint32_t endpoint, tmu_model_queue_t queue,
                    uint64_t removed) {
    for (uint64_t i = 0; i < removed; i++) {
        ref_chunks_remove(&device->chunks, endpoint, queue, 0);
    }
}

void ref_spill_follow(ref_device_t *device, uint8_t opcode, const tmu_model_verdict_t *verdict) {
    const uint32_t endpoint = verdict->endpoint;
    tmu_model_queue_t queue = TMU_MODEL_UNEXPECTED;
    if (device->segments == 0) {
        return;
    }
    switch (verdict->status) {
    case TMU_MODEL_QUEUED:
        queue = opcode == TMU_OPCODE_POST ? TMU_MODEL_POSTED : TMU_MODEL_UNEXPECTED;
        device->out_of_memory |= !ref_chunks_append(&device->chunks, endpoint, queue);
        break;
    case TMU_MODEL_MATCHED:
    case TMU_MODEL_CANCELLED:
        queue = opcode == TMU_OPCODE_ARRIVE || opcode == TMU_OPCODE_CANCEL ? TMU_MODEL_POSTED
                                                                           : TMU_MODEL_UNEXPECTED;
        ref_chunks_remove(&device->chunks, endpoint, queue,
                          device->match->position(device->matcher, verdict));
        break;
    case TMU_MODEL_FLUSHED:
        flushed(device, endpoint, TMU_MODEL_POSTED, verdict->removed_posted);
        flushed(device, endpoint, TMU_MODEL_UNEXPECTED, verdict->removed_unexpected);
        break;
    default:
        break;
    }
}

uint32_t ref_spill_free(const ref_device_t *device) { return (uint32_t)device->chunks.free; }

bool ref_spill_used_up(const ref_device_t *device) { return device->segments > 0 && device->full; }
