/* SPDX-License-Identifier: Apache-2.0 */
/* The textbook engine: two linked lists an endpoint, searched from the oldest entry. */
#include <stdlib.h>

#include "engines.h"

typedef struct node {
    struct node *next; /* younger */
    engine_key_t key;
    uint64_t handle;
    uint64_t length;
} node_t;

typedef struct {
    node_t *oldest;
    node_t **end; /* where the next one is linked */
    uint64_t depth;
} list_t;

typedef struct {
    list_t queue[2];
} endpoint_t;

typedef struct chunk {
    struct chunk *next;
    node_t node[255];
} chunk_t;

enum { POSTED, UNEXPECTED };

struct engine {
    endpoint_t *endpoint;
    uint32_t endpoints;
    uint64_t quota[2];
    uint64_t capacity[2];
    uint64_t depth[2];
    uint64_t depth_max[2];
    uint64_t verified;
    node_t *free;
    chunk_t *chunks;
};

static uint64_t limit(uint64_t number) { return number == 0 ? UINT64_MAX : number; }

static engine_verdict_t answer(engine_status_t status) {
    return (engine_verdict_t){.status = status};
}

static void destroy(engine_t *engine) {
    if (!engine) {
        return;
    }
    while (engine->chunks) {
        chunk_t *chunk = engine->chunks;
        engine->chunks = chunk->next;
        free(chunk);
    }
    free(engine->endpoint);
    free(engine);
}

static engine_t *create(const engine_config_t *config) {
    engine_t *engine = calloc(1, sizeof *engine);
    if (!engine) {
        return NULL;
    }
    engine->endpoint = calloc(config->endpoints, sizeof *engine->endpoint);
    if (!engine->endpoint) {
        destroy(engine);
        return NULL;
    }
    for (uint32_t i = 0; i < config->endpoints; i++) {
        for (int queue = 0; queue < 2; queue++) {
            list_t *list = &engine->endpoint[i].queue[queue];
            list->end = &list->oldest;
        }
    }
    engine->endpoints = config->endpoints;
    engine->quota[POSTED] = limit(config->quota_posted);
    engine->quota[UNEXPECTED] = limit(config->quota_unexpected);
    engine->capacity[POSTED] = limit(config->posted_capacity);
    engine->capacity[UNEXPECTED] = limit(config->unexpected_capacity);
    return engine;
}

/* Nodes come from chunks and go back to a free list, as every library of the kind does it. */
static node_t *new_node(engine_t *engine) {
    if (!engine->free) {
        chunk_t *chunk = malloc(sizeof *chunk);
        if (!chunk) {
            return NULL;
        }
        chunk->next = engine->chunks;
        engine->chunks = chunk;
        for (size_t i = sizeof chunk->node / sizeof chunk->node[0]; i > 0; i--) {
            chunk->node[i - 1].next = engine->free;
            engine->free = &chunk->node[i - 1];
        }
    }
    node_t *node = engine->free;
    engine->free = node->next;
    return node;
}

static bool has_room(const engine_t *engine, const list_t *list, int queue) {
    return list->depth < engine->quota[queue] && engine->depth[queue] < engine->capacity[queue];
}

static engine_status_t append(engine_t *engine, list_t *list, int queue, engine_key_t key,
                              uint64_t handle, uint64_t length) {
    node_t *node = new_node(engine);
    if (!node) {
        return ENGINE_NO_MEMORY;
    }
    node->next = NULL;
    node->key = key;
    node->handle = handle;
    node->length = length;
    *list->end = node;
    list->end = &node->next;
    list->depth += 1;
    engine->depth[queue] += 1;
    if (engine->depth_max[queue] < engine->depth[queue]) {
        engine->depth_max[queue] = engine->depth[queue];
    }
    return ENGINE_QUEUED;
}

static void drop(engine_t *engine, list_t *list, int queue, node_t **link) {
    node_t *node = *link;
    *link = node->next;
    if (list->end == &node->next) {
        list->end = link;
    }
    list->depth -= 1;
    engine->depth[queue] -= 1;
    node->next = engine->free;
    engine->free = node;
}

/* The link to the oldest entry that matches (R3, R4), or NULL.  The masks are those of the side
 * that has some: an arrival and a message have none. */
static node_t **find_posted(engine_t *engine, list_t *list, const engine_key_t *message) {
    for (node_t **link = &list->oldest; *link; link = &(*link)->next) {
        const engine_key_t *key = &(*link)->key;
        engine->verified += 1;
        if (ENGINE_KEY_EQUAL(*key, *message, *key)) {
            return link;
        }
    }
    return NULL;
}

static node_t **find_unexpected(engine_t *engine, list_t *list, const engine_key_t *key) {
    for (node_t **link = &list->oldest; *link; link = &(*link)->next) {
        const engine_key_t *entry = &(*link)->key;
        engine->verified += 1;
        if (ENGINE_KEY_EQUAL(*entry, *key, *key)) {
            return link;
        }
    }
    return NULL;
}

static engine_verdict_t post(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                             uint64_t handle, uint64_t length) {
    if (endpoint >= engine->endpoints) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    list_t *queue = engine->endpoint[endpoint].queue;
    node_t **hit = find_unexpected(engine, &queue[UNEXPECTED], key);
    if (hit) {
        const engine_verdict_t verdict = {(*hit)->handle, ENGINE_MATCHED, (*hit)->length > length};
        drop(engine, &queue[UNEXPECTED], UNEXPECTED, hit);
        return verdict;
    }
    if (!has_room(engine, &queue[POSTED], POSTED)) {
        return answer(ENGINE_REFUSED_QUOTA);
    }
    return answer(append(engine, &queue[POSTED], POSTED, *key, handle, length));
}

static engine_verdict_t arrive(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                               uint64_t handle, uint64_t length) {
    if (endpoint >= engine->endpoints) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    list_t *queue = engine->endpoint[endpoint].queue;
    node_t **hit = find_posted(engine, &queue[POSTED], key);
    if (hit) {
        const engine_verdict_t verdict = {(*hit)->handle, ENGINE_MATCHED, length > (*hit)->length};
        drop(engine, &queue[POSTED], POSTED, hit);
        return verdict;
    }
    if (!has_room(engine, &queue[UNEXPECTED], UNEXPECTED)) {
        return answer(ENGINE_STALLED);
    }
    engine_key_t message = {0};
    ENGINE_KEY_COPY_VALUES(message, *key);
    return answer(append(engine, &queue[UNEXPECTED], UNEXPECTED, message, handle, length));
}

static engine_verdict_t look(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                             bool take) {
    if (endpoint >= engine->endpoints) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    list_t *list = &engine->endpoint[endpoint].queue[UNEXPECTED];
    node_t **hit = find_unexpected(engine, list, key);
    if (!hit) {
        return answer(ENGINE_NONE);
    }
    const engine_verdict_t verdict = {(*hit)->handle, take ? ENGINE_MATCHED : ENGINE_FOUND, 0};
    if (take) {
        drop(engine, list, UNEXPECTED, hit);
    }
    return verdict;
}

static engine_verdict_t cancel(engine_t *engine, uint32_t endpoint, uint64_t target) {
    if (endpoint >= engine->endpoints) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    list_t *list = &engine->endpoint[endpoint].queue[POSTED];
    for (node_t **link = &list->oldest; *link; link = &(*link)->next) {
        if ((*link)->handle == target) {
            drop(engine, list, POSTED, link);
            return (engine_verdict_t){target, ENGINE_CANCELLED, 0};
        }
    }
    return answer(ENGINE_LATE);
}

static engine_verdict_t flush(engine_t *engine, uint32_t endpoint, uint64_t removed_p[2]) {
    removed_p[POSTED] = removed_p[UNEXPECTED] = 0;
    if (endpoint >= engine->endpoints) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    for (int queue = 0; queue < 2; queue++) {
        list_t *list = &engine->endpoint[endpoint].queue[queue];
        removed_p[queue] = list->depth;
        while (list->oldest) {
            drop(engine, list, queue, &list->oldest);
        }
    }
    return answer(ENGINE_FLUSHED);
}

static void admit(engine_t *engine, bool receives, bool messages) {
    engine->capacity[POSTED] = receives ? UINT64_MAX : 0;
    engine->capacity[UNEXPECTED] = messages ? UINT64_MAX : 0;
}

static void stats(const engine_t *engine, engine_stats_t *stats_p) {
    *stats_p = (engine_stats_t){
        .posted_max = engine->depth_max[POSTED],
        .unexpected_max = engine->depth_max[UNEXPECTED],
        .verified = engine->verified,
    };
}

const engine_ops_t *list_engine(void) {
    static const engine_ops_t ops = {
        .name = "list",
        .variant = "plain C",
        .create = create,
        .destroy = destroy,
        .post = post,
        .arrive = arrive,
        .look = look,
        .cancel = cancel,
        .flush = flush,
        .admit = admit,
        .stats = stats,
    };
    return &ops;
}
