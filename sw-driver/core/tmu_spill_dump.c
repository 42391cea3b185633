/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads entries that lie in memory, for dumps.
 *
 * Memory alone does not tell which of its entries are queued: registers of the unit do, chunk by
 * chunk, in the order of the queue.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tmu_internal.h"

#define LOOKS 100000
#define LOOK_CLOCKS 64
#define CHUNKS_PER_SEGMENT (TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES)
#define FIRST_MINOR 4 /* of the interface, that has the registers */

/* Values that SPILL_LOOK has fetched: the list, and a chunk. */
typedef struct look {
    uint32_t state;
    uint32_t count;
    uint32_t head;
    uint32_t next;
    uint64_t live;
} look_t;

/* One look; `result` TMU_OK and no RESTING when it has to be repeated. */
static tmu_result_t look_once(tmu_t *device, const tmu_entry_t *which, uint32_t chunk,
                              look_t *look_p) {
    uint32_t live[2] = {0};
    const struct {
        uint32_t offset;
        uint32_t value;
    } writes[] = {
        {TMU_REG_ENDPOINT_SELECT, which->endpoint},
        {TMU_REG_SPILL_SELECT,
         TMU_REGISTER_BITS(TMU_SPILL_SELECT_CHUNK, chunk) |
             TMU_REGISTER_BITS(TMU_SPILL_SELECT_UNEXPECTED, which->unexpected)},
        {TMU_REG_SPILL_LOOK, TMU_REGISTER_BITS(TMU_SPILL_LOOK_FETCH, 1)},
    };
    const struct {
        uint32_t offset;
        uint32_t *value_p;
    } reads[] = {
        {TMU_REG_SPILL_STATE, &look_p->state}, {TMU_REG_SPILL_COUNT, &look_p->count},
        {TMU_REG_SPILL_HEAD, &look_p->head},   {TMU_REG_SPILL_NEXT, &look_p->next},
        {TMU_REG_SPILL_LIVE_LO, &live[0]},     {TMU_REG_SPILL_LIVE_HI, &live[1]},
    };
    tmu_result_t result = TMU_OK;
    for (size_t i = 0; i < sizeof writes / sizeof writes[0] && result == TMU_OK; i++) {
        result = tmu_device_write(device, writes[i].offset, writes[i].value);
    }
    for (size_t i = 0; i < sizeof reads / sizeof reads[0] && result == TMU_OK; i++) {
        result = tmu_device_read(device, reads[i].offset, reads[i].value_p);
    }
    look_p->live = (uint64_t)live[1] << 32 | live[0];
    return result;
}

/* Looks until nothing moves between memory and the chip. */
static tmu_result_t look(tmu_t *device, const tmu_entry_t *which, uint32_t chunk, look_t *look_p) {
    for (unsigned step = 0; step < LOOKS; step++) {
        tmu_result_t result = look_once(device, which, chunk, look_p);
        if (result != TMU_OK || TMU_REGISTER_GET(look_p->state, TMU_SPILL_STATE_RESTING) != 0) {
            return result;
        }
        if (TMU_REGISTER_GET(look_p->state, TMU_SPILL_STATE_FAILED) != 0) {
            return tmu_error_set(TMU_ERR_DEVICE, "spill memory has failed: what is queued there is "
                                                 "not known until a reset");
        }
        if (TMU_REGISTER_GET(look_p->state, TMU_SPILL_STATE_ERROR) != 0) {
            return tmu_error_set(TMU_ERR_DEVICE, "the device does not know endpoint %" PRIu32,
                                 which->endpoint);
        }
        result =
            device->ops->progress ? device->ops->progress(device->backend, LOOK_CLOCKS) : TMU_OK;
        if (result != TMU_OK) {
            return result;
        }
    }
    return tmu_error_set(TMU_ERR_DEVICE, "entries in spill memory do not come to rest");
}

tmu_result_t tmu_spill_rest(tmu_t *device, uint32_t endpoint) {
    const tmu_entry_t which = {.endpoint = endpoint};
    look_t list;
    if (device->segment_count == 0) {
        return TMU_OK;
    }
    if (device->info.interface_minor < FIRST_MINOR) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "the device speaks interface %u.%u; entries in memory are shown from "
                             "%d.%d on",
                             device->info.interface_major, device->info.interface_minor,
                             TMU_INTERFACE_MAJOR, FIRST_MINOR);
    }
    return look(device, &which, 0, &list);
}

/* Parity over the entry, its chunk's number and its slot's. */
static bool flipped(const tmu_t *device, const tmu_record_t *record, uint32_t chunk,
                    uint32_t slot) {
    uint64_t all = chunk ^ slot;
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        all ^= record->word[i];
    }
    return TMU_REGISTER_GET(device->info.capabilities, TMU_CAPABILITIES_PARITY) != 0 &&
           __builtin_parityll(all);
}

/* Reads the entry at an index of a registered chunk. */
static tmu_result_t read_entry(tmu_t *device, const tmu_entry_t *which, uint32_t chunk,
                               uint32_t slot, tmu_entry_t *entry_p) {
    const char *segment = device->segments[chunk / CHUNKS_PER_SEGMENT].memory;
    tmu_record_t record;
    memcpy(&record,
           segment + (size_t)(chunk % CHUNKS_PER_SEGMENT) * TMU_SPILL_CHUNK_BYTES +
               TMU_SPILL_FIRST_ENTRY + (size_t)slot * TMU_SPILL_ENTRY_BYTES,
           sizeof record);
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        record.word[i] = tmu_le64(record.word[i]);
    }
    if (flipped(device, &record, chunk, slot)) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "the entry in slot %" PRIu32 " of chunk %" PRIu32 " has lost a bit",
                             slot, chunk);
    }
    tmu_wire_spilled(&record, entry_p);
    entry_p->unexpected = which->unexpected;
    tmu_receive_id_t id;
    if (entry_p->endpoint != which->endpoint ||
        (!which->unexpected &&
         !tmu_receive_find(&device->receives, entry_p->handle, &id, &entry_p->handle))) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "the entry in slot %" PRIu32 " of chunk %" PRIu32
                             " is of endpoint %" PRIu32 " with handle 0x%" PRIx64
                             ": none that was queued at endpoint %" PRIu32,
                             slot, chunk, entry_p->endpoint, entry_p->handle, which->endpoint);
    }
    return TMU_OK;
}

/* Whether a chunk can be the next one, with this many entries left to show. */
static tmu_result_t check_chunk(uint32_t chunk, const look_t *at, uint32_t left) {
    const uint32_t live = (uint32_t)__builtin_popcountll(at->live);
    if (TMU_REGISTER_GET(at->state, TMU_SPILL_STATE_LOST_LIVE) != 0) {
        return tmu_error_set(TMU_ERR_DEVICE, "the live bits of chunk %" PRIu32 " have lost a bit",
                             chunk);
    }
    if (live == 0 || live > left || at->live >> TMU_SPILL_CHUNK_ENTRIES != 0) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "chunk %" PRIu32 " has %" PRIu32 " entries of the %" PRIu32
                             " that are left of its queue",
                             chunk, live, left);
    }
    return TMU_OK;
}

/* Follows the links, and has every chunk once at most. */
static tmu_result_t walk(tmu_t *device, tmu_entry_t *which, bool *met, const tmu_dump_to_t *to) {
    const uint32_t chunks = device->segment_count * CHUNKS_PER_SEGMENT;
    look_t at = {0};
    tmu_result_t result = look(device, which, 0, &at);
    uint32_t left = at.count;
    uint32_t chunk = at.head;
    while (result == TMU_OK && left > 0 && *to->go_on_p) {
        if (chunk >= chunks || met[chunk]) {
            return tmu_error_set(
                TMU_ERR_DEVICE, "a queue in memory goes on at chunk %" PRIu32 ": %s", chunk,
                chunk < chunks ? "it was there before" : "none that is registered");
        }
        met[chunk] = true;
        result = look(device, which, chunk, &at);
        if (result == TMU_OK) {
            result = check_chunk(chunk, &at, left);
        }
        for (uint64_t live = at.live; live != 0 && result == TMU_OK && *to->go_on_p;
             live &= live - 1) {
            tmu_entry_t entry;
            result = read_entry(device, which, chunk, (uint32_t)__builtin_ctzll(live), &entry);
            if (result == TMU_OK) {
                entry.position = which->position++;
                *to->go_on_p = to->dump(to->user, &entry);
                left--;
            }
        }
        if (result == TMU_OK && left > 0 && *to->go_on_p &&
            TMU_REGISTER_GET(at.state, TMU_SPILL_STATE_LOST_NEXT) != 0) {
            result = tmu_error_set(TMU_ERR_DEVICE,
                                   "the link behind chunk %" PRIu32 " has lost a bit", chunk);
        }
        chunk = at.next;
    }
    return result;
}

tmu_result_t tmu_spill_dump(tmu_t *device, tmu_entry_t *which, const tmu_dump_to_t *to) {
    if (device->segment_count == 0) {
        return TMU_OK;
    }
    bool *met = calloc((size_t)device->segment_count * CHUNKS_PER_SEGMENT, sizeof *met);
    tmu_result_t result =
        met ? walk(device, which, met, to) : tmu_error_set(TMU_ERR_MEMORY, "no memory for a dump");
    free(met);
    return result;
}
