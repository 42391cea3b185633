/* SPDX-License-Identifier: Apache-2.0 */
/* The law, one function an operation.  Nothing here is clever; that is the point. */
#include "tmu_model.h"

#include <stddef.h>

#include "model_state.h"

/* R1: equal in every bit that neither side ignores; the endpoint is compared by the choice of
 * list.  R2 needs nothing more: wildcards are ignored bits. */
static bool key_equal(const tmu_model_key_t *a, const tmu_model_key_t *b) {
    uint64_t match_differs = (a->match ^ b->match) & ~(a->ignore | b->ignore);
    uint32_t source_differs = (a->source ^ b->source) & ~(a->source_ignore | b->source_ignore);
    return match_differs == 0 && source_differs == 0;
}

/* R3, R4: the oldest entry that matches, NULL if none does. */
static node_t *find_oldest(const list_t *list, const tmu_model_key_t *key, uint64_t *visited) {
    for (node_t *node = list->oldest; node; node = node->next) {
        *visited += 1;
        if (key_equal(&node->entry.key, key)) {
            return node;
        }
    }
    return NULL;
}

/* R11, R13: slots that are kept for endpoints which have not used their reserves up. */
static uint64_t promised(const tmu_model_t *model, tmu_model_queue_t queue) {
    uint64_t sum = 0;
    if (model->total[queue].reserves == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < model->endpoints; i++) {
        const list_t *list = &model->endpoint[i].queue[queue];
        sum += list->depth < list->reserve ? list->reserve - list->depth : 0;
    }
    return sum;
}

/* R11: room for one more in the capacity that all share: any free slot for an endpoint within its
 * reserve, and beyond it one that is promised to nobody (R13). */
static bool table_has_room(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue) {
    const list_t *list = &model->endpoint[endpoint].queue[queue];
    const total_t *total = &model->total[queue];
    if (total->capacity == 0) {
        return true;
    }
    if (total->depth >= total->capacity) {
        return false;
    }
    return list->depth < list->reserve || total->capacity - total->depth > promised(model, queue);
}

/* R11: room for one more, within the endpoint's quota, in the table or in memory beyond it. */
static bool has_room(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue) {
    const list_t *list = &model->endpoint[endpoint].queue[queue];
    if (list->quota != 0 && list->depth >= list->quota) {
        return false;
    }
    if (model->full[queue]) {
        return false;
    }
    return model->chunks != 0 || table_has_room(model, endpoint, queue);
}

/* R11: with a full table an entry goes to memory, which takes at least so many a chunk, but for one
 * chunk of each queue there.  As any entry may lie in memory, all count. */
bool tmu_model_may_be_full(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue) {
    uint64_t queues = 0;
    uint64_t entries = 0;
    if (!model || model->chunks == 0 || endpoint >= model->endpoints ||
        table_has_room(model, endpoint, queue)) {
        return false;
    }
    for (uint32_t i = 0; i < model->endpoints; i++) {
        for (int q = 0; q < 2; q++) {
            queues += model->endpoint[i].queue[q].depth > 0;
            entries += model->endpoint[i].queue[q].depth;
        }
    }
    return model->chunks <= queues || entries >= TMU_MODEL_CHUNK_ENTRIES * (model->chunks - queues);
}

/* Starts a verdict; R13: an endpoint that does not exist is refused here, before any search. */
static bool endpoint_exists(const tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                            tmu_model_verdict_t *verdict) {
    *verdict = (tmu_model_verdict_t){.endpoint = endpoint, .handle = handle};
    verdict->status = TMU_MODEL_REFUSED_ENDPOINT;
    return endpoint < model->endpoints;
}

/* Copies the message that was hit into the verdict (R15: its handle unchanged). */
static void describe_message(tmu_model_verdict_t *verdict, const tmu_model_entry_t *message) {
    verdict->other = message->handle;
    TMU_MODEL_COPY_VALUES(*verdict, message->key);
    verdict->message_length = message->length;
    verdict->address = message->address;
}

tmu_model_status_t tmu_model_post(tmu_model_t *model, const tmu_model_receive_t *receive,
                                  tmu_model_verdict_t *verdict_p) {
    if (!model || !receive || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (!endpoint_exists(model, receive->endpoint, receive->handle, verdict_p)) {
        return model_answer(model, &model->stats.posts, verdict_p);
    }
    /* R5: the unexpected queue first, and its oldest match (R4). */
    list_t *unexpected = &model->endpoint[receive->endpoint].queue[TMU_MODEL_UNEXPECTED];
    node_t *hit = find_oldest(unexpected, &receive->key, &verdict_p->visited);
    if (hit) {
        verdict_p->status = TMU_MODEL_MATCHED;
        describe_message(verdict_p, &hit->entry);
        verdict_p->receive_length = receive->length;
        verdict_p->truncated = hit->entry.length > receive->length; /* R12 */
        model_discard(model, hit);
    } else if (!has_room(model, receive->endpoint, TMU_MODEL_POSTED)) {
        verdict_p->status = TMU_MODEL_REFUSED_QUOTA; /* R11 */
    } else {
        const tmu_model_entry_t entry = {receive->key,    receive->endpoint, receive->receive_id,
                                         receive->handle, receive->address,  receive->length,
                                         TMU_MODEL_POSTED};
        if (!model_append(model, &entry)) {
            return verdict_p->status = TMU_MODEL_NO_MEMORY;
        }
        verdict_p->status = TMU_MODEL_QUEUED;
    }
    return model_answer(model, &model->stats.posts, verdict_p);
}

tmu_model_status_t tmu_model_arrive(tmu_model_t *model, const tmu_model_message_t *message,
                                    tmu_model_verdict_t *verdict_p) {
    if (!model || !message || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (!endpoint_exists(model, message->endpoint, message->handle, verdict_p)) {
        return model_answer(model, &model->stats.arrivals, verdict_p);
    }
    tmu_model_entry_t entry = {.endpoint = message->endpoint,
                               .receive_id = TMU_MODEL_NO_RECEIVE_ID,
                               .handle = message->handle,
                               .address = message->place,
                               .length = message->length,
                               .queue = TMU_MODEL_UNEXPECTED};
    TMU_MODEL_COPY_VALUES(entry.key, *message);
    /* R6: the posted queue first, and its oldest match (R3). */
    list_t *posted = &model->endpoint[message->endpoint].queue[TMU_MODEL_POSTED];
    node_t *hit = find_oldest(posted, &entry.key, &verdict_p->visited);
    if (hit) {
        verdict_p->status = TMU_MODEL_MATCHED;
        describe_message(verdict_p, &entry);
        verdict_p->other = hit->entry.handle;
        verdict_p->receive_length = hit->entry.length;
        verdict_p->address = hit->entry.address;
        verdict_p->truncated = message->length > hit->entry.length; /* R12 */
        model_discard(model, hit);
    } else if (!has_room(model, message->endpoint, TMU_MODEL_UNEXPECTED)) {
        verdict_p->status = TMU_MODEL_STALLED; /* R11: the feeder holds it back */
    } else if (model_append(model, &entry)) {
        verdict_p->status = TMU_MODEL_QUEUED;
    } else {
        return verdict_p->status = TMU_MODEL_NO_MEMORY;
    }
    return model_answer(model, &model->stats.arrivals, verdict_p);
}

/* R8 and R9 differ only in what happens to the message that is found. */
static tmu_model_status_t look(tmu_model_t *model, const tmu_model_search_t *search, bool take,
                               tmu_model_verdict_t *verdict) {
    uint64_t *operations = take ? &model->stats.claims : &model->stats.probes;
    if (!endpoint_exists(model, search->endpoint, search->handle, verdict)) {
        return model_answer(model, operations, verdict);
    }
    list_t *unexpected = &model->endpoint[search->endpoint].queue[TMU_MODEL_UNEXPECTED];
    node_t *hit = find_oldest(unexpected, &search->key, &verdict->visited);
    if (!hit) {
        verdict->status = TMU_MODEL_NONE;
        return model_answer(model, operations, verdict);
    }
    verdict->status = take ? TMU_MODEL_MATCHED : TMU_MODEL_FOUND;
    describe_message(verdict, &hit->entry);
    if (take) {
        model_discard(model, hit);
    }
    return model_answer(model, operations, verdict);
}

tmu_model_status_t tmu_model_probe(tmu_model_t *model, const tmu_model_search_t *search,
                                   tmu_model_verdict_t *verdict_p) {
    if (!model || !search || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    return look(model, search, false, verdict_p);
}

tmu_model_status_t tmu_model_claim(tmu_model_t *model, const tmu_model_search_t *search,
                                   tmu_model_verdict_t *verdict_p) {
    if (!model || !search || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    return look(model, search, true, verdict_p);
}

/* R10: cancelled if that receive is queued here and now, late otherwise.  `by_id` compares the
 * driver's id, else the caller's handle. */
static tmu_model_status_t cancel(tmu_model_t *model, bool by_id, uint64_t target,
                                 tmu_model_verdict_t *verdict) {
    node_t *node = model->endpoint[verdict->endpoint].queue[TMU_MODEL_POSTED].oldest;
    bool names_none = by_id && target == TMU_MODEL_NO_RECEIVE_ID;
    verdict->status = TMU_MODEL_LATE;
    for (; node; node = node->next) {
        verdict->visited += 1;
        uint64_t name = by_id ? node->entry.receive_id : node->entry.handle;
        if (name == target && !names_none) {
            verdict->status = TMU_MODEL_CANCELLED;
            verdict->other = node->entry.handle;
            TMU_MODEL_COPY_VALUES(*verdict, node->entry.key);
            verdict->receive_length = node->entry.length;
            verdict->address = node->entry.address;
            model_discard(model, node);
            break;
        }
    }
    return model_answer(model, &model->stats.cancels, verdict);
}

tmu_model_status_t tmu_model_cancel(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                    uint64_t target, tmu_model_verdict_t *verdict_p) {
    if (!model || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (!endpoint_exists(model, endpoint, handle, verdict_p)) {
        return model_answer(model, &model->stats.cancels, verdict_p);
    }
    return cancel(model, false, target, verdict_p);
}

tmu_model_status_t tmu_model_cancel_id(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                       uint32_t receive_id, tmu_model_verdict_t *verdict_p) {
    if (!model || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (!endpoint_exists(model, endpoint, handle, verdict_p)) {
        return model_answer(model, &model->stats.cancels, verdict_p);
    }
    return cancel(model, true, receive_id, verdict_p);
}

/* R14: removes what `select` selects from one queue, oldest first, and reports each entry once. */
static uint64_t flush_queue(tmu_model_t *model, list_t *list, const tmu_model_key_t *select,
                            tmu_model_report_t report, void *context) {
    uint64_t removed = 0;
    node_t *next = NULL;
    for (node_t *node = list->oldest; node; node = next) {
        next = node->next;
        if (key_equal(&node->entry.key, select)) {
            if (report) {
                report(context, &node->entry);
            }
            model_discard(model, node);
            removed += 1;
        }
    }
    return removed;
}

tmu_model_status_t tmu_model_flush(tmu_model_t *model, const tmu_model_search_t *select,
                                   tmu_model_report_t report, void *context,
                                   tmu_model_verdict_t *verdict_p) {
    if (!model || !select || !verdict_p) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (!endpoint_exists(model, select->endpoint, select->handle, verdict_p)) {
        return model_answer(model, &model->stats.flushes, verdict_p);
    }
    list_t *posted = &model->endpoint[select->endpoint].queue[TMU_MODEL_POSTED];
    list_t *unexpected = &model->endpoint[select->endpoint].queue[TMU_MODEL_UNEXPECTED];
    verdict_p->status = TMU_MODEL_FLUSHED;
    verdict_p->visited = posted->depth + unexpected->depth;
    verdict_p->removed_posted = flush_queue(model, posted, &select->key, report, context);
    verdict_p->removed_unexpected = flush_queue(model, unexpected, &select->key, report, context);
    return model_answer(model, &model->stats.flushes, verdict_p);
}
