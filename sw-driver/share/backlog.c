/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "share.h"

#define ROOM_FIRST 64

/* Doubles the room, oldest record first; false without memory. */
static bool grow(share_backlog_t *backlog) {
    size_t room = backlog->room > 0 ? backlog->room * 2 : ROOM_FIRST;
    tmu_record_t *records = calloc(room, sizeof *records);
    if (!records) {
        return false;
    }
    for (size_t i = 0; i < backlog->count; i++) {
        records[i] = backlog->records[(backlog->first + i) % backlog->room];
    }
    free(backlog->records);
    backlog->records = records;
    backlog->room = room;
    backlog->first = 0;
    return true;
}

bool share_backlog_put(share_backlog_t *backlog, const tmu_record_t *record) {
    if (backlog->count == backlog->room && !grow(backlog)) {
        return false;
    }
    backlog->records[(backlog->first + backlog->count) % backlog->room] = *record;
    backlog->count++;
    return true;
}

bool share_backlog_take(share_backlog_t *backlog, tmu_record_t *record_p) {
    if (backlog->count == 0) {
        return false;
    }
    *record_p = backlog->records[backlog->first];
    backlog->first = (backlog->first + 1) % backlog->room;
    backlog->count--;
    return true;
}

void share_backlog_free(share_backlog_t *backlog) {
    free(backlog->records);
    *backlog = (share_backlog_t){0};
}
