/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All matching of one endpoint, through libtmu: what is asked goes to the unit in order, and what
 * the unit decides comes back as events.  Nothing here compares a key.
 *
 * A record that is handed over belongs to the matcher until an event or a call gives it back.
 * Events come out of matcher_progress, matcher_cancel and matcher_close, and must not call the
 * matcher.
 *
 * When something is full: an operation that the driver does not take yet waits here, in order.
 * A receive that finds no room in the unit is refused (R11); it waits here with all that was asked
 * after it, and is tried again when something happened that may let it in.  Arrivals pass it, for
 * they may be what makes room.
 */
#ifndef TMU_PROVIDER_MATCH_H
#define TMU_PROVIDER_MATCH_H

#include "unit.h"

typedef struct record {
    uint8_t opcode;         /* TMU_OPCODE_POST, ARRIVE, PROBE or CLAIM; the caller's to set */
    tmu_key_t key;          /* the caller's to set; of a message match and source */
    uint64_t length;        /* of a receive or message, the caller's to set */
    struct record *next;    /* waiting behind this one */
    uint64_t handle;        /* by which the unit knows it */
    uint64_t number;        /* in the trace */
    uint64_t target;        /* cancel: number of the receive in the trace */
    tmu_receive_id_t id;    /* of a receive in the unit */
    bool waits;             /* not in the unit yet, or refused by it */
    tmu_result_t cancelled; /* cancel: what became of it; TMU_AGAIN until the unit said so */
} record_t;

typedef struct {
    /* A message met a receive; both are the caller's again. */
    void (*matched)(void *user, record_t *message, record_t *receive);
    /* A probe or claim was answered; it is the caller's again.  `message` is NULL if there was
     * none; the message that a claim took is the caller's again, that of a probe is not. */
    void (*looked)(void *user, record_t *look, record_t *message);
    /* The matcher is closing and gives back what nobody matched. */
    void (*left)(void *user, record_t *record);
    /* The device is of no use any more; comes once. */
    void (*broken)(void *user, const char *sentence);
} match_events_t;

typedef struct {
    record_t *first;
    record_t *last;
} record_list_t;

typedef struct {
    unit_t *unit;
    tmu_queue_t *queue;
    uint32_t endpoint;
    const match_events_t *events;
    void *user;
    record_list_t asks;      /* posts, probes and claims that wait */
    record_list_t arrivals;  /* messages that wait */
    const record_t *attempt; /* a receive that may be refused and is on its way, or NULL */
    bool refused;            /* asks.first was refused at `refused_epoch` */
    uint64_t refused_epoch;
    uint64_t inside; /* records that the unit has */
    bool broken;
} matcher_t;

/* 0, or -1 and a sentence for the user. */
int matcher_open(matcher_t *matcher, unit_t *unit, const match_events_t *events, void *user,
                 char *error, size_t error_size);

/* Gives back every record that is left, then the endpoint. */
void matcher_close(matcher_t *matcher);

/* Hands over a receive, message, probe or claim; false when memory is short or the device broke,
 * and then it stays the caller's. */
bool matcher_submit(matcher_t *matcher, record_t *record);

/* Takes what the unit said and sends what waits; runs a simulated device while it has work. */
void matcher_progress(matcher_t *matcher);

/* Takes back a receive that was handed over.  True: it was cancelled and is the caller's again;
 * false: it met its message before (R10), or the device broke. */
bool matcher_cancel(matcher_t *matcher, record_t *receive);

#endif
