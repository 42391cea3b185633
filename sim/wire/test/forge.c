/* SPDX-License-Identifier: Apache-2.0 */
#include "forge.h"

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;
static const uint8_t bytes[4 * FORGE_MTU] = {0x4f, 0x70, 0x65, 0x6e};

/* With another start, far from the last one. */
static void restart(forge_t *forge, stream_t *stream) {
    stream->pdcid = 0;
    stream->start = (uint32_t)lot_draw(&forge->lot);
    stream->next = stream->start;
    stream->clear = stream->start - 1;
    stream->between = true;
}

void forge_begin(forge_t *forge, uint64_t seed, uint32_t wrong_of_1024) {
    *forge = (forge_t){.lot = lot_seeded(seed), .wrong_of_1024 = wrong_of_1024};
    for (uint16_t i = 0; i < FORGE_STREAMS; i++) {
        stream_t *stream = &forge->stream[i];
        stream->address = 0x0a000010u + i % 3;
        stream->spdcid = (uint16_t)(0x101 + i / 3);
        restart(forge, stream);
    }
}

static uet_packet_t around(const stream_t *stream) {
    return (uet_packet_t){
        .envelope = {.destination_mac = 0x020000000000 | FORGE_TARGET,
                     .source_mac = 0x020000000000 | stream->address,
                     .source_low = stream->address,
                     .destination_low = FORGE_TARGET,
                     .dont_fragment = 1,
                     .hop_limit = 64,
                     .source_port = 0xc123},
        .pds = {.type = UET_PDS_ROD_REQ,
                .next_hdr = UET_NEXT_REQ_STD,
                .flags = stream->pdcid == 0 ? UET_FLAG_SYN : 0,
                .psn = stream->next,
                .psn_offset = (uint16_t)(stream->pdcid == 0 ? stream->next - stream->start : 0),
                .spdcid = stream->spdcid,
                .dpdcid = stream->pdcid},
    };
}

static uet_packet_t request(forge_t *forge, stream_t *stream) {
    lot_t *lot = &forge->lot;
    if (stream->between) {
        stream->between = false;
        stream->id = (uint16_t)(1 + lot_below(lot, 6));
        stream->index = (uint16_t)lot_below(lot, FORGE_INDICES);
        stream->length = lot_below(lot, lot_chance(lot, 512) ? FORGE_MTU : 4 * FORGE_MTU);
        stream->offset = 0;
    }
    uint32_t left = stream->length - stream->offset;
    uint32_t count = left < FORGE_MTU ? left : FORGE_MTU;
    bool medium = stream->length <= FORGE_MTU && lot_chance(lot, 300);
    unsigned flags = UET_SES_REL;
    flags |= stream->offset == 0 ? UET_SES_SOM : 0u;
    flags |= count == left ? UET_SES_EOM : 0u;
    flags |= lot_chance(lot, 300) ? UET_SES_HD : 0u;
    uet_packet_t packet = around(stream);
    packet.pds.flags |= lot_chance(lot, 700) ? UET_FLAG_AR : 0;
    packet.pds.clear_psn_offset =
        (int16_t)(lot_chance(lot, 500) ? -1 : (int32_t)(stream->clear - stream->next));
    packet.pds.next_hdr = medium ? UET_NEXT_REQ_MEDIUM : UET_NEXT_REQ_STD;
    packet.ses = (uet_ses_t){
        .kind = packet.pds.next_hdr,
        .opcode = UET_OP_TAGGED_SEND,
        .flags = (uint8_t)flags,
        .message_id = medium ? 0 : stream->id,
        .ri_generation = forge->generation[stream->index],
        .job_id = FORGE_JOB,
        .pid_on_fep = FORGE_PID,
        .resource_index = stream->index,
        .initiator = 1 + lot_below(lot, 2),
        .match_bits = lot_below(lot, 3),
        .header_data = lot_draw(lot),
        .request_length = stream->length,
        .message_offset = stream->offset,
        .payload_length = (uint16_t)(stream->offset == 0 ? 0 : count),
    };
    packet.payload = bytes + lot_below(lot, sizeof bytes - FORGE_MTU);
    packet.payload_bytes = count;
    return packet;
}

static uet_packet_t control(forge_t *forge, stream_t *stream) {
    lot_t *lot = &forge->lot;
    uet_packet_t packet = around(stream);
    packet.payload = bytes;
    packet.pds.type = UET_PDS_CP;
    packet.pds.next_hdr = (uint8_t)lot_below(lot, 8);
    packet.pds.flags |= lot_chance(lot, 800) ? UET_FLAG_AR : 0;
    if (packet.pds.next_hdr == UET_CP_CLEAR) {
        packet.pds.payload = stream->next - 1 - lot_below(lot, 3);
    } else if (packet.pds.next_hdr == UET_CP_PROBE || packet.pds.next_hdr == UET_CP_ACK_REQ) {
        packet.pds.psn -= lot_below(lot, 4);
        packet.pds.probe_opaque = (uint16_t)lot_draw(lot);
    }
    return packet;
}

/* Distances that lie beside each of the limits. */
static uint32_t step(lot_t *lot) {
    static const uint32_t steps[] = {1, 2, 3, 127, 128, 129, 32767, 32768, 32769, 40000};
    uint32_t distance = steps[lot_below(lot, sizeof steps / sizeof *steps)];
    return lot_chance(lot, 600) ? 0u - distance : distance;
}

static void spoil_delivery(lot_t *lot, uet_packet_t *packet) {
    uet_pds_t *pds = &packet->pds;
    switch (lot_below(lot, 9)) {
    case 0:
        pds->psn += step(lot);
        pds->flags |= lot_chance(lot, 512) ? UET_FLAG_RETX : 0;
        break;
    case 1:
        pds->flags ^= (uint8_t)(1u << (2 + lot_below(lot, 4)));
        break;
    case 2:
        pds->psn -= 1 + lot_below(lot, 8);
        pds->flags |= UET_FLAG_RETX;
        break;
    case 3:
        pds->spdcid = (uint16_t)(lot_chance(lot, 512) ? 0 : pds->spdcid + 1);
        break;
    case 4:
        pds->dpdcid = (uint16_t)lot_below(lot, 8);
        break;
    case 5:
        pds->type = (uint8_t)(lot_chance(lot, 512) ? UET_PDS_ROD_CC_REQ : UET_PDS_RUD_REQ);
        break;
    case 6:
        pds->clear_psn_offset = (int16_t)step(lot);
        pds->payload += step(lot);
        break;
    case 7:
        pds->psn_offset = (uint16_t)lot_below(lot, 200);
        pds->psn += lot_chance(lot, 512) ? pds->psn_offset : 0u;
        break;
    default:
        pds->next_hdr = (uint8_t)lot_below(lot, 16);
        packet->ses.kind = pds->type == UET_PDS_CP ? 0 : pds->next_hdr;
    }
}

static void spoil_message(lot_t *lot, uet_packet_t *packet) {
    uet_ses_t *ses = &packet->ses;
    switch (lot_below(lot, 12)) {
    case 0:
        ses->version = 1;
        break;
    case 1:
        ses->opcode = (uint8_t)lot_below(lot, 17);
        break;
    case 2:
    case 3:
        ses->flags ^= (uint8_t)(1u << lot_below(lot, 6));
        break;
    case 4:
        ses->job_id += 1;
        break;
    case 5:
        ses->pid_on_fep += 1;
        break;
    case 6:
        ses->resource_index = (uint16_t)lot_below(lot, FORGE_INDICES + 1);
        break;
    case 7:
        ses->ri_generation += 1;
        break;
    case 8:
        ses->request_length = lot_below(lot, 4 * FORGE_MTU);
        break;
    case 9:
        ses->message_id = (uint16_t)(ses->kind == UET_NEXT_REQ_MEDIUM ? 0 : lot_below(lot, 7));
        break;
    case 10:
        ses->message_offset += step(lot) % (2 * FORGE_MTU);
        break;
    default:
        packet->payload_bytes = lot_below(lot, FORGE_MTU + 1);
        ses->payload_length =
            (uint16_t)(lot_chance(lot, 512) ? packet->payload_bytes : ses->payload_length);
    }
}

static void spoil(forge_t *forge, uet_packet_t *packet) {
    lot_t *lot = &forge->lot;
    if (lot_chance(lot, 100)) {
        packet->envelope.ecn = 3;
    }
    if (lot_chance(lot, 20)) {
        packet->envelope.destination_low += 1;
    }
    while (lot_chance(lot, forge->wrong_of_1024)) {
        if (packet->pds.type == UET_PDS_CP || lot_chance(lot, 400)) {
            spoil_delivery(lot, packet);
        } else {
            spoil_message(lot, packet);
        }
    }
}

size_t forge_frame(forge_t *forge, uint8_t frame[FORGE_ROOM], stream_t **from,
                   uet_packet_t *packet) {
    lot_t *lot = &forge->lot;
    uet_error_t error;
    stream_t *stream = &forge->stream[lot_below(lot, FORGE_STREAMS)];
    size_t count = 0;
    *from = stream;
    while (count == 0) { /* again, when no header has room for what was forged */
        *packet = lot_chance(lot, 80) ? control(forge, stream) : request(forge, stream);
        spoil(forge, packet);
        count = uet_packet_encode(packet, &settings, frame, FORGE_ROOM, &error);
    }
    if (lot_chance(lot, 30)) { /* a bit behind the MAC addresses; the checks find it */
        frame[12 + lot_below(lot, (uint32_t)count - 12)] ^= (uint8_t)(1u << lot_below(lot, 8));
    } else if (lot_chance(lot, 10)) {
        count = lot_below(lot, (uint32_t)count);
    }
    return count;
}

void forge_taken(stream_t *stream, const uet_packet_t *packet) {
    if (packet->pds.psn != stream->next) {
        return;
    }
    stream->next += 1;
    if (packet->pds.type != UET_PDS_CP) {
        stream->offset += (uint32_t)packet->payload_bytes;
        stream->between =
            (packet->ses.flags & UET_SES_EOM) != 0 || stream->offset >= stream->length;
    }
}

/* Follows the target's next number, as far as an answer tells. */
static void follow(forge_t *forge, stream_t *stream, const uet_packet_t *answer) {
    const uet_pds_t *pds = &answer->pds;
    uint32_t next = stream->next;
    if (uet_pds_is_ack(pds->type)) {
        next = (int32_t)(pds->cack_psn - next) > 0 ? pds->cack_psn + 1 : next;
        stream->clear = pds->cack_psn;
    } else if (pds->nack_code == UET_NACK_ROD_OOO) {
        next = pds->payload;
    } else if (pds->nack_code == UET_NACK_INV_DPDCID) {
        if (lot_chance(&forge->lot, 700)) {
            restart(forge, stream);
        } else { /* as if its first packet were belated */
            stream->pdcid = 0;
            stream->next = stream->start;
            stream->between = true;
        }
        return;
    }
    if (pds->spdcid != 0) {
        stream->pdcid = pds->spdcid;
    }
    if (next != stream->next) {
        stream->next = next;
        stream->between = true;
    }
}

void forge_answer(forge_t *forge, const uet_packet_t *answer) {
    const uet_pds_t *pds = &answer->pds;
    for (unsigned i = 0; i < FORGE_STREAMS; i++) {
        stream_t *stream = &forge->stream[i];
        if (stream->address == answer->envelope.destination_low && stream->spdcid == pds->dpdcid) {
            follow(forge, stream, answer);
        }
    }
    if (uet_pds_is_ack(pds->type) && answer->ses.return_code == UET_RC_BAD_GENERATION) {
        for (unsigned i = 0; i < FORGE_INDICES; i++) { /* which of them it was is not told */
            bool this = lot_chance(&forge->lot, 512);
            forge->generation[i] = this ? answer->ses.ri_generation : forge->generation[i];
        }
    }
}
