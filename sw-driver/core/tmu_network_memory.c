/* SPDX-License-Identifier: Apache-2.0
 *
 * Registered memory of a card, and the pools' buffers that claims take.
 */
#include <inttypes.h>

#include "tmu_internal.h"

bool tmu_network_find(tmu_network_t *network, uint32_t endpoint, uint64_t address, uint64_t bytes,
                      uint32_t *number_p) {
    bool found = false;
    pthread_mutex_lock(&network->lock);
    for (uint32_t i = 0; network->started && i < network->region_end && !found; i++) {
        const tmu_net_region_t *region = &network->regions[i];
        const tmu_dma_t *dma = &region->dma;
        found = dma->memory && region->endpoint == endpoint && address >= dma->bus_address &&
                bytes <= dma->bytes && address - dma->bus_address <= dma->bytes - bytes;
        if (found) {
            *number_p = i;
        }
    }
    pthread_mutex_unlock(&network->lock);
    return found;
}

tmu_result_t tmu_network_receive(tmu_queue_t *queue, uint32_t endpoint,
                                 const tmu_receive_t *receive, tmu_record_t *command) {
    uint32_t number = 0;
    if (!tmu_network_is_card(&queue->device->info)) {
        return TMU_OK;
    }
    if (!queue->device->network.started) {
        return tmu_error_set(TMU_ERR_INVALID, "a receive before the card's network was started");
    }
    if (receive->length == 0) {
        return TMU_OK;
    }
    if (!tmu_network_find(&queue->device->network, endpoint, receive->address, receive->length,
                          &number)) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "%" PRIu64 " bytes at 0x%" PRIx64
                             " are not in memory that endpoint %u has registered",
                             receive->length, receive->address, endpoint);
    }
    TMU_FIELD_SET(command, TMU_COMMAND_MEMORY, number);
    return TMU_OK;
}

/* Has the card take an entry of its table over, or forget it.  The device's lock is held. */
static tmu_result_t region_write(tmu_t *device, uint32_t number, const tmu_net_region_t *region,
                                 bool set) {
    const uint64_t base = region->dma.bus_address;
    const uint64_t bytes = region->dma.bytes;
    const struct {
        uint32_t offset;
        uint32_t value;
    } settings[] = {
        {TMU_REG_MEMORY_SELECT, number},
        {TMU_REG_MEMORY_BASE_LO, (uint32_t)base},
        {TMU_REG_MEMORY_BASE_HI, (uint32_t)(base >> 32)},
        {TMU_REG_MEMORY_BYTES_LO, (uint32_t)bytes},
        {TMU_REG_MEMORY_BYTES_HI, (uint32_t)(bytes >> 32)},
        {TMU_REG_MEMORY_OWNER, TMU_REGISTER_BITS(TMU_MEMORY_OWNER_ENDPOINT, region->endpoint) |
                                   TMU_REGISTER_BITS(TMU_MEMORY_OWNER_READ, 1) |
                                   TMU_REGISTER_BITS(TMU_MEMORY_OWNER_WRITE, 1)},
        {TMU_REG_MEMORY_COMMAND, TMU_REGISTER_BITS(TMU_MEMORY_COMMAND_SET, set) |
                                     TMU_REGISTER_BITS(TMU_MEMORY_COMMAND_REMOVE, !set)},
    };
    uint32_t status = 0;
    tmu_result_t result = TMU_OK;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && result == TMU_OK; i++) {
        result = tmu_device_write(device, settings[i].offset, settings[i].value);
    }
    if (result == TMU_OK) {
        result = tmu_device_wait(device, TMU_REG_TABLE_STATUS,
                                 TMU_REGISTER_BITS(TMU_TABLE_STATUS_BUSY, 1), 0);
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_TABLE_STATUS, &status);
    }
    return result == TMU_OK && TMU_REGISTER_GET(status, TMU_TABLE_STATUS_REFUSED) != 0
               ? tmu_error_set(TMU_ERR_BUSY, "registered memory %u is in use", number)
               : result;
}

tmu_result_t tmu_network_memory_new(tmu_t *device, uint32_t endpoint, size_t bytes,
                                    tmu_net_memory_t *memory_p) {
    tmu_network_t *network = &device->network;
    tmu_net_region_t region = {.endpoint = endpoint};
    uint32_t number = 0;
    while (number < network->region_count && network->regions[number].dma.memory) {
        number++;
    }
    if (number == network->region_count) {
        return tmu_error_set(TMU_ERR_BUSY, "the card has no room for more registered memory");
    }
    tmu_result_t result = device->ops->dma_alloc(device->backend, bytes, &region.dma);
    if (result != TMU_OK) {
        return result;
    }
    result = region_write(device, number, &region, true);
    if (result != TMU_OK) {
        device->ops->dma_free(device->backend, &region.dma);
        return result;
    }
    pthread_mutex_lock(&network->lock);
    network->regions[number] = region;
    network->region_end = number < network->region_end ? network->region_end : number + 1;
    pthread_mutex_unlock(&network->lock);
    *memory_p =
        (tmu_net_memory_t){region.dma.memory, region.dma.bus_address, region.dma.bytes, number};
    return TMU_OK;
}

static tmu_result_t started_check(tmu_t *device) {
    tmu_result_t result = tmu_device_check(device);
    return result == TMU_OK && !device->network.started
               ? tmu_error_set(TMU_ERR_INVALID, "the network of this device has not been started")
               : result;
}

tmu_result_t tmu_net_memory_new(tmu_t *device, uint32_t endpoint, size_t bytes,
                                tmu_net_memory_t *memory_p) {
    if (!device || !memory_p || bytes == 0) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = started_check(device);
    if (result == TMU_OK) {
        result = tmu_endpoint_check(device, endpoint);
    }
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&device->lock);
    result = tmu_network_memory_new(device, endpoint, bytes, memory_p);
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_network_memory_free(tmu_t *device, const tmu_net_memory_t *memory) {
    tmu_network_t *network = &device->network;
    tmu_net_region_t *region =
        memory->number < network->region_count ? &network->regions[memory->number] : NULL;
    if (!region || !region->dma.memory || region->dma.memory != memory->memory) {
        return tmu_error_set(TMU_ERR_INVALID, "this memory is not registered");
    }
    tmu_result_t result = region_write(device, memory->number, region, false);
    if (result == TMU_OK) {
        pthread_mutex_lock(&network->lock);
        tmu_dma_t dma = region->dma;
        *region = (tmu_net_region_t){0};
        pthread_mutex_unlock(&network->lock);
        device->ops->dma_free(device->backend, &dma);
    }
    return result;
}

tmu_result_t tmu_net_memory_free(tmu_t *device, const tmu_net_memory_t *memory) {
    if (!device || !memory) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = started_check(device);
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&device->lock);
    result = tmu_network_memory_free(device, memory);
    pthread_mutex_unlock(&device->lock);
    return result;
}

/* The pool that has the buffer which a claim's completion names; NULL for another completion. */
static const tmu_dma_t *claimed_find(const tmu_t *device, const tmu_completion_t *completion,
                                     uint64_t *offset_p) {
    const tmu_network_t *network = &device->network;
    if (!network->started || completion->opcode != TMU_OPCODE_CLAIM ||
        (completion->status != TMU_STATUS_MATCHED && completion->status != TMU_STATUS_REMOVED) ||
        completion->endpoint >= device->info.endpoints) {
        return NULL;
    }
    const tmu_dma_t *pool = &network->pools[completion->endpoint];
    *offset_p = completion->address - pool->bus_address;
    return pool->memory && completion->address >= pool->bus_address && *offset_p < pool->bytes
               ? pool
               : NULL;
}

const void *tmu_net_claimed(tmu_t *device, const tmu_completion_t *completion) {
    uint64_t offset = 0;
    const tmu_dma_t *pool = device && completion ? claimed_find(device, completion, &offset) : NULL;
    return pool ? (const char *)pool->memory + offset : NULL;
}

tmu_result_t tmu_net_release(tmu_t *device, const tmu_completion_t *completion) {
    uint64_t offset = 0;
    if (!device || !completion || !claimed_find(device, completion, &offset)) {
        return tmu_error_set(TMU_ERR_INVALID, "this completion is not of a claimed message");
    }
    const uint32_t number = (uint32_t)(offset >> device->network.pool_log2);
    return tmu_device_write(device, TMU_REG_POOL_RELEASE,
                            TMU_REGISTER_BITS(TMU_POOL_RELEASE_NUMBER, number) |
                                TMU_REGISTER_BITS(TMU_POOL_RELEASE_RELEASE, 1));
}
