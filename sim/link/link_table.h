/* SPDX-License-Identifier: Apache-2.0
 *
 * Which station is behind which port, learned from source addresses.
 *
 * Bounded: an address belongs to one set of four slots, and takes the one that was heard longest
 * ago when all are in use.  VLANs share the table.
 */
#ifndef LINK_TABLE_H
#define LINK_TABLE_H

#include <stdint.h>

#define LINK_TABLE_SETS 1024u
#define LINK_TABLE_SLOTS 4u
/* An address that is silent for so long is forgotten. */
#define LINK_TABLE_AGE_NS UINT64_C(300000000000)
#define LINK_NO_PORT UINT32_MAX

typedef struct link_station {
    uint64_t address; /* 48 bits; 0: the slot is free, for no station has that address */
    uint64_t heard_ns;
    uint32_t port;
} link_station_t;

typedef struct link_table {
    link_station_t station[LINK_TABLE_SETS][LINK_TABLE_SLOTS];
} link_table_t;

/* Of six bytes of a frame. */
uint64_t link_table_address(const uint8_t *bytes);

/* Notes that a station was heard; addresses of groups are nobody's and are not noted. */
void link_table_learn(link_table_t *table, uint64_t address, uint32_t port, uint64_t now_ns);

/* The port of a station, LINK_NO_PORT if it is not known or an address of a group. */
uint32_t link_table_find(const link_table_t *table, uint64_t address, uint64_t now_ns);

/* Forgets the stations behind a port. */
void link_table_forget(link_table_t *table, uint32_t port);

#endif
