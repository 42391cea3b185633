/* SPDX-License-Identifier: Apache-2.0 */
/* The example packets of tests/wire: every field, every byte, every flipped bit (W6). */
#include <stdlib.h>

#include "../uet_describe.h"
#include "expect.h"
#include "lot.h"
#include "vector_file.h"

enum { VECTORS = 20, FIRST_CHECKED_BYTE = 12 };

static vector_t vectors[VECTORS];
static const uet_settings_t settings = UET_SETTINGS_DEFAULT;
static uint64_t seed = 1;

/* The value that a packet has for a field of a layout, with the prefix of its header. */
static bool look_up(const uet_layout_t *layout, const void *structure, const char *name,
                    uint64_t *value) {
    for (size_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            *value = uet_member_get(&layout->fields[i], structure);
            return true;
        }
    }
    return false;
}

static bool look_up_nscc(const uet_packet_t *packet, const char *name, uint64_t *value) {
    uet_nscc_t nscc = uet_nscc(packet->pds.state);
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {{"service_time", nscc.service_time},
                  {"restore_cwnd", nscc.restore_cwnd},
                  {"rcv_cwnd_pend", nscc.rcv_cwnd_pend},
                  {"rcvd_bytes", nscc.rcvd_bytes},
                  {"ooo_count", nscc.ooo_count}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            *value = fields[i].value;
            return true;
        }
    }
    return false;
}

static bool field_of(const uet_packet_t *packet, const char *name, uint64_t *value) {
    const uet_layout_t *layouts[6];
    size_t starts[6];
    if (strncmp(name, "pds.", 4) == 0) {
        return look_up(uet_pds_layout(packet->pds.type, packet->pds.flags), &packet->pds, name + 4,
                       value);
    }
    if (strncmp(name, "nscc.", 5) == 0) {
        return look_up_nscc(packet, name + 5, value);
    }
    if (strncmp(name, "ses.", 4) == 0) {
        size_t count =
            uet_ses_layouts(packet->ses.kind, packet->ses.opcode, packet->ses.flags, layouts);
        for (size_t i = 0; i < count; i++) {
            if (look_up(layouts[i], &packet->ses, name + 4, value)) {
                return true;
            }
        }
        return false;
    }
    if (strcmp(name, "crc") == 0 || strcmp(name, "payload_bytes") == 0) {
        *value = name[0] == 'c' ? packet->crc : packet->payload_bytes;
        return true;
    }
    size_t count = uet_envelope_layouts(&packet->envelope, layouts, starts);
    for (size_t i = 0; i < count; i++) {
        if (look_up(layouts[i], &packet->envelope, name, value)) {
            return true;
        }
    }
    return false;
}

/* Every field of a layout stands in the file; the state of an ACK_CC stands there by its parts. */
static void expect_named(const vector_t *vector, const uet_layout_t *layout, const char *prefix) {
    for (size_t i = 0; i < layout->count; i++) {
        char name[VECTOR_NAME];
        (void)snprintf(name, sizeof name, "%s.%s", prefix, layout->fields[i].name);
        if (strcmp(name, "pds.state") != 0) {
            EXPECT(vector_find(vector, name) < vector->fields);
        }
    }
}

static void every_field(void) {
    for (size_t v = 0; v < VECTORS; v++) {
        const vector_t *vector = &vectors[v];
        const uet_layout_t *layouts[UET_SES_PARTS];
        uet_packet_t packet;
        uet_error_t error;
        bool fine = uet_packet_decode(vector->frame, vector->bytes, &settings, &packet, &error);
        EXPECT(fine);
        for (size_t i = 0; fine && i < vector->fields; i++) {
            uint64_t value = 0;
            bool there = field_of(&packet, vector->name[i], &value);
            if (!there || value != vector->value[i]) {
                (void)fprintf(stderr, "P%zu %s\n", v + 1, vector->name[i]);
                EXPECT(there);
                EXPECT_NUMBER(value, vector->value[i]);
            }
        }
        expect_named(vector, uet_pds_layout(packet.pds.type, packet.pds.flags), "pds");
        size_t count =
            uet_ses_layouts(packet.ses.kind, packet.ses.opcode, packet.ses.flags, layouts);
        for (size_t i = 0; i < count; i++) {
            expect_named(vector, layouts[i], "ses");
        }
    }
}

static void every_byte_again(void) {
    for (size_t v = 0; v < VECTORS; v++) {
        uint8_t frame[VECTOR_BYTES];
        uet_packet_t packet;
        uet_error_t error;
        EXPECT(uet_packet_decode(vectors[v].frame, vectors[v].bytes, &settings, &packet, &error));
        memset(frame, 0xee, sizeof frame);
        size_t bytes = uet_packet_encode(&packet, &settings, frame, sizeof frame, &error);
        EXPECT_NUMBER(bytes, vectors[v].bytes);
        EXPECT(memcmp(frame, vectors[v].frame, vectors[v].bytes) == 0);
        EXPECT_NUMBER(uet_packet_encode(&packet, &settings, frame, vectors[v].bytes - 1, &error),
                      0);
        EXPECT_NUMBER(error.reason, UET_NO_ROOM);
    }
}

/* In a block of its own size, so that a sanitizer sees a byte read behind its end. */
static bool decoded(const uint8_t *bytes, size_t count, const uet_settings_t *with,
                    uet_error_t *error) {
    uet_packet_t packet;
    char text[100];
    uint8_t *copy = malloc(count == 0 ? 1 : count);
    if (!copy) {
        abort();
    }
    memcpy(copy, bytes, count);
    bool fine = uet_packet_decode(copy, count, with, &packet, error);
    EXPECT(uet_describe(copy, count, with, text, sizeof text) > 0);
    free(copy);
    return fine;
}

/* Checksum and CRC cover all but the two addresses of Ethernet. */
static void every_flipped_bit(void) {
    for (size_t v = 0; v < VECTORS; v++) {
        uet_settings_t none = settings;
        none.crc = UET_CRC_NONE;
        for (size_t bit = 0; bit < vectors[v].bytes * 8; bit++) {
            uint8_t frame[VECTOR_BYTES];
            uet_error_t error;
            memcpy(frame, vectors[v].frame, vectors[v].bytes);
            frame[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
            bool fine = decoded(frame, vectors[v].bytes, &settings, &error);
            if (fine != (bit / 8 < FIRST_CHECKED_BYTE)) {
                (void)fprintf(stderr, "P%zu bit %zu\n", v + 1, bit);
                EXPECT(fine == (bit / 8 < FIRST_CHECKED_BYTE));
            }
            (void)decoded(frame, vectors[v].bytes, &none, &error);
        }
    }
}

static void every_shorter_frame(void) {
    for (size_t v = 0; v < VECTORS; v++) {
        for (size_t bytes = 0; bytes < vectors[v].bytes; bytes++) {
            uet_error_t error = {0};
            EXPECT(!decoded(vectors[v].frame, bytes, &settings, &error));
            EXPECT(error.reason == UET_SHORT || error.reason == UET_IP_LENGTH);
        }
    }
}

/* Random bytes behind a right envelope, and random bytes alone. */
static void random_bytes(void) {
    lot_t lot = lot_seeded(seed);
    uet_settings_t none = settings;
    none.crc = UET_CRC_NONE;
    (void)printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned round = 0; round < 50000; round++) {
        uint8_t frame[VECTOR_BYTES];
        uet_error_t error;
        const vector_t *vector = &vectors[lot_below(&lot, VECTORS)];
        size_t first = lot_chance(&lot, 900) ? 42 : 0;
        size_t count = first + lot_below(&lot, 120);
        memcpy(frame, vector->frame, vector->bytes);
        for (size_t i = first; i < count; i++) {
            frame[i] = (uint8_t)lot_draw(&lot);
        }
        size_t bytes = count > vector->bytes ? count : vector->bytes;
        (void)decoded(frame, bytes, &none, &error);
        (void)decoded(frame, count, &none, &error);
    }
}

int main(int count, char **arguments) {
    if (count > 1) {
        seed = strtoull(arguments[1], NULL, 0);
    }
    for (unsigned i = 0; i < VECTORS; i++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/p%02u.txt", UET_VECTORS, i + 1);
        if (!vector_read(path, &vectors[i])) {
            return 2;
        }
    }
    RUN(every_field);
    RUN(every_byte_again);
    RUN(every_flipped_bit);
    RUN(every_shorter_frame);
    RUN(random_bytes);
    return expect_summary();
}
