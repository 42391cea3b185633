/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matching unit of this process: one device, opened from the environment, shared by all of the
 * process's endpoints, each of which has an endpoint of the unit to itself (settings.h).
 *
 * Everything here and in match.h is called with the provider's lock held.
 */
#ifndef TMU_PROVIDER_UNIT_H
#define TMU_PROVIDER_UNIT_H

#include "counts.h"
#include "network.h"
#include "order.h"
#include "settings.h"
#include "slots.h"
#include "spill.h"
#include "stall.h"
#include "tmu/tmu.h"

#include <stdint.h>
#include <sys/types.h>

#define UNIT_ENDPOINTS 64u    /* endpoints of one process at most */
#define UNIT_COUNTERS 128u    /* counters of a unit at most */
#define UNIT_MESSAGE_LOG2 15u /* bytes of a message on a card at most */

/* Counts of the provider's work on messages, for the report alone. */
typedef struct {
    uint64_t eager;      /* tagged messages that came with their payload */
    uint64_t rendezvous; /* tagged messages whose payload was fetched after the match */
    uint64_t bytes;      /* of matched messages */
    uint64_t untagged;   /* sends and receives without a tag */
    uint64_t refused;    /* frames that were not obeyed */
} unit_traffic_t;

/* Messages that a card was asked to send. */
typedef struct {
    uint64_t asked;
    uint64_t delivered;
    uint64_t failed;
} unit_sent_t;

struct unit {
    tmu_t *device;
    tmu_info_t info;
    unsigned users;
    pid_t owner;        /* the process that opened it; a child of fork has no part in it */
    uint64_t endpoints; /* a bit for each that is taken */
    char name[64];      /* of this process's files */
    unsigned long job;  /* of the launcher's, that this process is in; 0 = unknown */
    bool ranked;        /* a launcher gave this process a rank */
    unsigned long rank;
    bool card; /* messages travel by it, in this network */
    network_t network;
    bool recorded; /* files of that name are this process's */
    slots_t slots; /* records that the unit may answer about */
    counts_t counts;
    /* The counters of a shared unit when it was opened; an unshared one begins with none. */
    tmu_counter_t before[UNIT_COUNTERS];
    size_t before_count;
    journal_t journal;
    order_t order; /* of what goes there */
    spill_t spill; /* registered memory, and what may be in the unit */
    unit_traffic_t traffic;
    unit_sent_t sent;
    stall_t stall;
    uint64_t next_number; /* of the next operation in the trace */
    uint64_t epoch;       /* grows whenever a refused receive may have got its chance */
    uint64_t differences; /* of counters, found when the device was closed */
};

/*
 * The process's unit, opened at the first call; each call needs one of unit_release.
 * NULL, with a sentence for the user in `error`, when it cannot be opened.
 */
unit_t *unit_acquire(char *error, size_t error_size);

/* The name was taken: has a process that another one started try the next.  False: it has none. */
bool unit_next_name(unit_t *unit);

/* Has one answer written into the journal, if there is one, when it is its turn. */
void unit_write(unit_t *unit, const order_entry_t *entry);

/* At the last call: compares counters, writes the report and closes the device. */
void unit_release(unit_t *unit);

/* Whether this process, and not one that it is a child of, has the unit open. */
bool unit_is_open(void);

/* Ends the unit although somebody uses it still: the process is about to exit. */
void unit_abandon(void);

/* Number of the unit's endpoints that this process can have at once. */
uint32_t unit_endpoints(const unit_t *unit);

/* An endpoint of the unit that nobody has, or UINT32_MAX. */
uint32_t unit_take_endpoint(unit_t *unit);
void unit_return_endpoint(unit_t *unit, uint32_t endpoint);

#endif
