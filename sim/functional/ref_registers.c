/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the functional device.
 */
#include <stdio.h>
#include <string.h>

#include "card.h"

bool ref_matcher_create(ref_device_t *device) {
    tmu_model_config_t config = {
        .endpoints = device->preset->endpoints,
        .posted_capacity = device->preset->posted_entries,
        .unexpected_capacity = device->preset->unexpected_entries,
    };
    void *matcher = device->match->create(device->engine, &config);
    if (!matcher) {
        (void)snprintf(device->error, sizeof device->error,
                       "no memory for the engine '%s' of preset %s", device->engine,
                       device->preset->name);
        return false;
    }
    device->match->destroy(device->matcher);
    device->matcher = matcher;
    return true;
}

typedef struct register_value {
    uint32_t offset;
    uint32_t value;
} register_value_t;

static bool find_register(const register_value_t *registers, size_t count, uint32_t offset,
                          uint32_t *value_p) {
    for (size_t i = 0; i < count; i++) {
        if (registers[i].offset == offset) {
            *value_p = registers[i].value;
            return true;
        }
    }
    return false;
}

/* Constant registers; false if the offset is none of them. */
static bool read_discovery(const ref_device_t *device, uint32_t offset, uint32_t *value_p) {
    const ref_preset_t *preset = device->preset;
    const register_value_t constants[] = {
        {TMU_REG_MAGIC, TMU_MAGIC},
        {TMU_REG_INTERFACE_VERSION,
         TMU_REGISTER_BITS(TMU_INTERFACE_VERSION_MAJOR, TMU_INTERFACE_MAJOR) |
             TMU_REGISTER_BITS(TMU_INTERFACE_VERSION_MINOR, TMU_INTERFACE_MINOR)},
        {TMU_REG_PRESET, preset->number},
        /* The matcher's queues are searched whole; nothing of them lies beyond an array. */
        {TMU_REG_ARRAY_ENTRIES, preset->posted_entries},
        {TMU_REG_MATCH_BITS, ref_match_bits(preset)},
        {TMU_REG_CAPABILITIES,
         TMU_REGISTER_BITS(TMU_CAPABILITIES_INSPECT, 1) |
             TMU_REGISTER_BITS(TMU_CAPABILITIES_QUOTA, 1) |
             TMU_REGISTER_BITS(TMU_CAPABILITIES_SPILL, preset->spill_segments > 0) |
             TMU_REGISTER_BITS(TMU_CAPABILITIES_RESERVE, 1) |
             TMU_REGISTER_BITS(TMU_CAPABILITIES_NETWORK, device->card ? 1 : 0) |
             TMU_REGISTER_BITS(TMU_CAPABILITIES_SEND, device->card ? 1 : 0)},
#define PARAMETER(offset, parameter) {offset, preset->parameter},
        TMU_DISCOVERY_PARAMETER_TABLE(PARAMETER)
#undef PARAMETER
    };
    /* Registers that are not above read as in a unit without them. */
    static const register_value_t others[] = {
#define OLDER(member, offset, since, needs, older) {offset, older},
        TMU_DISCOVERY_TABLE(OLDER)
#undef OLDER
    };
    return find_register(constants, sizeof constants / sizeof constants[0], offset, value_p) ||
           find_register(others, sizeof others / sizeof others[0], offset, value_p);
}

/* Registers that tell a state; false if the offset is none of them. */
static bool read_state(const ref_device_t *device, uint32_t offset, uint32_t *value_p) {
    const register_value_t states[] = {
        {TMU_REG_SPILL_STATUS, TMU_REGISTER_BITS(TMU_SPILL_STATUS_SEGMENTS, device->segments) |
                                   TMU_REGISTER_BITS(TMU_SPILL_STATUS_ERROR, device->spill_error)},
        {TMU_REG_SPILL_FREE, ref_spill_free(device)},
        {TMU_REG_STATUS,
         TMU_REGISTER_BITS(TMU_STATUS_READY, 1) |
             TMU_REGISTER_BITS(TMU_STATUS_IDLE, !ref_page_work(device) &&
                                                    device->answers.next == device->answers.count)},
        {TMU_REG_PAGE_STATUS, TMU_REGISTER_BITS(TMU_PAGE_STATUS_ERROR, device->page_error)},
        {TMU_REG_ENDPOINT_STATUS,
         TMU_REGISTER_BITS(TMU_ENDPOINT_STATUS_ERROR, device->endpoint_error)},
        {TMU_REG_DEPTH_POSTED, device->depth_posted},
        {TMU_REG_DEPTH_UNEXPECTED, device->depth_unexpected},
        {TMU_REG_FAULT_STATUS, 0},
        {TMU_REG_FAULT_MORE, 0},
        /* Every entry has a position for inspect, for no list goes on in memory. */
        {TMU_REG_SPILL_STATE, TMU_REGISTER_BITS(TMU_SPILL_STATE_RESTING, !device->look_error) |
                                  TMU_REGISTER_BITS(TMU_SPILL_STATE_ERROR, device->look_error)},
        {TMU_REG_SPILL_COUNT, 0},
        {TMU_REG_SPILL_HEAD, 0},
        {TMU_REG_SPILL_NEXT, 0},
        {TMU_REG_SPILL_LIVE_LO, 0},
        {TMU_REG_SPILL_LIVE_HI, 0},
    };
    return find_register(states, sizeof states / sizeof states[0], offset, value_p);
}

static bool read_counter(const ref_device_t *device, uint32_t offset, uint32_t *value_p) {
    static const uint32_t offsets[] = {
#define REF_ROW(name, offset) offset,
        TMU_COUNTER_TABLE(REF_ROW)
#undef REF_ROW
    };
    for (size_t i = 0; i < REF_COUNTERS; i++) {
        if (offset == offsets[i] || offset == offsets[i] + 4) {
            *value_p = (uint32_t)(device->snapshot[i] >> (offset == offsets[i] ? 0 : 32));
            return true;
        }
    }
    return false;
}

/* The register that keeps what is written to it; NULL if the offset is none of them. */
static uint32_t *kept(ref_device_t *device, uint32_t offset) {
    switch (offset) {
    case TMU_REG_PAGE_SELECT:
        return &device->page_select;
    case TMU_REG_RING_BASE_LO:
        return &device->ring_base_lo;
    case TMU_REG_RING_BASE_HI:
        return &device->ring_base_hi;
    case TMU_REG_RING_CONFIG:
        return &device->ring_config;
    case TMU_REG_PAGE_ENDPOINT:
        return &device->page_endpoint;
    case TMU_REG_QUEUE_CONFIG:
        return &device->queue_config;
    case TMU_REG_ENDPOINT_SELECT:
        return &device->endpoint_select;
    case TMU_REG_QUOTA_POSTED:
        return &device->quota_posted;
    case TMU_REG_QUOTA_UNEXPECTED:
        return &device->quota_unexpected;
    case TMU_REG_RESERVE_POSTED:
        return &device->reserve_posted;
    case TMU_REG_RESERVE_UNEXPECTED:
        return &device->reserve_unexpected;
    case TMU_REG_RING_PATIENCE:
        return &device->ring_patience;
    case TMU_REG_SPILL_BASE_LO:
        return &device->spill_base_lo;
    case TMU_REG_SPILL_BASE_HI:
        return &device->spill_base_hi;
    case TMU_REG_FAULT_SELECT:
        return &device->fault_select;
    case TMU_REG_SPILL_SELECT:
        return &device->spill_select;
    case TMU_REG_FILTER_SOURCE:
    case TMU_REG_FILTER_LOW_LO:
    case TMU_REG_FILTER_LOW_HI:
    case TMU_REG_FILTER_HIGH_LO:
    case TMU_REG_FILTER_HIGH_HI:
        return &device->filter_windows[(offset - TMU_REG_FILTER_SOURCE) / 4];
    default:
        return NULL;
    }
}

void ref_registers_start(ref_device_t *device) {
    *kept(device, TMU_REG_RING_PATIENCE) = TMU_RING_PATIENCE_INITIAL;
    *kept(device, TMU_REG_FILTER_SOURCE) = TMU_FILTER_SOURCE_INITIAL;
    *kept(device, TMU_REG_FILTER_LOW_LO) = TMU_FILTER_LOW_LO_INITIAL;
    *kept(device, TMU_REG_FILTER_HIGH_HI) = TMU_FILTER_HIGH_HI_INITIAL;
}

/* A kept register has no more than its defined bits. */
static uint32_t defined_bits(uint32_t offset) {
    switch (offset) {
    case TMU_REG_RING_CONFIG:
        return TMU_REGISTER_BITS(TMU_RING_CONFIG_LOG2, TMU_RING_CONFIG_LOG2_MASK) |
               TMU_REGISTER_BITS(TMU_RING_CONFIG_ENABLE, TMU_RING_CONFIG_ENABLE_MASK);
    case TMU_REG_QUEUE_CONFIG:
        return TMU_REGISTER_BITS(TMU_QUEUE_CONFIG_FIRST, TMU_QUEUE_CONFIG_FIRST_MASK) |
               TMU_REGISTER_BITS(TMU_QUEUE_CONFIG_LOG2, TMU_QUEUE_CONFIG_LOG2_MASK);
    case TMU_REG_FAULT_SELECT:
        return TMU_REGISTER_BITS(TMU_FAULT_SELECT_PLACE, TMU_FAULT_SELECT_PLACE_MASK) |
               TMU_REGISTER_BITS(TMU_FAULT_SELECT_BIT, TMU_FAULT_SELECT_BIT_MASK);
    case TMU_REG_SPILL_SELECT:
        return TMU_REGISTER_BITS(TMU_SPILL_SELECT_CHUNK, TMU_SPILL_SELECT_CHUNK_MASK) |
               TMU_REGISTER_BITS(TMU_SPILL_SELECT_UNEXPECTED, TMU_SPILL_SELECT_UNEXPECTED_MASK);
    default:
        return UINT32_MAX;
    }
}

/* Whether a register is one of a card that this device is. */
static bool card_has(const ref_device_t *device, uint32_t offset) {
    return device->card && offset >= TMU_REG_WIRE_CONFIG && offset <= TMU_REG_TABLE_STATUS;
}

int ref_read_register(ref_device_t *device, uint32_t offset, uint32_t *value_p) {
    const uint32_t *keeper = kept(device, offset);
    if (keeper) {
        *value_p = *keeper;
        return 0;
    }
    if (read_discovery(device, offset, value_p) || read_state(device, offset, value_p) ||
        read_counter(device, offset, value_p)) {
        return 0;
    }
    if (card_has(device, offset) && card_read(device->card, offset, value_p) == 0) {
        return 0;
    }
    device->counters[REF_COUNTER_register_errors]++;
    return 1;
}

void ref_counters_copy(ref_device_t *device, uint64_t counters[REF_COUNTERS]) {
    const ref_depths_t depths = device->match->depths(device->matcher);
    device->counters[REF_COUNTER_clocks] = device->clock;
    device->counters[REF_COUNTER_posted_depth_max] = depths.most[TMU_MODEL_POSTED];
    device->counters[REF_COUNTER_unexpected_depth_max] = depths.most[TMU_MODEL_UNEXPECTED];
    memcpy(counters, device->counters, sizeof device->counters);
}

/* Queues, quotas, reserves, serial numbers, counters and rings; waiting commands are lost (R14).
 */
static int reset(ref_device_t *device) {
    if (!ref_matcher_create(device)) {
        return -1;
    }
    device->clock = 0;
    ref_spill_clear(device);
    memset(device->reserves, 0, device->preset->endpoints * sizeof *device->reserves);
    memset(device->counters, 0, sizeof device->counters);
    ref_snapshot_take(device);
    ref_pages_clear(device);
    if (device->card) {
        card_reset(device->card);
        unit_record_reset(device->record);
    }
    return 0;
}

static void endpoint_command(ref_device_t *device, uint32_t value) {
    uint32_t endpoint = device->endpoint_select;
    device->endpoint_error = endpoint >= device->preset->endpoints;
    if (device->endpoint_error != 0) {
        return;
    }
    if (TMU_REGISTER_GET(value, TMU_ENDPOINT_COMMAND_SET_QUOTA) != 0) {
        device->match->set_quota(device->matcher, endpoint, device->quota_posted,
                                 device->quota_unexpected);
        ref_spill_reserve(device);
    }
    if (TMU_REGISTER_GET(value, TMU_ENDPOINT_COMMAND_READ_DEPTH) != 0) {
        device->depth_posted =
            (uint32_t)device->match->depth(device->matcher, endpoint, TMU_MODEL_POSTED);
        device->depth_unexpected =
            (uint32_t)device->match->depth(device->matcher, endpoint, TMU_MODEL_UNEXPECTED);
    }
}

int ref_write_register(ref_device_t *device, uint32_t offset, uint32_t value) {
    uint32_t *keeper = kept(device, offset);
    if (keeper) {
        *keeper = value & defined_bits(offset);
        return 0;
    }
    switch (offset) {
    case TMU_REG_CONTROL:
        if (TMU_REGISTER_GET(value, TMU_CONTROL_SNAPSHOT) != 0) {
            ref_counters_copy(device, device->snapshot);
        }
        return TMU_REGISTER_GET(value, TMU_CONTROL_RESET) != 0 ? reset(device) : 0;
    case TMU_REG_PAGE_COMMIT:
        ref_page_commit(device);
        return 0;
    case TMU_REG_ENDPOINT_COMMAND:
        endpoint_command(device, value);
        return 0;
    case TMU_REG_FAULT_INJECT: /* nothing is stored in words: without the capability it does nothing
                                */
        return 0;
    case TMU_REG_SPILL_COMMIT:
        ref_spill_commit(device, value);
        return 0;
    case TMU_REG_SPILL_LOOK:
        if (TMU_REGISTER_GET(value, TMU_SPILL_LOOK_FETCH) != 0) {
            device->look_error = device->endpoint_select >= device->preset->endpoints;
        }
        return 0;
    default:
        if (card_has(device, offset) && card_write(device->card, offset, value) == 0) {
            return 0;
        }
        device->counters[REF_COUNTER_register_errors]++;
        return 1;
    }
}
