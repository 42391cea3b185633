/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of one run: read from a trace or made from a seed. */
#ifndef TMU_REPLAY_WORKLOAD_H
#define TMU_REPLAY_WORKLOAD_H

#include "id_map.h"
#include "tmu/tmu.h"
#include "tmu_trace.h"

#include <stdbool.h>

/* Something that happens between two operations, while nothing is in flight. */
typedef enum {
    WORKLOAD_RESET,   /* of the unit */
    WORKLOAD_QUOTA,   /* an endpoint gets other quotas; 0 = no limit */
    WORKLOAD_RESERVE, /* an endpoint gets other reserves, which the tables have slots for */
} workload_event_kind_t;

typedef struct {
    size_t before; /* this operation */
    workload_event_kind_t kind;
    uint32_t endpoint;
    uint32_t posted;
    uint32_t unexpected;
} workload_event_t;

typedef struct {
    const tmu_trace_op_t *ops;
    size_t count;
    workload_event_t *events; /* in their order */
    size_t event_count;
    id_map_t *requests;    /* req numbers: every kind but arrivals */
    id_map_t *messages;    /* msg numbers */
    tmu_trace_t *trace;    /* owns ops, or NULL */
    tmu_trace_op_t *made;  /* owns ops, or NULL */
    uint64_t address_mask; /* bits of an address that the unit keeps */
} workload_t;

/* Shape of a random workload. */
typedef struct {
    uint64_t seed;
    size_t count;
    const tmu_info_t *unit; /* whose widths the operations have */
    uint32_t endpoints;
    uint32_t entries;  /* of the smaller table: decides how deep queues get */
    uint32_t reserves; /* slots of each table that the endpoints may reserve together */
    bool outgrows;     /* many keys, so that queues get as deep as they may */
    bool soak;         /* many endpoints, other quotas, reserves and resets in the middle, empty at
                          the end */
} workload_shape_t;

/* 0, or -1 and a sentence in `error`. */
int workload_read(workload_t *workload, const char *path, char *error, size_t error_size);

/* 0, or -1 when memory is short.  The same shape makes the same operations. */
int workload_make(workload_t *workload, const workload_shape_t *shape);

void workload_free(workload_t *workload);

/* Index of the operation with this handle, or ID_MAP_NONE. */
size_t workload_find(const workload_t *workload, bool arrival, uint64_t handle);

#endif
