/* SPDX-License-Identifier: Apache-2.0 */
/* Names of endpoints on cards, and the header data of messages between them. */
#ifndef TMU_PROVIDER_CARD_NAME_H
#define TMU_PROVIDER_CARD_NAME_H

#include "network.h"

#define CARD_ENDPOINT_BITS 8u /* of an initiator, that number an endpoint of its card */
#define CARD_JOB 1u           /* all processes of a network are in one job */
#define CARD_PID 1u           /* and have a card to themselves */
#define CARD_NAME 16u         /* bytes of an address */

/* The name of an endpoint of a card; addresses are these bytes. */
typedef struct {
    uint32_t address;
    uint16_t index;
    uint32_t initiator;
} card_name_t;

void card_name_encode(const card_name_t *name, uint8_t bytes[static CARD_NAME]);
card_name_t card_name_decode(const uint8_t bytes[static CARD_NAME]);
/* The name that an initiator of this network has. */
card_name_t card_name_of(const network_t *network, uint32_t initiator);
/* The name of an endpoint of this process. */
card_name_t card_name_own(const network_t *network, uint32_t endpoint);

/* Header data of a tagged message. */
typedef struct {
    bool ready; /* its payload waits at the sender */
    bool has_data;
    uint32_t data;
    uint32_t length; /* below 2^CARD_LENGTH_BITS */
} card_header_t;

#define CARD_LENGTH_BITS 30u

uint64_t card_header_encode(const card_header_t *header);
card_header_t card_header_decode(uint64_t bits);

#endif
