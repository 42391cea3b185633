/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that both ends of a link must share, because nothing on the wire says them. */
#ifndef UET_SETTINGS_H
#define UET_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Coverage is not confirmed by a second implementation: hence a setting. */
typedef enum {
    UET_CRC_NONE = 0,
    UET_CRC_ADDRESSES, /* IP addresses, UDP or entropy header and all behind it */
    UET_CRC_BEHIND_UDP /* only what follows the UDP or entropy header */
} uet_crc_coverage_t;

typedef struct {
    uint16_t udp_port;       /* destination port of the UDP form */
    bool native;             /* read the native form, without UDP, as well */
    uint8_t native_protocol; /* its IP protocol; none is assigned, 253 is experimental */
    uet_crc_coverage_t crc;
    bool crc_big_endian; /* most significant byte first; else least, as in iSCSI */
} uet_settings_t;

#define UET_SETTINGS_DEFAULT {4793, false, 253, UET_CRC_ADDRESSES, false}

#endif
