/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software matching engine: the law's operations (R1 to R15) on one core.
 *
 * An engine is a table of functions; the reference model is none of them and judges them.
 * Handles are the caller's and come back unchanged (R15); lengths are below 2^48.
 * An engine may be used by one thread at a time.
 */
#ifndef TMU_ENGINE_H
#define TMU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine_key.h"

#define ENGINE_LENGTH_BITS 48

typedef struct engine engine_t;

typedef enum {
    ENGINE_MATCHED = 1,
    ENGINE_QUEUED,
    ENGINE_FOUND,
    ENGINE_NONE,
    ENGINE_CANCELLED,
    ENGINE_LATE,
    ENGINE_FLUSHED,
    ENGINE_REFUSED_QUOTA,    /* post: no room, nothing changed (R11) */
    ENGINE_REFUSED_ENDPOINT, /* nothing changed (R13) */
    ENGINE_STALLED,          /* arrive: no room, nothing changed; hold it back (R11) */
    ENGINE_NO_MEMORY         /* nothing changed */
} engine_status_t;

/* Small enough to come back in registers. */
typedef struct {
    uint64_t other; /* matched, found, cancelled: the other entry's handle */
    engine_status_t status;
    uint32_t truncated; /* post or arrive matched: 1 = message longer than receive (R12) */
} engine_verdict_t;

typedef struct {
    uint32_t endpoints;           /* at least 1 */
    uint64_t posted_capacity;     /* over all endpoints; 0 = no limit */
    uint64_t unexpected_capacity; /* over all endpoints; 0 = no limit */
    uint64_t quota_posted;        /* per endpoint; 0 = no limit */
    uint64_t quota_unexpected;    /* per endpoint; 0 = no limit */
} engine_config_t;

/* Figures since creation; an engine without a filter or without holes has 0 there. */
typedef struct {
    uint64_t posted_max;      /* most at once, all endpoints together */
    uint64_t unexpected_max;  /* most at once, all endpoints together */
    uint64_t verified;        /* full compares */
    uint64_t false_positives; /* filter hits that the full compare rejected */
    uint64_t compactions;     /* queues rewritten without their holes */
} engine_stats_t;

typedef struct {
    const char *name;                                   /* as on a command line */
    const char *variant;                                /* what it is compiled for */
    engine_t *(*create)(const engine_config_t *config); /* NULL = no memory */
    void (*destroy)(engine_t *engine);
    engine_verdict_t (*post)(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                             uint64_t handle, uint64_t length);
    /* Of the key the values alone. */
    engine_verdict_t (*arrive)(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                               uint64_t handle, uint64_t length);
    /* Probe (R8), or claim (R9) where `take`. */
    engine_verdict_t (*look)(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                             bool take);
    /* Cancels the oldest queued receive with that handle (R10). */
    engine_verdict_t (*cancel)(engine_t *engine, uint32_t endpoint, uint64_t target);
    /* Empties both queues of an endpoint (R14); removed_p[0] receives, [1] messages. */
    engine_verdict_t (*flush)(engine_t *engine, uint32_t endpoint, uint64_t removed_p[2]);
    /* Instead of the capacities that it was created with: whether a receive or a message that finds
     * no match is queued, or refused or stalled. For a caller with limits of its own. */
    void (*admit)(engine_t *engine, bool receives, bool messages);
    void (*stats)(const engine_t *engine, engine_stats_t *stats_p);
} engine_ops_t;

/* The engine of that name in engines.h, NULL if there is none here. */
const engine_ops_t *engine_find(const char *name);

#endif
