/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a message and its receive, from their direction, class and number alone. */
#ifndef TRAFFIC_CLASS_H
#define TRAFFIC_CLASS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TRAFFIC_CLASSES = 8,
    TRAFFIC_ENDPOINTS = 4,
    TRAFFIC_BYTES_MOST = 4 * 4096,
    TRAFFIC_JOB = 0xabcd,
    TRAFFIC_PID = 3
};

/* Low tag bits, which receives ignore. */
#define TRAFFIC_IGNORED UINT64_C(0xff)

typedef struct {
    uint32_t endpoint;
    uint32_t source;
    uint64_t match;
    uint32_t bytes;
    bool has_header_data;
    uint64_t header_data;
} traffic_message_t;

typedef struct {
    uint64_t match;
    uint32_t source_ignore;
    uint32_t bytes;
} traffic_receive_t;

traffic_message_t traffic_message(uint64_t seed, unsigned direction, unsigned kind, uint64_t number,
                                  uint32_t payload_mtu);
traffic_receive_t traffic_receive(uint64_t seed, unsigned direction, unsigned kind, uint64_t number,
                                  uint32_t payload_mtu);

/* Byte `at` of a message. */
uint8_t traffic_byte(unsigned direction, unsigned kind, uint64_t number, uint32_t at);

/* Handles of sends and receives. */
uint64_t traffic_handle(unsigned direction, unsigned kind, uint64_t number);
void traffic_of_handle(uint64_t handle, unsigned *direction, unsigned *kind, uint64_t *number);

#endif
