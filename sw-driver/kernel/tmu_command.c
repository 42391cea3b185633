// SPDX-License-Identifier: GPL-2.0-only
/*
 * The privileged page, which the module keeps for itself: it empties endpoints by command.
 */
#include <linux/delay.h>
#include <linux/io.h>

#include "tmu_kernel.h"

#define RING_LOG2 6
#define ENTRIES (1u << RING_LOG2)
#define WORDS 8
/* For the next completion of a flush; the unit reports an entry each 2,048 clocks at least. */
#define PATIENCE_MS 10000

#define FIELD_GET_OF(words, FIELD) ((words)[FIELD##_WORD] >> FIELD##_SHIFT & FIELD##_MASK)
#define FIELD_SET_OF(words, FIELD, value)                                                          \
    ((words)[FIELD##_WORD] |= ((u64)(value)&FIELD##_MASK) << FIELD##_SHIFT)

int tmu_privileged_open(struct tmu_unit *unit) {
    const struct tmu_page page = {
        .number = unit->info.queues,
        .ring_log2 = RING_LOG2,
        .first = 0, /* slot 0 is taken for it in probe */
        .ring = unit->ring.address,
        .enable = true,
    };
    memset(unit->ring.memory, 0, unit->ring.bytes);
    unit->consumed = 0;
    return tmu_page_set(unit, &page);
}

/* Takes the next completion, whose phase is that of its lap; false if there is none. */
static bool take(struct tmu_unit *unit, u64 record[WORDS]) {
    const __le64 *words = (const __le64 *)unit->ring.memory + unit->consumed % ENTRIES * WORDS;
    u64 lap = unit->consumed >> RING_LOG2;
    record[TMU_COMPLETION_PHASE_WORD] = le64_to_cpu(READ_ONCE(words[TMU_COMPLETION_PHASE_WORD]));
    if (FIELD_GET_OF(record, TMU_COMPLETION_PHASE) != (~lap & 1)) {
        return false;
    }
    dma_rmb();
    for (u32 i = 0; i < WORDS; i++) {
        record[i] = le64_to_cpu(words[i]);
    }
    unit->consumed++;
    writel(unit->consumed, unit->page + TMU_DOORBELL_CONSUMER_OFFSET);
    return true;
}

static int next(struct tmu_unit *unit, u64 record[WORDS]) {
    unsigned long end = jiffies + msecs_to_jiffies(PATIENCE_MS);
    while (!take(unit, record)) {
        if (time_after(jiffies, end)) {
            return tmu_fail(unit, "a flush does not end");
        }
        usleep_range(10, 50);
    }
    return 0;
}

/*
 * Removes all entries of an endpoint; `*serial_p` is the serial number of its next verdict.
 * EUCLEAN: the unit cannot, because it has lost a bit or its memory.
 */
int tmu_flush(struct tmu_unit *unit, u32 endpoint, u32 *serial_p) {
    u64 record[WORDS] = {0};
    u64 status;
    int error = unit->failed ? -EIO : 0;
    FIELD_SET_OF(record, TMU_COMMAND_OPCODE, TMU_OPCODE_FLUSH);
    FIELD_SET_OF(record, TMU_COMMAND_ENDPOINT, endpoint);
    FIELD_SET_OF(record, TMU_COMMAND_IGNORE, GENMASK_ULL(unit->info.match_bits - 1, 0));
    FIELD_SET_OF(record, TMU_COMMAND_SOURCE_IGNORE, GENMASK_ULL(unit->info.source_bits - 1, 0));
    for (u32 i = 0; i < WORDS && !error; i++) {
        writeq(record[i], unit->page + i * sizeof(u64));
    }
    do {
        error = error ? error : next(unit, record);
        status = FIELD_GET_OF(record, TMU_COMPLETION_STATUS);
    } while (!error && status == TMU_STATUS_REMOVED);
    if (error) {
        return error;
    }
    if (status == TMU_STATUS_SPILL_FAILED || status == TMU_STATUS_TABLE_FAULT) {
        return -EUCLEAN;
    }
    if (status != TMU_STATUS_FLUSHED) {
        return tmu_fail(unit, "a flush was answered with another verdict");
    }
    *serial_p = (u32)FIELD_GET_OF(record, TMU_COMPLETION_SERIAL) + 1;
    return 0;
}
