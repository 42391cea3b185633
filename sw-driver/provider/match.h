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

#include "records.h"
#include "unit.h"

typedef struct {
    /* A message met a receive; both are the caller's again. */
    void (*matched)(void *user, record_t *message, record_t *receive);
    /* A probe or claim was answered; it is the caller's again.  `message` is NULL if there was
     * none; the message that a claim took is the caller's again, that of a probe is not. */
    void (*looked)(void *user, record_t *look, record_t *message);
    /* The matcher is closing and returns what nobody matched. */
    void (*left)(void *user, record_t *record);
    /* The device is of no use any more; comes once.  What is handed over is returned by `failed`,
     * one by one, and then there is nothing left in the matcher. */
    void (*broken)(void *user, const char *sentence);
    void (*failed)(void *user, record_t *record);
    /* On a card, instead of `matched` and `looked`: a message lies in a receive; a probe or claim
     * was answered, whose message is in the completion.  The record is the caller's again. */
    void (*received)(void *user, record_t *receive, const tmu_completion_t *completion);
    void (*seen)(void *user, record_t *look, const tmu_completion_t *completion);
} match_events_t;

typedef struct {
    unit_t *unit;
    tmu_queue_t *queue;
    uint32_t endpoint;
    const match_events_t *events;
    void *user;
    record_list_t asks;      /* posts, probes and claims that wait */
    record_list_t arrivals;  /* messages that wait */
    const record_t *attempt; /* a receive that may be refused and is on its way, or NULL */
    bool refused;            /* asks.first was refused, and submitted at `refused_epoch` */
    uint64_t refused_epoch;
    uint64_t inside; /* records that the unit has */
    unsigned idle;   /* looks since the device was last asked whether it is there */
    uint64_t looked; /* when that was, in milliseconds */
    bool broken;
} matcher_t;

/* 0, or -1 and a sentence for the user. */
int matcher_open(matcher_t *matcher, unit_t *unit, const match_events_t *events, void *user,
                 char *error, size_t error_size);

/* Returns every record that is left, then the endpoint.  A queue that the driver does not let go
 * of, because the unit left something unanswered, stays open and keeps its endpoint. */
void matcher_close(matcher_t *matcher);

/* Hands over a receive, message, probe or claim; false when memory is short or the device broke,
 * and then it stays the caller's. */
bool matcher_submit(matcher_t *matcher, record_t *record);

/* Takes what the unit said and sends what waits; runs a simulated device while it has work. */
void matcher_progress(matcher_t *matcher);

/* Whether the unit owes an answer, or something waits for room in it. */
bool matcher_works(const matcher_t *matcher);

/* Takes back a receive that was handed over.  True: it was cancelled and is the caller's again;
 * false: it met its message before (R10), or the device broke. */
bool matcher_cancel(matcher_t *matcher, record_t *receive);

#endif
