/* SPDX-License-Identifier: Apache-2.0 */
/* A map from MPI handles to pointers. Grows as needed; the caller locks. */
#ifndef REC_TABLE_H
#define REC_TABLE_H

#include <stddef.h>

struct rec_table {
    struct rec_slot {
        const void *key; /* NULL marks a free slot */
        void *value;
    } *slots;
    size_t size; /* a power of two, or 0 before the first insertion */
    size_t used;
};

void *rec_table_get(const struct rec_table *table, const void *key);
void rec_table_put(struct rec_table *table, const void *key, void *value);
/* Returns the value that was removed, or NULL. */
void *rec_table_remove(struct rec_table *table, const void *key);

#endif
