/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_wire.h"

void tmu_wire_key(tmu_record_t *command, const tmu_key_t *key) {
#define PUT(value, mask, VALUE, MASK, type, kept, signal)                                          \
    TMU_FIELD_SET(command, TMU_COMMAND_##VALUE, key->value);                                       \
    TMU_FIELD_SET(command, TMU_COMMAND_##MASK, key->mask);
    TMU_KEY_TABLE(PUT)
#undef PUT
}

void tmu_wire_message(tmu_record_t *command, const tmu_message_t *message) {
#define PUT(value, mask, VALUE, MASK, type, kept, signal)                                          \
    TMU_FIELD_SET(command, TMU_COMMAND_##VALUE, message->value);
    TMU_KEY_TABLE(PUT)
#undef PUT
}

/* All ones in `bits` bits. */
static uint64_t ones(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

void tmu_wire_everything(tmu_record_t *command, const tmu_info_t *info) {
#define PUT(value, mask, VALUE, MASK, type, kept, signal)                                          \
    TMU_FIELD_SET(command, TMU_COMMAND_##MASK, ones(kept));
    TMU_KEY_TABLE(PUT)
#undef PUT
}

void tmu_wire_completion(const tmu_record_t *record, tmu_completion_t *completion_p) {
    tmu_completion_t c = {
        .opcode = (uint8_t)TMU_FIELD_GET(record, TMU_COMPLETION_OPCODE),
        .status = (uint8_t)TMU_FIELD_GET(record, TMU_COMPLETION_STATUS),
        .truncated = TMU_FIELD_GET(record, TMU_COMPLETION_TRUNCATED) != 0,
        .unexpected = TMU_FIELD_GET(record, TMU_COMPLETION_UNEXPECTED) != 0,
        .serial = (uint32_t)TMU_FIELD_GET(record, TMU_COMPLETION_SERIAL),
        .handle = TMU_FIELD_GET(record, TMU_COMPLETION_HANDLE),
        .other = TMU_FIELD_GET(record, TMU_COMPLETION_OTHER),
#define GET(value, mask, VALUE, MASK, type, kept, signal)                                          \
    .value = (type)TMU_FIELD_GET(record, TMU_COMPLETION_##VALUE),
        TMU_KEY_TABLE(GET)
#undef GET
            .endpoint = (uint32_t)TMU_FIELD_GET(record, TMU_COMPLETION_ENDPOINT),
        .message_length = TMU_FIELD_GET(record, TMU_COMPLETION_MESSAGE_LENGTH),
        .host_latency = (uint16_t)TMU_FIELD_GET(record, TMU_COMPLETION_HOST_LATENCY),
        .receive_length = TMU_FIELD_GET(record, TMU_COMPLETION_RECEIVE_LENGTH),
        .unit_latency = (uint16_t)TMU_FIELD_GET(record, TMU_COMPLETION_UNIT_LATENCY),
        .address = TMU_FIELD_GET(record, TMU_COMPLETION_ADDRESS),
    };
    if (c.status == TMU_STATUS_FLUSHED) {
        c.removed_posted = (uint32_t)TMU_FIELD_GET(record, TMU_COMPLETION_REMOVED_POSTED);
        c.removed_unexpected = (uint32_t)TMU_FIELD_GET(record, TMU_COMPLETION_REMOVED_UNEXPECTED);
        c.other = 0;
    }
    if (c.status == TMU_STATUS_ENTRY) { /* these bits are the entry's masks */
        c.serial = 0;
        c.receive_length = 0;
        c.unit_latency = 0;
    }
    *completion_p = c;
}

void tmu_wire_entry(const tmu_record_t *record, tmu_entry_t *entry_p) {
    *entry_p = (tmu_entry_t){
        .unexpected = TMU_FIELD_GET(record, TMU_COMPLETION_UNEXPECTED) != 0,
        .endpoint = (uint32_t)TMU_FIELD_GET(record, TMU_COMPLETION_ENDPOINT),
#define GET(value, mask, VALUE, MASK, type, kept, signal)                                          \
    .key.value = (type)TMU_FIELD_GET(record, TMU_COMPLETION_##VALUE),                              \
    .key.mask = (type)TMU_FIELD_GET(record, TMU_COMPLETION_ENTRY_##MASK),
        TMU_KEY_TABLE(GET)
#undef GET
            .handle = TMU_FIELD_GET(record, TMU_COMPLETION_OTHER),
        .address = TMU_FIELD_GET(record, TMU_COMPLETION_ADDRESS),
        .length = TMU_FIELD_GET(record, TMU_COMPLETION_MESSAGE_LENGTH),
    };
}

void tmu_wire_spilled(const tmu_record_t *record, tmu_entry_t *entry_p) {
    *entry_p = (tmu_entry_t){
        .spilled = true,
        .endpoint = (uint32_t)TMU_FIELD_GET(record, TMU_SPILL_ENTRY_ENDPOINT),
#define GET(value, mask, VALUE, MASK, type, kept, signal)                                          \
    .key.value = (type)TMU_FIELD_GET(record, TMU_SPILL_ENTRY_##VALUE),                             \
    .key.mask = (type)TMU_FIELD_GET(record, TMU_SPILL_ENTRY_##MASK),
        TMU_KEY_TABLE(GET)
#undef GET
            .handle = TMU_FIELD_GET(record, TMU_SPILL_ENTRY_HANDLE),
        .address = TMU_FIELD_GET(record, TMU_SPILL_ENTRY_ADDRESS),
        .length = TMU_FIELD_GET(record, TMU_SPILL_ENTRY_LENGTH),
    };
}
