/* SPDX-License-Identifier: Apache-2.0
 *
 * Start of a card's network, and its tables of names, peers and registered memory.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tmu_internal.h"
#include "tmu_sized.h"

#define MESSAGE_LOG2 16
#define MESSAGE_LOG2_MOST 30
#define PAYLOAD_MTU 4096

typedef struct setting {
    uint32_t offset;
    uint32_t value;
} setting_t;

static tmu_result_t write_all(tmu_t *device, const setting_t *settings, size_t count) {
    tmu_result_t result = TMU_OK;
    for (size_t i = 0; i < count && result == TMU_OK; i++) {
        result = tmu_device_write(device, settings[i].offset, settings[i].value);
    }
    return result;
}

#define WRITE_ALL(device, settings)                                                                \
    write_all(device, settings, sizeof(settings) / sizeof(settings)[0])

bool tmu_network_is_card(const tmu_info_t *info) {
    return TMU_REGISTER_GET(info->capabilities, TMU_CAPABILITIES_SEND) != 0;
}

void tmu_network_init(tmu_network_t *network) {
    *network = (tmu_network_t){0};
    pthread_mutex_init(&network->lock, NULL);
}

void tmu_network_clear(tmu_t *device) {
    tmu_network_t *network = &device->network;
    for (uint32_t i = 0; network->regions && i < network->region_count; i++) {
        if (network->regions[i].dma.memory) {
            device->ops->dma_free(device->backend, &network->regions[i].dma);
        }
    }
    for (uint32_t i = 0; network->pools && i < device->info.endpoints; i++) {
        if (network->pools[i].memory) {
            device->ops->dma_free(device->backend, &network->pools[i]);
        }
    }
    free(network->pools);
    free(network->regions);
    free(network->peers);
    free(network->freed);
    pthread_mutex_destroy(&network->lock);
    tmu_network_init(network);
}

void tmu_network_forget(tmu_t *device, const tmu_queue_t *queue) {
    if (device->network.started && queue->lists.memory) {
        (void)tmu_network_memory_free(device, &queue->lists);
    }
}

/* TMU_ERR_INVALID with a sentence for what has no network, or none that was started. */
static tmu_result_t network_check(tmu_t *device, bool started) {
    tmu_result_t result = tmu_control_check(device, "a card's network");
    if (result == TMU_OK && !tmu_network_is_card(&device->info)) {
        result = tmu_error_set(TMU_ERR_INVALID, "a device '%s:' that is no card has no network",
                               device->info.scheme);
    }
    if (result == TMU_OK && started && !device->network.started) {
        result = tmu_error_set(TMU_ERR_INVALID, "the network has not been started");
    }
    return result == TMU_OK ? tmu_device_check(device) : result;
}

/* ---- start --------------------------------------------------------------------------------- */

static tmu_result_t tables_allocate(tmu_t *device, uint32_t message_log2) {
    tmu_network_t *network = &device->network;
    uint32_t sizes = 0;
    tmu_result_t result = tmu_device_read(device, TMU_REG_WIRE_TABLES, &sizes);
    if (result != TMU_OK) {
        return result;
    }
    network->peer_count = UINT32_C(1) << TMU_REGISTER_GET(sizes, TMU_WIRE_TABLES_PEERS_LOG2);
    network->region_count = UINT32_C(1) << TMU_REGISTER_GET(sizes, TMU_WIRE_TABLES_MEMORIES_LOG2);
    network->message_count = UINT32_C(1) << TMU_REGISTER_GET(sizes, TMU_WIRE_TABLES_MESSAGES_LOG2);
    network->pool_log2 = message_log2;
    network->peers = calloc(network->peer_count, sizeof *network->peers);
    network->regions = calloc(network->region_count, sizeof *network->regions);
    network->pools = calloc(device->info.endpoints, sizeof *network->pools);
    network->freed = calloc(device->info.queues + 1, sizeof *network->freed);
    return network->peers && network->regions && network->pools && network->freed
               ? TMU_OK
               : tmu_error_set(TMU_ERR_MEMORY, "no memory for the tables of a card");
}

static tmu_result_t settings_write(tmu_t *device, const tmu_net_attr_t *attr) {
    uint32_t messages = 0;
    uint32_t config = 0;
    tmu_result_t result = tmu_device_read(device, TMU_REG_WIRE_MESSAGES, &messages);
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_WIRE_CONFIG, &config);
    }
    if (result == TMU_OK && attr->retransmit_us != 0) {
        result = tmu_device_write(device, TMU_REG_WIRE_RETRANSMIT, attr->retransmit_us);
    }
    if (result != TMU_OK) {
        return result;
    }
    const uint32_t dscp = TMU_REGISTER_GET(messages, TMU_WIRE_MESSAGES_DSCP);
    const setting_t settings[] = {
        {TMU_REG_WIRE_ADDRESS_0, attr->address},
        {TMU_REG_WIRE_MESSAGES,
         TMU_REGISTER_BITS(TMU_WIRE_MESSAGES_PAYLOAD_MTU, attr->payload_mtu) |
             TMU_REGISTER_BITS(TMU_WIRE_MESSAGES_POOL_LOG2, device->network.pool_log2) |
             TMU_REGISTER_BITS(TMU_WIRE_MESSAGES_DSCP, dscp)},
        {TMU_REG_WIRE_ATTEMPTS, attr->attempts},
        {TMU_REG_WIRE_CONFIG, config | TMU_REGISTER_BITS(TMU_WIRE_CONFIG_ENABLE, 1)},
    };
    return WRITE_ALL(device, settings);
}

static tmu_result_t start_stopped(tmu_t *device, const tmu_net_attr_t *attr) {
    if (device->network.started) {
        return tmu_error_set(TMU_ERR_BUSY, "the network has been started");
    }
    tmu_result_t result = tables_allocate(device, attr->message_log2);
    if (result == TMU_OK) {
        result = settings_write(device, attr);
    }
    if (result != TMU_OK) {
        tmu_network_clear(device);
        return result;
    }
    device->network.started = true;
    tmu_bounds_network(&device->bounds, device->network.message_count);
    return TMU_OK;
}

tmu_result_t tmu_net_start_sized(tmu_t *device, const tmu_net_attr_t *attr, size_t size) {
    tmu_net_attr_t known = {0};
    if (!device || !attr || size == 0 || !tmu_sized_take(&known, sizeof known, attr, size)) {
        return tmu_error_set(TMU_ERR_INVALID, "found no settings that this library knows");
    }
    known.payload_mtu = known.payload_mtu != 0 ? known.payload_mtu : PAYLOAD_MTU;
    known.message_log2 = known.message_log2 != 0 ? known.message_log2 : MESSAGE_LOG2;
    if (known.message_log2 > MESSAGE_LOG2_MOST || known.payload_mtu > 2 * PAYLOAD_MTU) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "found messages of 2^%u bytes in packets of %u, expected 2^%d and %d "
                             "at most",
                             known.message_log2, known.payload_mtu, MESSAGE_LOG2_MOST,
                             2 * PAYLOAD_MTU);
    }
    tmu_result_t result = network_check(device, false);
    if (result != TMU_OK) {
        return result;
    }
    tmu_device_stop(device);
    result = tmu_device_still(device) ? start_stopped(device, &known) : TMU_AGAIN;
    tmu_device_go(device);
    return result;
}

/* ---- changes of tables --------------------------------------------------------------------- */

/* Writes a command, waits until it is carried out, and gives `refused` where it was not. */
static tmu_result_t command(tmu_t *device, const setting_t *settings, size_t count,
                            uint32_t status_offset, const char *what) {
    uint32_t status = 0;
    tmu_result_t result = write_all(device, settings, count);
    if (result == TMU_OK) { /* both status registers have the same bits */
        result =
            tmu_device_wait(device, status_offset, TMU_REGISTER_BITS(TMU_TABLE_STATUS_BUSY, 1), 0);
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, status_offset, &status);
    }
    if (result == TMU_OK && TMU_REGISTER_GET(status, TMU_TABLE_STATUS_REFUSED) != 0) {
        return tmu_error_set(TMU_ERR_BUSY, "the card refused %s: no room, or it is in use", what);
    }
    return result;
}

#define COMMAND(device, settings, status, what)                                                    \
    command(device, settings, sizeof(settings) / sizeof(settings)[0], status, what)

/* A buffer for each number of a message, in memory of this endpoint alone (W2). */
static tmu_result_t pool_register(tmu_t *device, uint32_t endpoint) {
    tmu_network_t *network = &device->network;
    tmu_dma_t *pool = &network->pools[endpoint];
    if (pool->memory) {
        return TMU_OK;
    }
    tmu_result_t result = device->ops->dma_alloc(
        device->backend, (size_t)network->message_count << network->pool_log2, pool);
    if (result != TMU_OK) {
        return result;
    }
    const setting_t settings[] = {
        {TMU_REG_POOL_BASE_LO, (uint32_t)pool->bus_address},
        {TMU_REG_POOL_BASE_HI, (uint32_t)(pool->bus_address >> 32)},
        {TMU_REG_POOL_ENDPOINT, TMU_REGISTER_BITS(TMU_POOL_ENDPOINT_ENDPOINT, endpoint) |
                                    TMU_REGISTER_BITS(TMU_POOL_ENDPOINT_REGISTER, 1)},
    };
    return WRITE_ALL(device, settings);
}

/* Memory that an endpoint needs with its first name, and its queue for sends. */
static tmu_result_t name_prepare(tmu_queue_t *queue) {
    tmu_result_t result = pool_register(queue->device, queue->endpoint);
    if (result == TMU_OK && !queue->lists.memory) {
        result = tmu_network_memory_new(queue->device, queue->endpoint,
                                        queue->pendings.size * sizeof(tmu_record_t), &queue->lists);
    }
    return result;
}

static tmu_result_t name_write(tmu_queue_t *queue, const tmu_net_name_t *name, bool removes) {
    const setting_t settings[] = {
        {TMU_REG_NAME_JOB, TMU_REGISTER_BITS(TMU_NAME_JOB_JOB, name->job) |
                               TMU_REGISTER_BITS(TMU_NAME_JOB_RELATIVE, 1)},
        {TMU_REG_NAME_PROCESS, TMU_REGISTER_BITS(TMU_NAME_PROCESS_PID, name->pid) |
                                   TMU_REGISTER_BITS(TMU_NAME_PROCESS_INDEX, name->index)},
        {TMU_REG_NAME_ENDPOINT, TMU_REGISTER_BITS(TMU_NAME_ENDPOINT_ENDPOINT, queue->endpoint)},
        {TMU_REG_NAME_STATE, TMU_REGISTER_BITS(TMU_NAME_STATE_USES_GENERATION, 1) |
                                 TMU_REGISTER_BITS(TMU_NAME_STATE_ENABLED, 1)},
        {TMU_REG_NAME_COMMAND, TMU_REGISTER_BITS(TMU_NAME_COMMAND_ENDPOINT, 1) |
                                   TMU_REGISTER_BITS(TMU_NAME_COMMAND_REMOVE, removes)},
    };
    return COMMAND(queue->device, settings, TMU_REG_NAME_STATUS, "a name");
}

static tmu_result_t name_change(tmu_queue_t *queue, const tmu_net_name_t *name, bool removes) {
    if (!queue || !name || name->job > TMU_NAME_JOB_JOB_MASK ||
        name->pid > TMU_NAME_PROCESS_PID_MASK || name->index > TMU_NAME_PROCESS_INDEX_MASK) {
        return tmu_error_set(TMU_ERR_INVALID, "found no queue, or no name of 24, 12 and 12 bits");
    }
    tmu_t *device = queue->device;
    tmu_result_t result = network_check(device, true);
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&device->lock);
    if (queue->endpoint >= device->info.endpoints) {
        result = tmu_error_set(TMU_ERR_INVALID, "a name is given on a queue of its endpoint");
    } else if (!removes) {
        result = name_prepare(queue);
    }
    if (result == TMU_OK) {
        result = name_write(queue, name, removes);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_net_name_add(tmu_queue_t *queue, const tmu_net_name_t *name) {
    return name_change(queue, name, false);
}

tmu_result_t tmu_net_name_remove(tmu_queue_t *queue, const tmu_net_name_t *name) {
    return name_change(queue, name, true);
}

static tmu_result_t peer_write(tmu_t *device, uint32_t number, uint32_t endpoint,
                               const tmu_net_peer_t *peer) {
    const setting_t settings[] = {
        {TMU_REG_PEER_SELECT, number},
        {TMU_REG_PEER_ADDRESS_0, peer->address},
        {TMU_REG_PEER_JOB, TMU_REGISTER_BITS(TMU_PEER_JOB_JOB, peer->name.job)},
        {TMU_REG_PEER_PROCESS, TMU_REGISTER_BITS(TMU_PEER_PROCESS_PID, peer->name.pid) |
                                   TMU_REGISTER_BITS(TMU_PEER_PROCESS_INDEX, peer->name.index)},
        {TMU_REG_PEER_INITIATOR, peer->initiator},
        {TMU_REG_PEER_OWNER, TMU_REGISTER_BITS(TMU_PEER_OWNER_ENDPOINT, endpoint)},
        {TMU_REG_PEER_COMMAND, TMU_REGISTER_BITS(TMU_PEER_COMMAND_SET, 1)},
    };
    return COMMAND(device, settings, TMU_REG_TABLE_STATUS, "a peer");
}

tmu_result_t tmu_net_peer_add(tmu_t *device, uint32_t endpoint, const tmu_net_peer_t *peer,
                              uint32_t *peer_p) {
    if (!device || !peer || !peer_p) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = network_check(device, true);
    if (result == TMU_OK) {
        result = tmu_endpoint_check(device, endpoint);
    }
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&device->lock);
    tmu_network_t *network = &device->network;
    uint32_t number = 0;
    while (number < network->peer_count && network->peers[number]) {
        number++;
    }
    if (number == network->peer_count) {
        result = tmu_error_set(TMU_ERR_BUSY, "the card has no room for another peer, it has %u",
                               network->peer_count);
    } else {
        result = peer_write(device, number, endpoint, peer);
    }
    if (result == TMU_OK) {
        network->peers[number] = true;
        *peer_p = number;
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_net_peer_remove(tmu_t *device, uint32_t peer) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = network_check(device, true);
    if (result != TMU_OK) {
        return result;
    }
    const setting_t settings[] = {
        {TMU_REG_PEER_SELECT, peer},
        {TMU_REG_PEER_COMMAND, TMU_REGISTER_BITS(TMU_PEER_COMMAND_REMOVE, 1)},
    };
    pthread_mutex_lock(&device->lock);
    if (peer >= device->network.peer_count || !device->network.peers[peer]) {
        result = tmu_error_set(TMU_ERR_INVALID, "there is no peer %u", peer);
    } else {
        result = COMMAND(device, settings, TMU_REG_TABLE_STATUS, "to remove a peer");
    }
    if (result == TMU_OK) {
        device->network.peers[peer] = false;
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}
