/* SPDX-License-Identifier: Apache-2.0 */
#include "crowd.h"

#include "tmu_raw.h"

#include <stdlib.h>

#define RING_LOG2 4             /* of ring and share of each queue */
#define FAR (UINT64_C(1) << 63) /* a match bit that no message has */

/* Receives of which only the whole entry tells that no message is theirs, and arrivals, probes and
 * claims, in turn: memory has to be read for nearly all of them. */
static tmu_record_t search_missing(uint64_t turn, uint64_t number) {
    static const uint8_t opcodes[] = {TMU_OPCODE_POST, TMU_OPCODE_ARRIVE, TMU_OPCODE_PROBE,
                                      TMU_OPCODE_CLAIM};
    const uint8_t opcode = opcodes[turn % 4];
    tmu_record_t command = {0};
    TMU_FIELD_SET(&command, TMU_COMMAND_OPCODE, opcode);
    if (opcode == TMU_OPCODE_ARRIVE) {
        TMU_FIELD_SET(&command, TMU_COMMAND_MATCH, number);
    } else {
        TMU_FIELD_SET(&command, TMU_COMMAND_MATCH, FAR);
        TMU_FIELD_SET(&command, TMU_COMMAND_IGNORE, ~FAR);
        TMU_FIELD_SET(&command, TMU_COMMAND_SOURCE_IGNORE, UINT64_C(0xffffffff));
    }
    if (opcode == TMU_OPCODE_POST) {
        TMU_FIELD_SET(&command, TMU_COMMAND_RECEIVE_ID, number);
    }
    return command;
}

tmu_result_t crowd_open(crowd_t *crowd, tmu_t *device, uint32_t first, uint32_t endpoints,
                        uint32_t count) {
    *crowd = (crowd_t){.queues = calloc(count, sizeof(tmu_queue_t *)),
                       .written = calloc(count, sizeof(uint64_t))};
    tmu_result_t result = crowd->queues && crowd->written ? TMU_OK : TMU_ERR_MEMORY;
    while (result == TMU_OK && crowd->count < count) {
        const tmu_queue_attr_t attr = {first + crowd->count % endpoints, RING_LOG2, RING_LOG2};
        tmu_queue_t **queue = &crowd->queues[crowd->count];
        result = tmu_queue_open(device, &attr, queue);
        if (result == TMU_OK) {
            /* Another queue's poll would take its answers, and not know them: it is in a call. */
            tmu_raw_hold(*queue);
            crowd->count++;
        }
    }
    return result;
}

tmu_result_t crowd_strike(crowd_t *crowd) {
    const uint32_t which = crowd->next;
    const uint64_t turn = crowd->written[which];
    const uint64_t number = turn * crowd->count + which;
    tmu_result_t result = tmu_raw_command(crowd->queues[which], 0, search_missing(turn, number));
    if (result != TMU_OK) {
        return result;
    }
    crowd->next = (which + 1) % crowd->count;
    return tmu_raw_consumer(crowd->queues[which], (uint32_t)(++crowd->written[which]));
}

tmu_result_t crowd_close(crowd_t *crowd) {
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; i < crowd->count; i++) {
        tmu_raw_release(crowd->queues[i]);
        const tmu_result_t closed = tmu_queue_close(crowd->queues[i]);
        result = result == TMU_OK ? closed : result;
    }
    free((void *)crowd->queues);
    free(crowd->written);
    *crowd = (crowd_t){0};
    return result;
}
