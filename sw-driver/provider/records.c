/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

void records_append(record_list_t *list, record_t *record) {
    record->next = NULL;
    if (list->first == NULL)
        list->first = record;
    else
        list->last->next = record;
    list->last = record;
}

void records_prepend(record_list_t *list, record_t *record) {
    record->next = list->first;
    if (list->first == NULL)
        list->last = record;
    list->first = record;
}

record_t *records_take_first(record_list_t *list) {
    record_t *record = list->first;
    if (record != NULL) {
        list->first = record->next;
        record->next = NULL;
    }
    return record;
}

bool records_take_out(record_list_t *list, const record_t *record) {
    record_t *before = NULL;
    for (record_t *at = list->first; at != NULL; before = at, at = at->next) {
        if (at != record)
            continue;
        if (before == NULL)
            list->first = at->next;
        else
            before->next = at->next;
        if (list->last == at)
            list->last = before;
        return true;
    }
    return false;
}
