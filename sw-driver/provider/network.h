/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network of a card, as SETTING_ADDRESS has it: an address of IPv4 of this process's card, or
 * NETWORK/BITS, in which each rank of a launcher takes the host number of its job and rank; and
 * SETTING_RETRANSMIT.
 */
#ifndef TMU_PROVIDER_NETWORK_H
#define TMU_PROVIDER_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_HOST_BITS 24u /* of an initiator, at most */

typedef struct {
    uint32_t address; /* of this process's card */
    uint32_t mask;    /* bits of it that are the network's */
    uint32_t retransmit_us;
} network_t;

/* Whether there is a network: messages travel by cards. */
bool network_wanted(void);

/* Reads both settings; `ranked` false: this process has no rank.  0, or -1 and a sentence. */
int network_read(network_t *network, bool ranked, unsigned long job, unsigned long rank,
                 char *error, size_t error_size);

#endif
