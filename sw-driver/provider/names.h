/* SPDX-License-Identifier: Apache-2.0 */
/* From an endpoint's name on the wire to its index in an address vector. */
#ifndef TMU_PROVIDER_NAMES_H
#define TMU_PROVIDER_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Index of a name that is not in the table; no address vector hands it out. */
#define NAMES_UNKNOWN UINT32_MAX

typedef struct {
    struct name *name;
    size_t room; /* a power of two, or 0 before the first */
    size_t used; /* removed ones included */
} names_t;

/* Enters a name of 1 to WIRE_NAME bytes.  0, -1 when memory is short.  A name that is there keeps
 * its index.  A zeroed names_t is empty. */
int names_put(names_t *names, const uint8_t *name, size_t length, uint32_t index);

/* The index of a name, or NAMES_UNKNOWN. */
uint32_t names_get(const names_t *names, const uint8_t *name, size_t length);

/* Forgets the name that has this index, if there is one. */
void names_remove(names_t *names, uint32_t index);

void names_free(names_t *names);

#endif
