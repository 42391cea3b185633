/* SPDX-License-Identifier: Apache-2.0
 *
 * A software engine as the matcher of the functional device.
 *
 * The engine is given an entry's slot in the books (ref_entries.h) as its handle, and decides what
 * matches, what is truncated and what is late; the books add what it does not keep.
 * Limits change while it works, so they are the books': where an entry has no room, the engine is
 * told not to queue it.
 * Nothing it could get wrong is set right here: a verdict about a slot that holds no such entry is
 * passed on as TMU_MODEL_BAD_ARGUMENT, which the device reports as a failure.
 */
#include "engine.h"
#include "ref_entries.h"
#include "tmu/tmu_regs.h"

#include <stdlib.h>

typedef struct software {
    const engine_ops_t *ops;
    engine_t *engine;
    ref_entries_t entries;
    uint32_t *serials; /* of each endpoint's next verdict (R7) */
} software_t;

static void destroy(void *matcher) {
    software_t *software = matcher;
    if (!software) {
        return;
    }
    if (software->engine) {
        software->ops->destroy(software->engine);
    }
    ref_entries_destroy(&software->entries);
    free(software->serials);
    free(software);
}

static void *create(const char *name, const tmu_model_config_t *config) {
    const engine_config_t unlimited = {.endpoints = config->endpoints};
    software_t *software = calloc(1, sizeof *software);
    if (!software) {
        return NULL;
    }
    software->ops = engine_find(name);
    software->engine = software->ops ? software->ops->create(&unlimited) : NULL;
    software->serials = calloc(config->endpoints, sizeof *software->serials);
    bool books = ref_entries_create(&software->entries, config);
    if (!software->engine || !software->serials || !books) {
        destroy(software);
        return NULL;
    }
    return software;
}

static void set_quota(void *matcher, uint32_t endpoint, uint64_t posted, uint64_t unexpected) {
    software_t *software = matcher;
    ref_entries_set_quota(&software->entries, endpoint, posted, unexpected);
}

static void set_reserve(void *matcher, uint32_t endpoint, uint64_t posted, uint64_t unexpected) {
    software_t *software = matcher;
    ref_entries_set_reserve(&software->entries, endpoint, posted, unexpected);
}

static void set_capacity(void *matcher, uint64_t posted, uint64_t unexpected) {
    software_t *software = matcher;
    software->entries.capacity[TMU_MODEL_POSTED] = posted;
    software->entries.capacity[TMU_MODEL_UNEXPECTED] = unexpected;
}

static void set_full(void *matcher, bool posted, bool unexpected) {
    software_t *software = matcher;
    software->entries.registered = true;
    software->entries.full[TMU_MODEL_POSTED] = posted;
    software->entries.full[TMU_MODEL_UNEXPECTED] = unexpected;
}

static uint64_t position(const void *matcher, const tmu_model_verdict_t *verdict) {
    const software_t *software = matcher;
    (void)verdict;
    return software->entries.position;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static tmu_model_status_t status_of(engine_status_t status) {
    switch (status) {
    case ENGINE_MATCHED:
        return TMU_MODEL_MATCHED;
    case ENGINE_QUEUED:
        return TMU_MODEL_QUEUED;
    case ENGINE_FOUND:
        return TMU_MODEL_FOUND;
    case ENGINE_NONE:
        return TMU_MODEL_NONE;
    case ENGINE_CANCELLED:
        return TMU_MODEL_CANCELLED;
    case ENGINE_LATE:
        return TMU_MODEL_LATE;
    case ENGINE_FLUSHED:
        return TMU_MODEL_FLUSHED;
    case ENGINE_REFUSED_QUOTA:
        return TMU_MODEL_REFUSED_QUOTA;
    case ENGINE_STALLED:
        return TMU_MODEL_STALLED;
    case ENGINE_NO_MEMORY:
        return TMU_MODEL_NO_MEMORY;
    default: /* the device refuses endpoints itself */
        return TMU_MODEL_BAD_ARGUMENT;
    }
}

static uint64_t verified(const software_t *software) {
    engine_stats_t stats;
    software->ops->stats(software->engine, &stats);
    return stats.verified;
}

/* A verdict with what every one has; one that was not carried out takes no number (R7). */
static tmu_model_verdict_t verdict_of(software_t *software, uint32_t endpoint, uint64_t handle,
                                      const engine_verdict_t *found) {
    tmu_model_verdict_t verdict = {
        .status = status_of(found->status), .endpoint = endpoint, .handle = handle};
    if (verdict.status != TMU_MODEL_NO_MEMORY && verdict.status != TMU_MODEL_BAD_ARGUMENT) {
        verdict.serial = software->serials[endpoint]++;
    }
    return verdict;
}

/* Whether the engine's handle is that of an entry which the operation may have found. */
static bool known(const software_t *software, uint64_t slot, uint32_t endpoint,
                  tmu_model_queue_t queue) {
    if (slot >= software->entries.room) {
        return false;
    }
    const tmu_model_entry_t *entry = &software->entries.slots[slot].entry;
    return entry->endpoint == endpoint && entry->queue == queue;
}

static void describe_message(tmu_model_verdict_t *verdict, const tmu_model_entry_t *message) {
    verdict->other = message->handle;
    TMU_MODEL_COPY_VALUES(*verdict, message->key);
    verdict->message_length = message->length;
    verdict->address = message->address;
}

static engine_key_t engine_key(const tmu_model_key_t *key) {
    engine_key_t one = {0};
    TMU_KEY_COPY(one, *key);
    return one;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void post(void *matcher, const tmu_model_receive_t *receive,
                 tmu_model_verdict_t *verdict_p) {
    software_t *software = matcher;
    ref_entries_t *entries = &software->entries;
    const uint64_t before = verified(software);
    const uint64_t slot = ref_entries_take(entries);
    const engine_key_t key = engine_key(&receive->key);
    engine_verdict_t found = {.status = ENGINE_NO_MEMORY};
    if (slot != REF_ENTRY_NONE) {
        software->ops->admit(software->engine,
                             ref_entries_room(entries, receive->endpoint, TMU_MODEL_POSTED), true);
        found =
            software->ops->post(software->engine, receive->endpoint, &key, slot, receive->length);
    }
    if (found.status == ENGINE_MATCHED &&
        !known(software, found.other, receive->endpoint, TMU_MODEL_UNEXPECTED)) {
        found.status = ENGINE_REFUSED_ENDPOINT;
    }
    *verdict_p = verdict_of(software, receive->endpoint, receive->handle, &found);
    verdict_p->visited = verified(software) - before;
    if (found.status == ENGINE_QUEUED) {
        const tmu_model_entry_t entry = {receive->key,    receive->endpoint, receive->receive_id,
                                         receive->handle, receive->address,  receive->length,
                                         TMU_MODEL_POSTED};
        ref_entries_append(entries, slot, &entry);
        return;
    }
    if (found.status == ENGINE_MATCHED) {
        const tmu_model_entry_t message = ref_entries_remove(entries, found.other);
        describe_message(verdict_p, &message);
        verdict_p->receive_length = receive->length;
        verdict_p->truncated = found.truncated != 0; /* R12 */
    }
    if (slot != REF_ENTRY_NONE) {
        ref_entries_free(entries, slot);
    }
}

static void arrive(void *matcher, const tmu_model_message_t *message,
                   tmu_model_verdict_t *verdict_p) {
    software_t *software = matcher;
    ref_entries_t *entries = &software->entries;
    const uint64_t before = verified(software);
    const uint64_t slot = ref_entries_take(entries);
    tmu_model_entry_t entry = {.endpoint = message->endpoint,
                               .receive_id = TMU_MODEL_NO_RECEIVE_ID,
                               .handle = message->handle,
                               .address = message->place,
                               .length = message->length,
                               .queue = TMU_MODEL_UNEXPECTED};
    TMU_MODEL_COPY_VALUES(entry.key, *message);
    const engine_key_t key = engine_key(&entry.key);
    engine_verdict_t found = {.status = ENGINE_NO_MEMORY};
    if (slot != REF_ENTRY_NONE) {
        software->ops->admit(software->engine, true,
                             ref_entries_room(entries, message->endpoint, TMU_MODEL_UNEXPECTED));
        found =
            software->ops->arrive(software->engine, message->endpoint, &key, slot, message->length);
    }
    if (found.status == ENGINE_MATCHED &&
        !known(software, found.other, message->endpoint, TMU_MODEL_POSTED)) {
        found.status = ENGINE_REFUSED_ENDPOINT;
    }
    *verdict_p = verdict_of(software, message->endpoint, message->handle, &found);
    verdict_p->visited = verified(software) - before;
    if (found.status == ENGINE_QUEUED) {
        ref_entries_append(entries, slot, &entry);
        return;
    }
    if (found.status == ENGINE_MATCHED) {
        const tmu_model_entry_t receive = ref_entries_remove(entries, found.other);
        describe_message(verdict_p, &entry);
        verdict_p->other = receive.handle;
        verdict_p->receive_length = receive.length;
        verdict_p->address = receive.address;
        verdict_p->truncated = found.truncated != 0; /* R12 */
    }
    if (slot != REF_ENTRY_NONE) {
        ref_entries_free(entries, slot);
    }
}

static void look(void *matcher, const tmu_model_search_t *search, bool take,
                 tmu_model_verdict_t *verdict_p) {
    software_t *software = matcher;
    const uint64_t before = verified(software);
    const engine_key_t key = engine_key(&search->key);
    engine_verdict_t found = software->ops->look(software->engine, search->endpoint, &key, take);
    const bool hit = found.status == ENGINE_MATCHED || found.status == ENGINE_FOUND;
    if (hit && !known(software, found.other, search->endpoint, TMU_MODEL_UNEXPECTED)) {
        found.status = ENGINE_REFUSED_ENDPOINT;
    }
    *verdict_p = verdict_of(software, search->endpoint, search->handle, &found);
    verdict_p->visited = verified(software) - before;
    if (found.status == ENGINE_FOUND) {
        describe_message(verdict_p, &software->entries.slots[found.other].entry);
    } else if (found.status == ENGINE_MATCHED) {
        const tmu_model_entry_t message = ref_entries_remove(&software->entries, found.other);
        describe_message(verdict_p, &message);
    }
}

static void cancel(void *matcher, uint32_t endpoint, uint64_t handle, uint32_t receive_id,
                   tmu_model_verdict_t *verdict_p) {
    software_t *software = matcher;
    const uint64_t before = verified(software);
    /* The engine knows slots, not ids, and is asked for one that is not there as well. */
    const uint64_t target = ref_entries_receive(&software->entries, endpoint, receive_id);
    engine_verdict_t found = software->ops->cancel(software->engine, endpoint, target);
    if (found.status == ENGINE_CANCELLED && found.other != target) {
        found.status = ENGINE_REFUSED_ENDPOINT;
    }
    *verdict_p = verdict_of(software, endpoint, handle, &found);
    verdict_p->visited = verified(software) - before;
    if (found.status == ENGINE_CANCELLED) {
        const tmu_model_entry_t receive = ref_entries_remove(&software->entries, target);
        verdict_p->other = receive.handle;
        TMU_MODEL_COPY_VALUES(*verdict_p, receive.key);
        verdict_p->receive_length = receive.length;
        verdict_p->address = receive.address;
    }
}

/* ---- flush ----------------------------------------------------------------------------------- */

/* R14: equal in every bit that neither side ignores. */
static bool selected(const tmu_model_key_t *entry, const tmu_model_key_t *select) {
#define EQUAL(value, mask, VALUE, MASK, type, kept, signal)                                        \
    ((entry->value ^ select->value) & ~entry->mask & ~select->mask) == 0 &&
    return TMU_KEY_TABLE(EQUAL) true;
#undef EQUAL
}

/* An engine empties an endpoint as a whole; of some of its entries each is taken out by itself:
 * the oldest message with exactly its key is the one, for older ones were selected as well. */
static bool take_out(software_t *software, uint64_t slot) {
    const tmu_model_entry_t *entry = &software->entries.slots[slot].entry;
    const engine_key_t key = engine_key(&entry->key);
    const engine_verdict_t found =
        entry->queue == TMU_MODEL_POSTED
            ? software->ops->cancel(software->engine, entry->endpoint, slot)
            : software->ops->look(software->engine, entry->endpoint, &key, true);
    return (found.status == ENGINE_CANCELLED || found.status == ENGINE_MATCHED) &&
           found.other == slot;
}

static void flush(void *matcher, const tmu_model_search_t *select, tmu_model_report_t report,
                  void *context, tmu_model_verdict_t *verdict_p) {
    software_t *software = matcher;
    ref_list_t *lists = software->entries.lists[select->endpoint];
#define ALL(value, mask, VALUE, MASK, type, kept, signal) select->key.mask == (type)UINT64_MAX &&
    const bool all = TMU_KEY_TABLE(ALL) true;
#undef ALL
    const uint64_t before[2] = {lists[0].depth, lists[1].depth};
    uint64_t removed[2] = {0, 0};
    engine_verdict_t found = {.status = ENGINE_FLUSHED};
    if (all) {
        found = software->ops->flush(software->engine, select->endpoint, removed);
        if (removed[0] != before[0] || removed[1] != before[1]) {
            found.status = ENGINE_REFUSED_ENDPOINT;
        }
    }
    for (int queue = 0; queue < 2; queue++) {
        uint64_t next = REF_ENTRY_NONE;
        for (uint64_t slot = lists[queue].oldest; slot != REF_ENTRY_NONE; slot = next) {
            next = software->entries.slots[slot].younger;
            if (!selected(&software->entries.slots[slot].entry.key, &select->key)) {
                continue;
            }
            if (!all && !take_out(software, slot)) {
                found.status = ENGINE_REFUSED_ENDPOINT;
            }
            const tmu_model_entry_t gone = ref_entries_remove(&software->entries, slot);
            report(context, &gone);
        }
    }
    *verdict_p = verdict_of(software, select->endpoint, select->handle, &found);
    verdict_p->visited = before[0] + before[1];
    verdict_p->removed_posted = before[0] - lists[0].depth;
    verdict_p->removed_unexpected = before[1] - lists[1].depth;
}

/* ---- figures --------------------------------------------------------------------------------- */

static bool inspect(const void *matcher, uint32_t endpoint, tmu_model_queue_t queue,
                    uint64_t position, tmu_model_entry_t *entry_p) {
    const software_t *software = matcher;
    uint64_t slot = software->entries.lists[endpoint][queue].oldest;
    while (slot != REF_ENTRY_NONE && position-- > 0) {
        slot = software->entries.slots[slot].younger;
    }
    if (slot != REF_ENTRY_NONE) {
        *entry_p = software->entries.slots[slot].entry;
    }
    return slot != REF_ENTRY_NONE;
}

static uint64_t depth(const void *matcher, uint32_t endpoint, tmu_model_queue_t queue) {
    const software_t *software = matcher;
    return software->entries.lists[endpoint][queue].depth;
}

static ref_depths_t depths(const void *matcher) {
    const software_t *software = matcher;
    return software->entries.depths;
}

const ref_matcher_ops_t ref_matcher_engine = {
    .create = create,
    .destroy = destroy,
    .set_quota = set_quota,
    .set_reserve = set_reserve,
    .set_capacity = set_capacity,
    .set_full = set_full,
    .position = position,
    .post = post,
    .arrive = arrive,
    .look = look,
    .cancel = cancel,
    .flush = flush,
    .inspect = inspect,
    .depth = depth,
    .depths = depths,
};
