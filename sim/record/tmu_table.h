/* SPDX-License-Identifier: Apache-2.0 */
/* A map from MPI handles to pointers. Grows as needed; the caller locks. */
#ifndef TMU_TABLE_H
#define TMU_TABLE_H

#include <stddef.h>

struct tmu_table {
    struct tmu_slot {
        const void *key; /* NULL marks a free slot */
        void *value;
    } * slots;
    size_t size; /* a power of two, or 0 before the first insertion */
    size_t used;
};

void *tmu_table_get(const struct tmu_table *table, const void *key);
void tmu_table_put(struct tmu_table *table, const void *key, void *value);
/* Returns the value that was removed, or NULL. */
void *tmu_table_remove(struct tmu_table *table, const void *key);

#endif
