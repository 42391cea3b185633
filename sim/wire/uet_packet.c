/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_packet.h"

#include <string.h>

#include "uet_crc.h"

enum { CRC_BYTES = 4 };

static size_t crc_bytes(const uet_settings_t *settings) {
    return settings->crc == UET_CRC_NONE ? 0 : CRC_BYTES;
}

static uint32_t crc_compute(const uet_envelope_t *envelope, const uet_settings_t *settings,
                            const uint8_t *frame) {
    size_t start = settings->crc == UET_CRC_ADDRESSES ? envelope->addresses : envelope->inside;
    return uet_crc32c(frame + start, envelope->end - CRC_BYTES - start);
}

static uint32_t crc_get(const uet_settings_t *settings, const uint8_t *bytes) {
    uint32_t crc = 0;
    for (unsigned i = 0; i < CRC_BYTES; i++) {
        unsigned at = settings->crc_big_endian ? i : CRC_BYTES - 1 - i;
        crc = crc << 8 | bytes[at];
    }
    return crc;
}

static void crc_put(const uet_settings_t *settings, uint8_t *bytes, uint32_t crc) {
    for (unsigned i = 0; i < CRC_BYTES; i++) {
        unsigned at = settings->crc_big_endian ? CRC_BYTES - 1 - i : i;
        bytes[at] = (uint8_t)(crc >> 8 * i);
    }
}

void uet_packet_seal(const uet_envelope_t *envelope, const uet_settings_t *settings,
                     uint8_t *frame) {
    if (settings->crc != UET_CRC_NONE) {
        crc_put(settings, frame + envelope->end - CRC_BYTES,
                crc_compute(envelope, settings, frame));
    }
}

static bool crc_check(const uint8_t *frame, const uet_settings_t *settings, uet_packet_t *packet,
                      uet_error_t *error) {
    const uet_envelope_t *envelope = &packet->envelope;
    size_t inside = envelope->end - envelope->inside;
    if (inside < CRC_BYTES) {
        *error = (uet_error_t){UET_SHORT, "crc",        "bytes",  envelope->inside,
                               inside,    UET_AT_LEAST, CRC_BYTES};
        return false;
    }
    uint32_t right = crc_compute(envelope, settings, frame);
    packet->crc = crc_get(settings, frame + envelope->end - CRC_BYTES);
    if (packet->crc != right) {
        *error = (uet_error_t){UET_CRC,     "crc",       "crc32c", envelope->end - CRC_BYTES,
                               packet->crc, UET_EXACTLY, right};
        return false;
    }
    return true;
}

bool uet_packet_decode(const uint8_t *frame, size_t bytes, const uet_settings_t *settings,
                       uet_packet_t *packet, uet_error_t *error) {
    size_t length = 0;
    memset(packet, 0, sizeof *packet);
    if (!uet_envelope_decode(frame, bytes, settings, &packet->envelope, error)) {
        return false;
    }
    /* An encrypted packet ends with a check of its own. */
    bool encrypted = packet->envelope.end > packet->envelope.inside &&
                     frame[packet->envelope.inside] >> 3 == UET_PDS_TSS;
    bool checked = settings->crc != UET_CRC_NONE && !encrypted;
    if (checked && !crc_check(frame, settings, packet, error)) {
        return false;
    }
    size_t at = packet->envelope.inside;
    size_t end = packet->envelope.end - (checked ? crc_bytes(settings) : 0);
    packet->pds_at = at;
    if (!uet_pds_decode(frame + at, end - at, at, &packet->pds, &length, error)) {
        return false;
    }
    at += length;
    bool headless = packet->pds.type == UET_PDS_CP || uet_pds_is_nack(packet->pds.type);
    unsigned kind = headless ? UET_NEXT_NONE : packet->pds.next_hdr;
    packet->ses_at = at;
    if (!uet_ses_decode(kind, frame + at, end - at, at, &packet->ses, &length, error)) {
        return false;
    }
    packet->payload = frame + at + length;
    packet->payload_bytes = end - at - length;
    return true;
}

size_t uet_packet_encode(uet_packet_t *packet, const uet_settings_t *settings, uint8_t *frame,
                         size_t room, uet_error_t *error) {
    uint8_t headers[128];
    size_t ses_bytes = 0;
    const uet_layout_t *layouts[6];
    size_t starts[6];
    size_t parts = uet_envelope_layouts(&packet->envelope, layouts, starts);
    size_t at = starts[parts - 1] + layouts[parts - 1]->bytes;
    packet->envelope.protocol = packet->envelope.native ? settings->native_protocol : 17;
    packet->envelope.destination_port = packet->envelope.native ? 0 : settings->udp_port;
    packet->pds_at = at;
    size_t pds_bytes = uet_pds_encode(&packet->pds, headers, sizeof headers, at, error);
    packet->ses_at = at + pds_bytes;
    if (pds_bytes == 0 ||
        !uet_ses_encode(&packet->ses, headers + pds_bytes, sizeof headers - pds_bytes,
                        packet->ses_at, &ses_bytes, error)) {
        return 0;
    }
    size_t inside = pds_bytes + ses_bytes + packet->payload_bytes + crc_bytes(settings);
    if (!uet_envelope_encode(&packet->envelope, inside, frame, room, error)) {
        return 0;
    }
    memcpy(frame + at, headers, pds_bytes + ses_bytes);
    if (packet->payload_bytes != 0) {
        memcpy(frame + packet->ses_at + ses_bytes, packet->payload, packet->payload_bytes);
    }
    uet_packet_seal(&packet->envelope, settings, frame);
    if (settings->crc != UET_CRC_NONE) {
        packet->crc = crc_get(settings, frame + packet->envelope.end - CRC_BYTES);
    }
    return packet->envelope.end;
}
