/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps of a device that tells of lists in memory what the test says: those that can be are walked
 * as the unit does, and the others end the dump, with a sentence.
 */
#include "fixture.h"
#include "tmu_internal.h"

typedef struct seen {
    tmu_entry_t entry[8];
    uint32_t count;
} seen_t;

static bool note(void *user, const tmu_entry_t *entry) {
    seen_t *seen = user;
    seen->entry[seen->count++] = *entry;
    return seen->count < 8;
}

static struct {
    uint32_t selected;
    uint32_t state;
    uint32_t count;
    uint32_t head;
    uint32_t next[4];
    uint64_t live[4];
    unsigned unrest; /* looks that find no rest before one does */
} told;

static tmu_result_t told_write(void *backend, uint32_t offset, uint32_t value) {
    if (offset == TMU_REG_SPILL_SELECT) {
        told.selected = value;
    }
    return tmu_backend_ref.write32(backend, offset, value);
}

static tmu_result_t told_read(void *backend, uint32_t offset, uint32_t *value_p) {
    const bool messages = TMU_REGISTER_GET(told.selected, TMU_SPILL_SELECT_UNEXPECTED) != 0;
    const uint32_t chunk = TMU_REGISTER_GET(told.selected, TMU_SPILL_SELECT_CHUNK) % 4;
    tmu_result_t result = tmu_backend_ref.read32(backend, offset, value_p);
    switch (offset) {
    case TMU_REG_CAPABILITIES:
        *value_p |= TMU_REGISTER_BITS(TMU_CAPABILITIES_PARITY, 1);
        break;
    case TMU_REG_SPILL_STATE:
        *value_p = told.unrest > 0 ? 0 : told.state;
        told.unrest -= told.unrest > 0;
        break;
    case TMU_REG_SPILL_COUNT:
        *value_p = messages ? told.count : 0;
        break;
    case TMU_REG_SPILL_HEAD:
        *value_p = told.head;
        break;
    case TMU_REG_SPILL_NEXT:
        *value_p = told.next[chunk];
        break;
    case TMU_REG_SPILL_LIVE_LO:
        *value_p = (uint32_t)told.live[chunk];
        break;
    case TMU_REG_SPILL_LIVE_HI:
        *value_p = (uint32_t)(told.live[chunk] >> 32);
        break;
    default:
        break;
    }
    return result;
}

/* A device of which the test says what lies in memory: messages of endpoint 1. */
static bench_t told_open(void) {
    static tmu_backend_ops_t ops;
    bench_t b = {0};
    const tmu_queue_attr_t attr = {.endpoint = TMU_ENDPOINT_ANY, .ring_log2 = 4};
    ops = tmu_backend_ref;
    ops.read32 = told_read;
    ops.write32 = told_write;
    memset(&told, 0, sizeof told);
    told.state = TMU_REGISTER_BITS(TMU_SPILL_STATE_RESTING, 1);
    must(tmu_open_backend(&ops, "tiny", &b.device), NULL);
    must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
    must(tmu_spill_add(b.device, 1), b.device);
    return b;
}

/* Puts a message with this handle where the unit would. */
static void put(const bench_t *b, uint32_t chunk, uint32_t slot, uint64_t handle) {
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_SPILL_ENTRY_ENDPOINT, 1);
    TMU_FIELD_SET(&record, TMU_SPILL_ENTRY_HANDLE, handle);
    uint64_t all = chunk ^ slot;
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        all ^= record.word[i];
    }
    TMU_FIELD_SET(&record, TMU_SPILL_ENTRY_PARITY, __builtin_parityll(all));
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        record.word[i] = tmu_le64(record.word[i]);
    }
    memcpy((char *)b->device->segments[0].memory + chunk * TMU_SPILL_CHUNK_BYTES +
               TMU_SPILL_FIRST_ENTRY + slot * TMU_SPILL_ENTRY_BYTES,
           &record, sizeof record);
    told.live[chunk] |= UINT64_C(1) << slot;
    told.count++;
}

static void links_and_live_bits_say_what_is_queued(void) {
    bench_t b = told_open();
    seen_t seen = {.count = 0};
    told.head = 2;
    told.next[2] = 0;
    put(&b, 2, 59, 11);
    put(&b, 2, 31, 10);
    put(&b, 0, 32, 13);
    put(&b, 0, 0, 12);
    told.unrest = 50;
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, 4);
    for (uint32_t i = 0; i < seen.count; i++) {
        EXPECT_NUMBER(seen.entry[i].handle, 10 + i);
        EXPECT_NUMBER(seen.entry[i].position, i);
        EXPECT(seen.entry[i].spilled && seen.entry[i].unexpected);
    }
    tmu_close(b.device);
}

static void expect_refused(bench_t *b, uint32_t shown, const char *text) {
    seen_t seen = {.count = 0};
    EXPECT_NUMBER(tmu_dump(b->queue, 1, note, &seen), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(b->device), text);
    EXPECT_NUMBER(seen.count, shown);
    tmu_close(b->device);
}

static void a_list_that_cannot_be_ends_a_dump_R13(void) {
    bench_t b = told_open();
    put(&b, 0, 0, 1);
    told.count = 2;
    expect_refused(&b, 1, "a queue in memory goes on at chunk 0: it was there before");
    b = told_open();
    put(&b, 0, 0, 1);
    told.next[0] = 512;
    told.count = 2;
    expect_refused(&b, 1, "a queue in memory goes on at chunk 512: none that is registered");
    b = told_open();
    told.count = 1;
    expect_refused(&b, 0, "chunk 0 has 0 entries of the 1 that are left of its queue");
    b = told_open();
    put(&b, 0, 0, 1);
    put(&b, 0, 1, 1);
    told.count = 1;
    expect_refused(&b, 0, "chunk 0 has 2 entries of the 1 that are left of its queue");
    b = told_open();
    put(&b, 0, 2, 1);
    told.live[0] <<= 1;
    expect_refused(&b, 0,
                   "the entry in slot 3 of chunk 0 is of endpoint 0 with handle 0x0: none that "
                   "was queued at endpoint 1");
    b = told_open();
    put(&b, 0, 7, 1);
    *((char *)b.device->segments[0].memory + TMU_SPILL_FIRST_ENTRY + 7 * TMU_SPILL_ENTRY_BYTES) ^=
        8;
    expect_refused(&b, 0, "the entry in slot 7 of chunk 0 has lost a bit");
    b = told_open();
    told.unrest = UINT32_MAX;
    expect_refused(&b, 0, "entries in spill memory do not come to rest");
    b = told_open();
    told.state = TMU_REGISTER_BITS(TMU_SPILL_STATE_ERROR, 1);
    expect_refused(&b, 0, "the device does not know endpoint 1");
    b = told_open();
    b.device->info.interface_minor = 3;
    expect_refused(&b, 0,
                   "the device speaks interface 2.3; entries in memory are shown from 2.4 on");
}

int main(void) {
    RUN(links_and_live_bits_say_what_is_queued);
    RUN(a_list_that_cannot_be_ends_a_dump_R13);
    return expect_summary();
}
