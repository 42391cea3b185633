/* SPDX-License-Identifier: Apache-2.0 */
/* From an operation's number to its index in the trace. */
#ifndef TMU_REPLAY_ID_MAP_H
#define TMU_REPLAY_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct id_map id_map_t;

#define ID_MAP_NONE SIZE_MAX

/* A map with room for `count` numbers; NULL when memory is short. */
id_map_t *id_map_create(size_t count);
void id_map_destroy(id_map_t *map);

/* Numbers are unique: the reader of traces has made sure. */
void id_map_put(id_map_t *map, uint64_t id, size_t index);

/* ID_MAP_NONE for a number that was not put. */
size_t id_map_get(const id_map_t *map, uint64_t id);

#endif
