/* SPDX-License-Identifier: Apache-2.0
 *
 * Network side of the functional device: with `link=ADDRESS` among its options it is a card.
 *
 * Frames come and go by a link, in real time; protocol and timers are those of the software
 * endpoint (sim/endpoint), matching is the unit's and nobody else's.  It carries out the registers
 * and commands of a card as docs/card.md has them, and does nothing but within tmu_sim_progress.
 *
 * A message has a number from its first packet on.  While it is unexpected it lies in the pool's
 * buffer of that number, and the card moves it to the receive that is posted; one that a claim took
 * stays there until its buffer is released.
 * Completions wait here until their bytes lie in memory (W3), and then until their ring has room.
 */
#ifndef CARD_H
#define CARD_H

#include "card_state.h"

/* A card with its link; NULL and the device's sentence without. */
ref_card_t *card_open(ref_device_t *device, const char *address);
void card_close(ref_card_t *card);

/* As after power-on: peers see their connections die (W9). */
void card_reset(ref_card_t *card);

/* Takes and sends frames, and lets timers run; whether anything came. */
bool card_progress(ref_card_t *card);

/* Writes completions whose rings have room. */
void card_write_completions(ref_card_t *card);

/* card_registers.c: 0, or 1 where no such register is. */
int card_read(ref_card_t *card, uint32_t offset, uint32_t *value_p);
int card_write(ref_card_t *card, uint32_t offset, uint32_t value);
void card_registers_start(ref_card_t *card);

/* card_send.c: carries out a send; TMU_STATUS_SENT when it has begun, otherwise the status that it
 * is answered with at once. */
uint8_t card_send(ref_card_t *card, uint32_t page, uint32_t endpoint, const tmu_record_t *command);

/* Whether bytes lie in memory that the endpoint has registered under this number (W8). */
bool card_registered(const ref_card_t *card, uint32_t number, uint32_t endpoint, uint64_t address,
                     uint64_t bytes, bool to_write);

/*
 * A post or claim took an unexpected message: keeps its completion until all bytes are where it
 * says (W3).
 */
void card_taken(ref_card_t *card, uint32_t page, const tmu_model_verdict_t *verdict,
                const tmu_record_t *completion);

/* A flush removed an unexpected message; its header data. */
uint64_t card_removed(ref_card_t *card, uint64_t message);

/*
 * A receive is posted: the number that the unit shall know it by, and its page is owed a
 * completion; false, and the device has failed, without memory.
 */
bool card_receive_new(ref_card_t *card, uint32_t page, uint64_t handle, uint64_t *number_p);

/* The host's handle of a receive in the unit. */
uint64_t card_receive_handle(const ref_card_t *card, uint64_t number);

/* A receive has left the unit: whose its completion is; or there is none, and its page is owed one
 * less. */
card_owner_t card_receive_take(ref_card_t *card, uint64_t number);
void card_receive_end(ref_card_t *card, uint64_t number);

/* Header data of an unexpected message. */
uint64_t card_header_data(const ref_card_t *card, uint64_t message);

/* There may be room at an endpoint again. */
void card_room(ref_card_t *card, uint32_t endpoint);

#endif
