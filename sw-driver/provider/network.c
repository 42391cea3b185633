/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include "settings.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The process that a card runs in may not have a processor meanwhile. */
#define RETRANSMIT_US 20000u
#define RETRANSMIT_MOST_US 4000000u

#define RANK_BITS 16u /* of a host number; the job's are above */

bool network_wanted(void) { return setting_get(SETTING_ADDRESS); }

/* A.B.C.D or A.B.C.D/BITS; false for anything else. */
static bool parse(const char *text, uint32_t *address_p, uint32_t *bits_p) {
    char address[16];
    const char *slash = strchr(text, '/');
    const size_t length = slash ? (size_t)(slash - text) : strlen(text);
    struct in_addr read;
    if (length >= sizeof address) {
        return false;
    }
    memcpy(address, text, length);
    address[length] = '\0';
    if (inet_pton(AF_INET, address, &read) != 1) {
        return false;
    }
    *address_p = ntohl(read.s_addr);
    *bits_p = 0;
    if (!slash) {
        return true;
    }
    if (strlen(slash + 1) > 2 || strspn(slash + 1, "0123456789") != strlen(slash + 1)) {
        return false;
    }
    *bits_p = (uint32_t)strtoul(slash + 1, NULL, 10);
    return *bits_p >= 32 - NETWORK_HOST_BITS && *bits_p <= 24;
}

static bool read_retransmit(uint32_t *value_p, char *error, size_t error_size) {
    const char *text = setting_get(SETTING_RETRANSMIT);
    const size_t digits = text ? strspn(text, "0123456789") : 0;
    const unsigned long value = text ? strtoul(text, NULL, 10) : RETRANSMIT_US;
    *value_p = (uint32_t)value;
    if (!text ||
        (text[digits] == '\0' && digits <= 7 && value >= 1 && value <= RETRANSMIT_MOST_US)) {
        return true;
    }
    (void)snprintf(error, error_size, "%s=%s: expected microseconds from 1 to %u",
                   setting_name(SETTING_RETRANSMIT), text, RETRANSMIT_MOST_US);
    return false;
}

int network_read(network_t *network, bool ranked, unsigned long job, unsigned long rank,
                 char *error, size_t error_size) {
    const char *text = setting_get(SETTING_ADDRESS);
    uint32_t address = 0;
    uint32_t bits = 0;
    uint32_t retransmit = 0;
    if (!read_retransmit(&retransmit, error, error_size)) {
        return -1;
    }
    if (!parse(text, &address, &bits)) {
        (void)snprintf(error, error_size,
                       "%s=%s: expected an address of IPv4, or a network and its bits, 8 to 24, as "
                       "10.0.0.0/8",
                       setting_name(SETTING_ADDRESS), text);
        return -1;
    }
    if (bits == 0) {
        *network = (network_t){address, ~((UINT32_C(1) << NETWORK_HOST_BITS) - 1), retransmit};
        return 0;
    }
    const uint32_t mask = ~(UINT32_MAX >> bits);
    const unsigned long long host = ((unsigned long long)job << RANK_BITS) + rank + 1;
    if (!ranked || rank + 1 >= 1u << RANK_BITS || host >= ~mask) {
        (void)snprintf(error, error_size,
                       "%s=%s: found %s in job %lu, which has no address there: expected a rank of "
                       "a launcher, or an address of its own",
                       setting_name(SETTING_ADDRESS), text, ranked ? "a rank" : "no rank", job);
        return -1;
    }
    *network = (network_t){(address & mask) | (uint32_t)host, mask, retransmit};
    return 0;
}
