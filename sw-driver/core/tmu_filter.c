/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of the filter ids: the registers, and a choice of windows from observed keys.
 *
 * Windows never change a verdict, for every candidate is compared in full.  So registers may be
 * written one after the other while traffic runs: what is taken over in between filters less well,
 * no more.
 */
#include "tmu_internal.h"

/* Two pieces of the match bits, one of the source; shorter ids share their bits alike. */
#define PIECES_MAX 2

/* Bits that the same wildcards ignore.  Each kind is put as a whole into a set of windows. */
#define KINDS_MAX 6

const tmu_filter_windows_t tmu_filter_default = {
    .low = (uint64_t)TMU_FILTER_LOW_LO_INITIAL,
    .high = (uint64_t)TMU_FILTER_HIGH_HI_INITIAL << 32,
    .source = TMU_FILTER_SOURCE_INITIAL,
};

tmu_filter_windows_t tmu_filter_of(const tmu_info_t *info) {
    const uint64_t tag = UINT64_MAX >> (64 - info->tag_bits);
    const uint64_t match = UINT64_MAX >> (64 - info->match_bits);
    return (tmu_filter_windows_t){
        .low = tag, .high = match & ~tag, .source = tmu_filter_default.source};
}

tmu_result_t tmu_filter_write(tmu_t *device, const tmu_filter_windows_t *windows) {
    const struct {
        uint32_t offset;
        uint32_t value;
    } writes[] = {
        {TMU_REG_FILTER_SOURCE, windows->source},
        {TMU_REG_FILTER_LOW_LO, (uint32_t)windows->low},
        {TMU_REG_FILTER_LOW_HI, (uint32_t)(windows->low >> 32)},
        {TMU_REG_FILTER_HIGH_LO, (uint32_t)windows->high},
        {TMU_REG_FILTER_HIGH_HI, (uint32_t)(windows->high >> 32)},
    };
    tmu_result_t result = TMU_OK;
    for (size_t i = 0; result == TMU_OK && i < sizeof writes / sizeof writes[0]; i++) {
        result = tmu_device_write(device, writes[i].offset, writes[i].value);
    }
    return result;
}

tmu_result_t tmu_filter_set(tmu_t *device, const tmu_filter_windows_t *windows) {
    if (!device || !windows) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = tmu_control_check(device, "filter windows");
    if (result == TMU_OK) {
        result = tmu_device_check(device);
    }
    if (result == TMU_OK) {
        result = tmu_filter_write(device, windows);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_filter_get(tmu_t *device, tmu_filter_windows_t *windows_p) {
    if (!device || !windows_p) {
        return TMU_ERR_INVALID;
    }
    static const uint32_t offsets[] = {TMU_REG_FILTER_SOURCE, TMU_REG_FILTER_LOW_LO,
                                       TMU_REG_FILTER_LOW_HI, TMU_REG_FILTER_HIGH_LO,
                                       TMU_REG_FILTER_HIGH_HI};
    uint32_t words[sizeof offsets / sizeof offsets[0]] = {0};
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = tmu_control_check(device, "filter windows");
    for (size_t i = 0; result == TMU_OK && i < sizeof offsets / sizeof offsets[0]; i++) {
        result = tmu_device_read(device, offsets[i], &words[i]);
    }
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK) {
        *windows_p = (tmu_filter_windows_t){.low = (uint64_t)words[2] << 32 | words[1],
                                            .high = (uint64_t)words[4] << 32 | words[3],
                                            .source = words[0]};
    }
    return result;
}

/* Counts a set of ignored bits; the last one holds the union of all that found no other. */
static void mask_count(tmu_filter_mask_t *masks, uint64_t ignore) {
    if (ignore == 0) {
        return;
    }
    size_t i = 0;
    while (i < TMU_FILTER_MASKS - 1 && masks[i].keys > 0 && masks[i].ignore != ignore) {
        i++;
    }
    masks[i].ignore |= ignore;
    masks[i].keys++;
}

void tmu_filter_observe(tmu_filter_sample_t *sample, uint64_t match, uint64_t ignore,
                        uint32_t source, uint32_t source_ignore) {
    sample->keys++;
    sample->match_ones |= match & ~ignore;
    sample->match_zeros |= ~match & ~ignore;
    sample->source_ones |= source & ~source_ignore;
    sample->source_zeros |= ~source & ~source_ignore;
    mask_count(sample->match_masks, ignore);
    mask_count(sample->source_masks, source_ignore);
}

/* Input of a choice of windows: bits of one field, and how often which of them are ignored. */
typedef struct field {
    uint64_t varied;
    uint64_t keys;
    const tmu_filter_mask_t *masks;
    size_t pieces;
    unsigned piece_bits[PIECES_MAX];
} field_t;

typedef struct kind {
    unsigned ignored_by; /* a bit for each mask */
    uint64_t bits;
} kind_t;

static unsigned bit_count(uint64_t x) {
    unsigned count = 0;
    for (; x != 0; x &= x - 1) {
        count++;
    }
    return count;
}

/* Groups the bits that vary; the first kind has the lowest bit.  Kinds beyond the last join it. */
static size_t kinds_of(const field_t *field, kind_t *kinds) {
    size_t count = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((field->varied >> bit & 1) == 0) {
            continue;
        }
        unsigned ignored_by = 0;
        for (unsigned i = 0; i < TMU_FILTER_MASKS; i++) {
            ignored_by |= (unsigned)(field->masks[i].ignore >> bit & 1) << i;
        }
        size_t k = 0;
        while (k < count && kinds[k].ignored_by != ignored_by) {
            k++;
        }
        if (k == count && count < KINDS_MAX) {
            kinds[count++] = (kind_t){.ignored_by = ignored_by};
        }
        kinds[k < count ? k : count - 1].bits |= UINT64_C(1) << bit;
    }
    return count;
}

/* Wrong entries in a million that pass the filter of a key with this mask, if all bits that vary
 * were random. */
static double passing(const field_t *field, const uint64_t *windows, uint64_t ignore) {
    uint64_t compared = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < field->pieces; i++) {
        if ((windows[i] & ignore) == 0) { /* one ignored bit makes the whole piece meaningless */
            unsigned inside = bit_count(windows[i]);
            bits += inside < field->piece_bits[i] ? inside : field->piece_bits[i];
            compared |= windows[i];
        }
    }
    unsigned different = bit_count(compared);
    return 1e6 / (double)(UINT64_C(1) << (bits < different ? bits : different));
}

/* The same for all keys that were observed. */
static double cost(const field_t *field, const uint64_t *windows) {
    uint64_t exact = field->keys;
    double sum = 0;
    for (size_t i = 0; i < TMU_FILTER_MASKS; i++) {
        const tmu_filter_mask_t *mask = &field->masks[i];
        exact -= mask->keys;
        sum += (double)mask->keys * passing(field, windows, mask->ignore);
    }
    return sum + (double)exact * passing(field, windows, 0);
}

/*
 * Tries every way to put each kind of bits into a set of the field's windows.
 * The first of equally good ways is taken: low bits in the low window and no bit in two.
 */
static void assign(const field_t *field, const kind_t *kinds, size_t count, uint64_t *best) {
    /* In this order: low, high, both, none; of one window: in, out. */
    static const unsigned sets_of_two[] = {1, 2, 3, 0};
    static const unsigned sets_of_one[] = {1, 0};
    const unsigned *sets = field->pieces == 1 ? sets_of_one : sets_of_two;
    const unsigned log2_sets = field->pieces == 1 ? 1 : 2;
    double least = 0;
    for (unsigned code = 0; code < 1U << (log2_sets * count); code++) {
        uint64_t windows[PIECES_MAX] = {0};
        for (size_t k = 0; k < count; k++) {
            size_t digit = log2_sets * (count - 1 - k);
            unsigned set = sets[code >> digit & ((1U << log2_sets) - 1)];
            for (size_t i = 0; i < field->pieces; i++) {
                windows[i] |= (set >> i & 1) != 0 ? kinds[k].bits : 0;
            }
        }
        double now = cost(field, windows);
        if (code == 0 || now < least) {
            least = now;
            for (size_t i = 0; i < field->pieces; i++) {
                best[i] = windows[i];
            }
        }
    }
}

static void choose_field(const field_t *field, const uint64_t *defaults, uint64_t *windows) {
    kind_t kinds[KINDS_MAX] = {{0}};
    size_t count = kinds_of(field, kinds);
    uint64_t used = 0;
    uint64_t ignored = 0;
    if (count == 1 && kinds[0].ignored_by == 0) {
        /* No wildcard is in the way.  The pieces' polynomials have no common factor, so together
         * they are one remainder that tells all keys apart which differ within 22 bits. */
        for (size_t i = 0; i < field->pieces; i++) {
            windows[i] = field->varied;
        }
    } else {
        assign(field, kinds, count, windows);
    }
    for (size_t i = 0; i < TMU_FILTER_MASKS; i++) {
        ignored |= field->masks[i].ignore;
    }
    for (size_t i = 0; i < field->pieces; i++) {
        used |= windows[i];
    }
    /* A window without a use is left to bits that cost nothing and may vary some day. */
    for (size_t i = 0; i < field->pieces; i++) {
        if (windows[i] == 0) {
            windows[i] = used == 0 ? defaults[i] : defaults[i] & ~used & ~ignored;
        }
    }
}

tmu_result_t tmu_filter_choose(const tmu_filter_sample_t *sample, tmu_filter_windows_t *windows_p) {
    if (!sample || !windows_p) {
        return TMU_ERR_INVALID;
    }
    const field_t match = {.varied = sample->match_ones & sample->match_zeros,
                           .keys = sample->keys,
                           .masks = sample->match_masks,
                           .pieces = 2,
                           .piece_bits = {TMU_FILTER_LOW_PIECE_BITS, TMU_FILTER_HIGH_PIECE_BITS}};
    const field_t source = {.varied = sample->source_ones & sample->source_zeros,
                            .keys = sample->keys,
                            .masks = sample->source_masks,
                            .pieces = 1,
                            .piece_bits = {TMU_FILTER_SOURCE_PIECE_BITS}};
    const uint64_t match_defaults[] = {tmu_filter_default.low, tmu_filter_default.high};
    const uint64_t source_default = tmu_filter_default.source;
    uint64_t match_windows[PIECES_MAX] = {0};
    uint64_t source_window = 0;
    choose_field(&match, match_defaults, match_windows);
    choose_field(&source, &source_default, &source_window);
    *windows_p = (tmu_filter_windows_t){
        .low = match_windows[0], .high = match_windows[1], .source = (uint32_t)source_window};
    return TMU_OK;
}
