/* SPDX-License-Identifier: Apache-2.0 */
/* The lists and figures of the model and its life; the law itself is in tmu_model.c. */
#include <stdlib.h>

#include "model_state.h"

static void raise_to(uint64_t *maximum, uint64_t value) {
    if (*maximum < value) {
        *maximum = value;
    }
}

bool model_append(tmu_model_t *model, const tmu_model_entry_t *entry) {
    list_t *list = &model->endpoint[entry->endpoint].queue[entry->queue];
    total_t *total = &model->total[entry->queue];
    node_t *node = malloc(sizeof *node);
    if (!node) {
        return false;
    }
    node->entry = *entry;
    node->next = NULL;
    node->previous = list->youngest;
    if (!list->youngest) {
        list->oldest = node;
    } else {
        list->youngest->next = node;
    }
    list->youngest = node;
    list->depth += 1;
    total->depth += 1;
    raise_to(&list->depth_max, list->depth);
    raise_to(&total->depth_max, total->depth);
    raise_to(&total->endpoint_depth_max, list->depth);
    return true;
}

void model_discard(tmu_model_t *model, node_t *node) {
    list_t *list = &model->endpoint[node->entry.endpoint].queue[node->entry.queue];
    if (!node->previous) {
        list->oldest = node->next;
    } else {
        node->previous->next = node->next;
    }
    if (!node->next) {
        list->youngest = node->previous;
    } else {
        node->next->previous = node->previous;
    }
    list->depth -= 1;
    model->total[node->entry.queue].depth -= 1;
    free(node);
}

tmu_model_status_t tmu_model_create(const tmu_model_config_t *config, tmu_model_t **model_p) {
    if (!config || !model_p || config->endpoints == 0) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    tmu_model_t *model = calloc(1, sizeof *model);
    if (!model) {
        return TMU_MODEL_NO_MEMORY;
    }
    model->endpoint = calloc(config->endpoints, sizeof *model->endpoint);
    if (!model->endpoint) {
        free(model);
        return TMU_MODEL_NO_MEMORY;
    }
    model->endpoints = config->endpoints;
    model->total[TMU_MODEL_POSTED].capacity = config->posted_capacity;
    model->total[TMU_MODEL_UNEXPECTED].capacity = config->unexpected_capacity;
    if (config->quota_posted != 0 || config->quota_unexpected != 0) {
        for (uint32_t i = 0; i < config->endpoints; i++) {
            tmu_model_set_quota(model, i, config->quota_posted, config->quota_unexpected);
        }
    }
    *model_p = model;
    return TMU_MODEL_OK;
}

/* R14: reset leaves empty queues. */
void tmu_model_reset(tmu_model_t *model) {
    for (uint32_t i = 0; model && i < model->endpoints; i++) {
        for (int queue = 0; queue < 2; queue++) {
            while (model->endpoint[i].queue[queue].oldest) {
                model_discard(model, model->endpoint[i].queue[queue].oldest);
            }
        }
    }
}

void tmu_model_destroy(tmu_model_t *model) {
    if (model) {
        tmu_model_reset(model);
        free(model->endpoint);
        free(model);
    }
}

tmu_model_status_t tmu_model_set_quota(tmu_model_t *model, uint32_t endpoint, uint64_t posted,
                                       uint64_t unexpected) {
    if (!model) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (endpoint >= model->endpoints) {
        return TMU_MODEL_REFUSED_ENDPOINT;
    }
    model->endpoint[endpoint].queue[TMU_MODEL_POSTED].quota = posted;
    model->endpoint[endpoint].queue[TMU_MODEL_UNEXPECTED].quota = unexpected;
    return TMU_MODEL_OK;
}

tmu_model_status_t tmu_model_set_reserve(tmu_model_t *model, uint32_t endpoint, uint64_t posted,
                                         uint64_t unexpected) {
    const uint64_t reserve[2] = {[TMU_MODEL_POSTED] = posted, [TMU_MODEL_UNEXPECTED] = unexpected};
    if (!model) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (endpoint >= model->endpoints) {
        return TMU_MODEL_REFUSED_ENDPOINT;
    }
    for (int queue = 0; queue < 2; queue++) {
        list_t *list = &model->endpoint[endpoint].queue[queue];
        model->total[queue].reserves -= list->reserve;
        model->total[queue].reserves += reserve[queue];
        list->reserve = reserve[queue];
    }
    return TMU_MODEL_OK;
}

void tmu_model_set_capacity(tmu_model_t *model, uint64_t posted, uint64_t unexpected) {
    if (model) {
        model->total[TMU_MODEL_POSTED].capacity = posted;
        model->total[TMU_MODEL_UNEXPECTED].capacity = unexpected;
    }
}

void tmu_model_add_chunks(tmu_model_t *model, uint64_t chunks) {
    if (model) {
        model->chunks = chunks;
    }
}

void tmu_model_set_full(tmu_model_t *model, bool posted, bool unexpected) {
    if (model) {
        model->full[TMU_MODEL_POSTED] = posted;
        model->full[TMU_MODEL_UNEXPECTED] = unexpected;
    }
}

tmu_model_status_t model_answer(tmu_model_t *model, uint64_t *operations,
                                tmu_model_verdict_t *verdict) {
    tmu_model_stats_t *stats = &model->stats;
    uint64_t *const by_status[] = {
        [TMU_MODEL_MATCHED] = &stats->matched,
        [TMU_MODEL_QUEUED] = &stats->queued,
        [TMU_MODEL_FOUND] = &stats->found,
        [TMU_MODEL_NONE] = &stats->none,
        [TMU_MODEL_CANCELLED] = &stats->cancelled,
        [TMU_MODEL_LATE] = &stats->late,
        [TMU_MODEL_FLUSHED] = &stats->removed,
        [TMU_MODEL_REFUSED_QUOTA] = &stats->refused_quota,
        [TMU_MODEL_REFUSED_ENDPOINT] = &stats->refused_endpoint,
        [TMU_MODEL_STALLED] = &stats->stalled,
    };
    bool flushed = verdict->status == TMU_MODEL_FLUSHED;
    *by_status[verdict->status] +=
        flushed ? verdict->removed_posted + verdict->removed_unexpected : 1;
    *operations += 1;
    stats->visited += verdict->visited;
    stats->truncated += verdict->truncated ? 1 : 0;
    if (verdict->status != TMU_MODEL_REFUSED_ENDPOINT) {
        verdict->serial = model->endpoint[verdict->endpoint].next_serial++;
    }
    return verdict->status;
}

tmu_model_status_t tmu_model_inspect(const tmu_model_t *model, uint32_t endpoint,
                                     tmu_model_queue_t queue, uint64_t position,
                                     tmu_model_entry_t *entry_p) {
    if (!model || !entry_p || (queue != TMU_MODEL_POSTED && queue != TMU_MODEL_UNEXPECTED)) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    if (endpoint >= model->endpoints) {
        return TMU_MODEL_REFUSED_ENDPOINT;
    }
    const node_t *node = model->endpoint[endpoint].queue[queue].oldest;
    for (; node && position > 0; position--) {
        node = node->next;
    }
    if (!node) {
        return TMU_MODEL_NONE;
    }
    *entry_p = node->entry;
    return TMU_MODEL_OK;
}

/* NULL where model, endpoint or queue does not exist. */
static const list_t *list_of(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue) {
    bool queue_exists = queue == TMU_MODEL_POSTED || queue == TMU_MODEL_UNEXPECTED;
    if (!model || endpoint >= model->endpoints || !queue_exists) {
        return NULL;
    }
    return &model->endpoint[endpoint].queue[queue];
}

uint64_t tmu_model_depth(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue) {
    const list_t *list = list_of(model, endpoint, queue);
    return !list ? 0 : list->depth;
}

uint64_t tmu_model_depth_max(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue) {
    const list_t *list = list_of(model, endpoint, queue);
    return !list ? 0 : list->depth_max;
}

void tmu_model_stats(const tmu_model_t *model, tmu_model_stats_t *stats_p) {
    if (!model || !stats_p) {
        return;
    }
    const total_t *posted = &model->total[TMU_MODEL_POSTED];
    const total_t *unexpected = &model->total[TMU_MODEL_UNEXPECTED];
    *stats_p = model->stats;
    stats_p->posted_depth = posted->depth;
    stats_p->unexpected_depth = unexpected->depth;
    stats_p->posted_max = posted->depth_max;
    stats_p->unexpected_max = unexpected->depth_max;
    stats_p->endpoint_posted_max = posted->endpoint_depth_max;
    stats_p->endpoint_unexpected_max = unexpected->endpoint_depth_max;
}

const char *tmu_model_status_text(tmu_model_status_t status) {
    static const char *const text[] = {
        [TMU_MODEL_OK] = "ok",
        [TMU_MODEL_MATCHED] = "matched",
        [TMU_MODEL_QUEUED] = "queued",
        [TMU_MODEL_FOUND] = "found",
        [TMU_MODEL_NONE] = "none",
        [TMU_MODEL_CANCELLED] = "cancelled",
        [TMU_MODEL_LATE] = "late",
        [TMU_MODEL_FLUSHED] = "flushed",
        [TMU_MODEL_REFUSED_QUOTA] = "refused quota",
        [TMU_MODEL_REFUSED_ENDPOINT] = "refused endpoint",
        [TMU_MODEL_STALLED] = "stalled",
        [TMU_MODEL_HELD] = "held",
        [TMU_MODEL_NO_MEMORY] = "no memory",
        [TMU_MODEL_BAD_ARGUMENT] = "bad argument",
    };
    size_t count = sizeof text / sizeof text[0];
    return (size_t)status < count ? text[status] : "unknown status";
}
