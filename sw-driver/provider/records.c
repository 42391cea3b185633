/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

void records_append(record_list_t *list, record_t *record) {
    record->next = NULL;
    record->before = list->last;
    if (!list->first) {
        list->first = record;
    } else {
        list->last->next = record;
    }
    list->last = record;
}

void records_prepend(record_list_t *list, record_t *record) {
    record->next = list->first;
    record->before = NULL;
    if (!list->first) {
        list->last = record;
    } else {
        list->first->before = record;
    }
    list->first = record;
}

void records_put_behind(record_list_t *list, record_t *before, record_t *record) {
    if (!before) {
        records_prepend(list, record);
        return;
    }
    record->before = before;
    record->next = before->next;
    if (record->next) {
        record->next->before = record;
    } else {
        list->last = record;
    }
    before->next = record;
}

record_t *records_take_first(record_list_t *list) {
    record_t *record = list->first;
    if (record) {
        (void)records_take_out(list, record);
    }
    return record;
}

bool records_take_out(record_list_t *list, record_t *record) {
    if (!record->before && list->first != record) {
        return false;
    }
    if (!record->before) {
        list->first = record->next;
    } else {
        record->before->next = record->next;
    }
    if (!record->next) {
        list->last = record->before;
    } else {
        record->next->before = record->before;
    }
    record->next = record->before = NULL;
    return true;
}
