/* SPDX-License-Identifier: Apache-2.0
 *
 * Form of a command: which bits it may set.
 */
#include "ref_device.h"
#include "tmu/tmu_info.h"

/* Bits that a command with this opcode may set, word by word; the rest must be 0 (R13). */
static bool used_bits(const ref_preset_t *preset, bool card, uint8_t opcode, tmu_record_t *used_p) {
    bool search = opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_PROBE ||
                  opcode == TMU_OPCODE_CLAIM || opcode == TMU_OPCODE_FLUSH;
    bool buffer = opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_ARRIVE;
    bool named = opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_CANCEL;
    const tmu_info_t *info =
        &(tmu_info_t){.match_bits = ref_match_bits(preset), .source_bits = preset->source_bits};
    tmu_record_t used = {0};
    if (opcode < TMU_OPCODE_POST || opcode > TMU_OPCODE_INSPECT) {
        return false;
    }
    TMU_FIELD_SET(&used, TMU_COMMAND_OPCODE, UINT64_MAX);
    TMU_FIELD_SET(&used, TMU_COMMAND_ENDPOINT, UINT64_MAX);
    TMU_FIELD_SET(&used, TMU_COMMAND_HANDLE, UINT64_MAX >> (64 - preset->handle_bits));
#define USE(value, mask, VALUE, MASK, type, kept, signal)                                          \
    if (search || opcode == TMU_OPCODE_ARRIVE) {                                                   \
        TMU_FIELD_SET(&used, TMU_COMMAND_##VALUE, UINT64_MAX >> (64 - (kept)));                    \
    }                                                                                              \
    if (search) {                                                                                  \
        TMU_FIELD_SET(&used, TMU_COMMAND_##MASK, UINT64_MAX >> (64 - (kept)));                     \
    }
    TMU_KEY_TABLE(USE)
#undef USE
    if (buffer) {
        TMU_FIELD_SET(&used, TMU_COMMAND_ADDRESS, UINT64_MAX >> (64 - preset->address_bits));
        TMU_FIELD_SET(&used, TMU_COMMAND_LENGTH, UINT64_MAX >> (64 - preset->length_bits));
    }
    if (named) {
        TMU_FIELD_SET(&used, TMU_COMMAND_RECEIVE_ID, UINT64_MAX);
    }
    if (card && opcode == TMU_OPCODE_POST) {
        TMU_FIELD_SET(&used, TMU_COMMAND_MEMORY, UINT64_MAX);
    }
    if (opcode == TMU_OPCODE_INSPECT) {
        TMU_FIELD_SET(&used, TMU_COMMAND_INSPECT_POSITION, UINT64_MAX);
        TMU_FIELD_SET(&used, TMU_COMMAND_INSPECT_QUEUE, UINT64_MAX);
    }
    *used_p = used;
    return true;
}

uint32_t ref_id_none(const ref_device_t *device) {
    return (UINT32_C(1) << device->preset->id_bits) - 1;
}

bool ref_malformed(const ref_device_t *device, const tmu_record_t *command) {
    tmu_record_t used;
    uint8_t opcode = (uint8_t)TMU_FIELD_GET(command, TMU_COMMAND_OPCODE);
    if (!used_bits(device->preset, device->card, opcode, &used) ||
        (device->card && opcode == TMU_OPCODE_ARRIVE)) { /* messages come by frames (W8) */
        return true;
    }
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        if ((command->word[i] & ~used.word[i]) != 0) {
            return true;
        }
    }
    return opcode == TMU_OPCODE_POST &&
           TMU_FIELD_GET(command, TMU_COMMAND_RECEIVE_ID) >= ref_id_none(device);
}
