/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_receive.h"

#include <stdlib.h>

#define NO_SLOT UINT32_MAX
#define FIRST_CHUNK_LOG2 6
/* A queue keeps ids aside only where these are fewer than one in so many. */
#define AMPLE 4096

/* A slot's state: generation in the upper half, below it cancels in flight, and the live bit. */
#define LIVE UINT64_C(1)
#define ONE_CANCEL UINT64_C(2)
#define CANCELS UINT64_C(0xfffffffe)
#define ONE_GENERATION (UINT64_C(1) << 32)

static uint32_t index_of(tmu_receive_id_t id) { return (uint32_t)id; }

static uint32_t generation_of(uint64_t state_or_id) { return (uint32_t)(state_or_id >> 32); }

static unsigned chunk_of(uint32_t index) {
    return index >> FIRST_CHUNK_LOG2 ? 32 - (unsigned)__builtin_clz(index >> FIRST_CHUNK_LOG2) : 0;
}

static uint32_t chunk_start(unsigned chunk) {
    return chunk == 0 ? 0 : UINT32_C(1) << (FIRST_CHUNK_LOG2 + chunk - 1);
}

/* The slot of an index; NULL if there is none yet. */
static tmu_receive_slot_t *slot_at(const tmu_receives_t *receives, uint32_t index) {
    if (index >= atomic_load_explicit(&receives->count, memory_order_acquire)) {
        return NULL;
    }
    unsigned chunk = chunk_of(index);
    tmu_receive_slot_t *slots =
        atomic_load_explicit(&receives->chunks[chunk], memory_order_relaxed);
    return &slots[index - chunk_start(chunk)];
}

/* ---- free indices -------------------------------------------------------------------------- */

/* Appends to the list; its lock is held. */
static void list_push(tmu_receives_t *receives, uint32_t index) {
    slot_at(receives, index)->next_free = NO_SLOT;
    if (receives->free_last == NO_SLOT) {
        receives->free_first = index;
    } else {
        slot_at(receives, receives->free_last)->next_free = index;
    }
    receives->free_last = index;
}

/* Takes the oldest of the list, which is not empty; its lock is held. */
static uint32_t list_pop(tmu_receives_t *receives) {
    uint32_t index = receives->free_first;
    receives->free_first = slot_at(receives, index)->next_free;
    if (receives->free_first == NO_SLOT) {
        receives->free_last = NO_SLOT;
    }
    return index;
}

/* Adds a chunk of free slots; doubling keeps the cost of a post constant on average.  Locked. */
static tmu_result_t list_grow(tmu_receives_t *receives) {
    uint32_t start = atomic_load(&receives->count);
    if (start == receives->limit) {
        return TMU_AGAIN;
    }
    unsigned chunk = chunk_of(start);
    uint32_t size = start == 0 ? UINT32_C(1) << FIRST_CHUNK_LOG2 : start;
    size = size > receives->limit - start ? receives->limit - start : size;
    tmu_receive_slot_t *slots = calloc(size, sizeof *slots);
    if (!slots) {
        return TMU_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < size; i++) {
        atomic_init(&slots[i].state, ONE_GENERATION); /* so that an id of 0 never names one */
    }
    atomic_store_explicit(&receives->chunks[chunk], slots, memory_order_relaxed);
    atomic_store_explicit(&receives->count, start + size, memory_order_release);
    for (uint32_t i = 0; i < size; i++) {
        list_push(receives, start + i);
    }
    return TMU_OK;
}

static void cache_push(tmu_receive_cache_t *cache, uint32_t index) {
    cache->index[(cache->head + cache->count) % (2 * TMU_RECEIVE_BATCH)] = index;
    cache->count++;
}

static uint32_t cache_pop(tmu_receive_cache_t *cache) {
    uint32_t index = cache->index[cache->head];
    cache->head = (cache->head + 1) % (2 * TMU_RECEIVE_BATCH);
    cache->count--;
    return index;
}

/* Gets an index that has rested: half a batch of others, at least, were used since. */
static tmu_result_t take(tmu_receives_t *receives, tmu_receive_cache_t *cache, uint32_t *index_p) {
    if (cache->count <= receives->batch / 2) {
        pthread_mutex_lock(&receives->lock);
        tmu_result_t result = receives->free_first == NO_SLOT ? list_grow(receives) : TMU_OK;
        uint32_t most = receives->batch > 0 ? receives->batch : 1;
        while (cache->count < most && receives->free_first != NO_SLOT) {
            cache_push(cache, list_pop(receives));
        }
        pthread_mutex_unlock(&receives->lock);
        if (cache->count == 0) {
            return result;
        }
    }
    *index_p = cache_pop(cache);
    return TMU_OK;
}

/* Takes the oldest `count` indices of the cache back into the list. */
static void list_fill(tmu_receives_t *receives, tmu_receive_cache_t *cache, uint32_t count) {
    pthread_mutex_lock(&receives->lock);
    while (count-- > 0) {
        list_push(receives, cache_pop(cache));
    }
    pthread_mutex_unlock(&receives->lock);
}

void tmu_receive_cache_empty(tmu_receives_t *receives, tmu_receive_cache_t *cache) {
    list_fill(receives, cache, cache->count);
}

/* An index whose slot has got its next generation may be used again. */
static void release(tmu_receives_t *receives, tmu_receive_cache_t *cache, uint32_t index) {
    cache_push(cache, index);
    if (cache->count >= 2 * receives->batch) {
        list_fill(receives, cache, receives->batch > 0 ? receives->batch : 1);
    }
}

/* ---- the table ----------------------------------------------------------------------------- */

void tmu_receives_init(tmu_receives_t *receives, uint32_t id_bits, uint32_t handle_bits) {
    uint32_t limit = (uint32_t)((UINT64_C(1) << id_bits) - 1);
    uint32_t batch = limit / AMPLE;
    *receives = (tmu_receives_t){
        .limit = limit,
        .batch = batch < TMU_RECEIVE_BATCH ? batch : TMU_RECEIVE_BATCH,
        .free_first = NO_SLOT,
        .free_last = NO_SLOT,
        .handle_mask = handle_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << handle_bits) - 1,
    };
    pthread_mutex_init(&receives->lock, NULL);
}

void tmu_receives_free(tmu_receives_t *receives) {
    if (receives->limit == 0) {
        return;
    }
    for (unsigned i = 0; i < TMU_RECEIVE_CHUNKS; i++) {
        free(atomic_load(&receives->chunks[i]));
        atomic_store(&receives->chunks[i], NULL);
    }
    pthread_mutex_destroy(&receives->lock);
    receives->limit = 0;
}

void tmu_receives_clear(tmu_receives_t *receives) {
    pthread_mutex_lock(&receives->lock);
    uint32_t count = atomic_load(&receives->count);
    for (uint32_t i = 0; i < count; i++) {
        tmu_receive_slot_t *slot = slot_at(receives, i);
        uint64_t state = atomic_load(&slot->state);
        if ((state & (LIVE | CANCELS)) != 0) {
            atomic_store(&slot->state, (state & ~(LIVE | CANCELS)) + ONE_GENERATION);
            list_push(receives, i);
        }
    }
    pthread_mutex_unlock(&receives->lock);
}

tmu_result_t tmu_receive_begin(tmu_receives_t *receives, tmu_receive_cache_t *cache,
                               uint32_t endpoint, uint64_t handle, tmu_receive_id_t *id_p) {
    uint32_t index = 0;
    tmu_result_t result = take(receives, cache, &index);
    if (result != TMU_OK) {
        return result;
    }
    tmu_receive_slot_t *slot = slot_at(receives, index);
    atomic_store_explicit(&slot->handle, handle, memory_order_relaxed);
    atomic_store_explicit(&slot->endpoint, endpoint, memory_order_relaxed);
    /* The index is this queue's alone; who sees it live sees its handle and endpoint. */
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    atomic_store_explicit(&slot->state, state | LIVE, memory_order_release);
    *id_p = (uint64_t)generation_of(state) << 32 | index;
    return TMU_OK;
}

void tmu_receive_end(tmu_receives_t *receives, tmu_receive_cache_t *cache, tmu_receive_id_t id) {
    tmu_receive_slot_t *slot = slot_at(receives, index_of(id));
    if (!slot) {
        return;
    }
    uint64_t old = atomic_load(&slot->state);
    uint64_t new;
    do {
        if (generation_of(old) != generation_of(id) || (old & LIVE) == 0) {
            return;
        }
        new = (old & ~LIVE) + ((old & CANCELS) == 0 ? ONE_GENERATION : 0);
    } while (!atomic_compare_exchange_weak(&slot->state, &old, new));
    if ((old & CANCELS) == 0) {
        release(receives, cache, index_of(id));
    }
}

bool tmu_receive_find(const tmu_receives_t *receives, uint64_t unit_handle, tmu_receive_id_t *id_p,
                      uint64_t *handle_p) {
    tmu_receive_slot_t *slot = slot_at(receives, index_of(unit_handle));
    uint64_t state = slot ? atomic_load(&slot->state) : 0;
    tmu_receive_id_t id = (uint64_t)generation_of(state) << 32 | index_of(unit_handle);
    if ((state & LIVE) == 0 || tmu_receive_unit_handle(receives, id) != unit_handle) {
        return false;
    }
    *id_p = id;
    *handle_p = atomic_load_explicit(&slot->handle, memory_order_relaxed);
    return true;
}

void tmu_receive_keep(tmu_receives_t *receives, tmu_receive_id_t id, uint64_t keeper) {
    atomic_store(&slot_at(receives, index_of(id))->keeper, keeper);
}

uint64_t tmu_receive_keeper(const tmu_receives_t *receives, tmu_receive_id_t id) {
    return atomic_load(&slot_at(receives, index_of(id))->keeper);
}

uint64_t tmu_receive_unit_handle(const tmu_receives_t *receives, tmu_receive_id_t id) {
    return id & receives->handle_mask;
}

uint32_t tmu_receive_index(const tmu_receives_t *receives, tmu_receive_id_t id) {
    return id == TMU_RECEIVE_NONE ? receives->limit : index_of(id);
}

tmu_receive_id_t tmu_receive_pin(tmu_receives_t *receives, uint32_t endpoint, tmu_receive_id_t id) {
    tmu_receive_slot_t *slot = slot_at(receives, index_of(id));
    if (!slot) {
        return TMU_RECEIVE_NONE;
    }
    uint64_t old = atomic_load(&slot->state);
    do {
        if (generation_of(old) != generation_of(id) || (old & LIVE) == 0 ||
            atomic_load_explicit(&slot->endpoint, memory_order_relaxed) != endpoint) {
            return TMU_RECEIVE_NONE;
        }
        /* Equal states are equal receives: the generation grows whenever an index is free. */
    } while (!atomic_compare_exchange_weak(&slot->state, &old, old + ONE_CANCEL));
    return id;
}

void tmu_receive_unpin(tmu_receives_t *receives, tmu_receive_cache_t *cache, tmu_receive_id_t id) {
    tmu_receive_slot_t *slot = id == TMU_RECEIVE_NONE ? NULL : slot_at(receives, index_of(id));
    if (!slot) {
        return;
    }
    uint64_t old = atomic_load(&slot->state);
    uint64_t new;
    do {
        if (generation_of(old) != generation_of(id) || (old & CANCELS) == 0) {
            return;
        }
        new = old - ONE_CANCEL;
        new += (new &(LIVE | CANCELS)) == 0 ? ONE_GENERATION : 0;
    } while (!atomic_compare_exchange_weak(&slot->state, &old, new));
    if (generation_of(new) != generation_of(old)) {
        release(receives, cache, index_of(id));
    }
}
