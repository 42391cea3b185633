/* SPDX-License-Identifier: Apache-2.0 */
#include "spill.h"

#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of segments that the user wants; -1 and a sentence if it is none. */
static int64_t wanted(const tmu_info_t *info, char *error, size_t error_size) {
    const char *text = setting_get(SETTING_SPILL);
    if (!text) {
        return info->spill_segments;
    }
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text) && errno == 0 &&
        number <= info->spill_segments) {
        return (int64_t)number;
    }
    (void)snprintf(
        error, error_size,
        "%s=%s: expected how many segments of memory to register with the unit, 0 to %" PRIu32
        "; unset it, and all are registered",
        setting_name(SETTING_SPILL), text, info->spill_segments);
    return -1;
}

/* A session of a shared unit has the memory that the sharing process registered. */
static int open_shared(spill_t *spill, const tmu_info_t *info, char *error, size_t error_size) {
    const char *text = setting_get(SETTING_SPILL);
    *spill = (spill_t){.segments = info->spill_segments, .shared = true};
    if (!text) {
        return 0;
    }
    (void)snprintf(error, error_size,
                   "%s=%s: the unit is shared, and its sharing process has registered %" PRIu32
                   " segments of memory; unset it",
                   setting_name(SETTING_SPILL), text, info->spill_segments);
    return -1;
}

int spill_open(spill_t *spill, tmu_t *device, const tmu_info_t *info, char *error,
               size_t error_size) {
    if (info->shared) {
        return open_shared(spill, info, error, error_size);
    }
    const int64_t segments = wanted(info, error, error_size);
    if (segments < 0) {
        return -1;
    }
    *spill = (spill_t){
        .device = device,
        .segments = (uint32_t)segments,
        .posted = info->posted_entries,
        .unexpected = info->unexpected_entries,
    };
    if (tmu_spill_add(device, spill->segments) == TMU_OK) {
        return 0;
    }
    (void)snprintf(error, error_size,
                   "%" PRIu32 " segments of memory cannot be registered with the unit: %s",
                   spill->segments, tmu_error_text(device));
    return -1;
}

void spill_count(spill_t *spill, uint8_t opcode) {
    spill->receives += opcode == TMU_OPCODE_POST;
    spill->messages += opcode == TMU_OPCODE_ARRIVE;
    if (spill->segments != 0 &&
        (spill->receives > spill->posted || spill->messages > spill->unexpected)) {
        spill->used = true;
    }
}

bool spill_uncount(spill_t *spill, uint8_t opcode) {
    spill->receives -= opcode == TMU_OPCODE_POST;
    spill->messages -= opcode == TMU_OPCODE_ARRIVE;
    return opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_ARRIVE;
}

/* Once something is in memory, its endpoint's later entries go there as well, table or not. */
bool spill_takes_receive(const spill_t *spill) {
    if (spill->shared) {
        return false;
    }
    if (!spill->used && spill->receives < spill->posted) {
        return true;
    }
    return spill->segments != 0 && tmu_spill_has_room(spill->device);
}

bool spill_has_free(const spill_t *spill) {
    tmu_spill_stats_t stats = {0};
    if (spill->shared) {
        return true;
    }
    return spill->segments != 0 && tmu_spill_stats(spill->device, &stats) == TMU_OK &&
           stats.chunks_free > 0;
}
