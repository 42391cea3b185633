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
/* A flush that is not heard of is asked for again so often. */
#define TRIES 3

#define FIELD_GET_OF(words, FIELD) ((words)[FIELD##_WORD] >> FIELD##_SHIFT & FIELD##_MASK)
#define FIELD_SET_OF(words, FIELD, value)                                                          \
    ((words)[FIELD##_WORD] |= ((u64)(value) & FIELD##_MASK) << FIELD##_SHIFT)

/* Disabled first: until then the unit may still write into the ring. */
int tmu_privileged_open(struct tmu_unit *unit) {
    struct tmu_page page = {
        .number = unit->info.queues,
        .ring_log2 = RING_LOG2,
        .first = 0, /* slot 0 is taken for it in probe */
        .ring = unit->ring.address,
    };
    int error = tmu_page_set(unit, &page);
    if (error) {
        return error;
    }
    memset(unit->ring.memory, 0, unit->ring.bytes);
    unit->consumed = 0;
    page.enable = true;
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

/* The next completion, if it comes in time; who was not scheduled meanwhile looks once more. */
static int next_ms(struct tmu_unit *unit, u64 record[WORDS], u32 ms) {
    struct tmu_wait wait = tmu_wait_begin(unit, ms);
    for (;;) {
        bool late = tmu_wait_over(unit, &wait);
        if (take(unit, record)) {
            return 0;
        }
        if (late || pci_channel_offline(unit->pdev)) {
            return -ETIME;
        }
        usleep_range(10, 50);
    }
}

/* The same, where rings that nobody reads may be in the way. */
static int next(struct tmu_unit *unit, u64 record[WORDS]) {
    int error = next_ms(unit, record, TMU_RING_WAIT_MS);
    if (error) {
        tmu_hurry(unit, true);
        error = next_ms(unit, record, TMU_PATIENCE_MS);
        tmu_hurry(unit, false);
    }
    return error;
}

/* ETIME: nothing was heard for long. */
static int flush_once(struct tmu_unit *unit, u32 endpoint, u32 *serial_p) {
    const struct tmu_ioctl_query *info = &unit->info;
    u64 record[WORDS] = {0};
    u64 status;
    int error = 0;
    FIELD_SET_OF(record, TMU_COMMAND_OPCODE, TMU_OPCODE_FLUSH);
    FIELD_SET_OF(record, TMU_COMMAND_ENDPOINT, endpoint);
#define IGNORE_ALL(value, mask, VALUE, MASK, type, kept, signal)                                   \
    FIELD_SET_OF(record, TMU_COMMAND_##MASK, GENMASK_ULL((kept) - 1, 0));
    TMU_KEY_TABLE(IGNORE_ALL)
#undef IGNORE_ALL
    for (u32 i = 0; i < WORDS; i++) {
        writeq(record[i], unit->page + i * sizeof(u64));
    }
    do {
        error = next(unit, record);
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

/*
 * Removes all entries of an endpoint; `*serial_p` is the serial number of its next verdict.
 * EUCLEAN: the unit cannot, because it has lost a bit or its memory.
 *
 * While this task is not scheduled its own ring can stay full beyond RING_PATIENCE.  The unit then
 * removes the rest unseen and disables the page, so that nothing is heard any more: with the page
 * opened again the next flush finds less, and ends.
 */
int tmu_flush(struct tmu_unit *unit, u32 endpoint, u32 *serial_p) {
    int error = unit->failed ? -EIO : flush_once(unit, endpoint, serial_p);
    for (u32 tries = 1; tries < TRIES && error == -ETIME; tries++) {
        error = tmu_privileged_open(unit);
        error = error ? error : flush_once(unit, endpoint, serial_p);
    }
    return error == -ETIME ? tmu_fail(unit, "a flush does not end") : error;
}
