/* SPDX-License-Identifier: Apache-2.0
 *
 * Two cards at the ports of a switch program, each with a queue, a name and registered memory.
 */
#ifndef CARD_FIXTURE_H
#define CARD_FIXTURE_H

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "tmu/tmu_net.h"

enum { ENDPOINT = 1, JOB = 0xabcd, MEMORY = 1 << 18, KEPT = 4096, PATIENCE_S = 60 };

typedef struct card {
    tmu_t *device;
    tmu_queue_t *queue;
    tmu_net_memory_t memory;
    uint32_t peer; /* the other card's endpoint */
    tmu_completion_t kept[KEPT];
    size_t count;
} card_t;

static card_t cards[2];
static const char *switch_program; /* from the command line */
/* The device without its link. */
static const char *device_uri = "ref:tiny";
static uint32_t retransmit_us = 2000;
static bool on_hardware; /* simulated */
static char folder[] = "/tmp/tmu-card-XXXXXX";
static pid_t switch_pid;

static inline uint32_t address_of(unsigned side) { return UINT32_C(0x0a000001) + side; }

static inline tmu_net_name_t name_of(unsigned side) {
    return (tmu_net_name_t){JOB, (uint16_t)(3 + side), 15};
}

/* The switch's program; TMU_TEST_CARD names another device, of simulated hardware. */
static inline void card_fixture_begin(const char *program) {
    const char *device = getenv("TMU_TEST_CARD");
    switch_program = program;
    device_uri = device ? device : device_uri;
    on_hardware = device;
    retransmit_us = device ? 20 : retransmit_us; /* of a simulated clock */
}

static inline void switch_start(const char *drop, uint64_t seed) {
    char socket[64];
    char number[32];
    (void)snprintf(socket, sizeof socket, "%s/switch", folder);
    (void)snprintf(number, sizeof number, "%" PRIu64, seed);
    (void)fflush(stdout);
    switch_pid = fork();
    if (switch_pid == 0) {
        (void)freopen("/dev/null", "w", stdout);
        (void)freopen("/dev/null", "w", stderr);
        (void)execl(switch_program, switch_program, "--ports", "2", "--socket", socket, "--drop",
                    drop, "--seed", number, (char *)NULL);
        _exit(127);
    }
}

/* Its own sums are checked when it stops. */
static inline void switch_stop(void) {
    int status = 0;
    (void)kill(switch_pid, SIGTERM);
    EXPECT_NUMBER(waitpid(switch_pid, &status, 0), switch_pid);
    EXPECT_NUMBER(status, 0);
}

static inline void card_open_at(unsigned side) {
    const struct timespec pause = {.tv_nsec = 10000000};
    char uri[512];
    card_t *card = &cards[side];
    *card = (card_t){0};
    (void)snprintf(uri, sizeof uri, "%s%clink=unix:%s/switch", device_uri,
                   strchr(device_uri, '?') ? '&' : '?', folder);
    tmu_result_t result = tmu_open(uri, &card->device);
    for (unsigned tries = 0; result != TMU_OK && tries < 500; tries++) { /* it may be starting */
        (void)nanosleep(&pause, NULL);
        result = tmu_open(uri, &card->device);
    }
    EXPECT_NUMBER(result, TMU_OK);
    const tmu_queue_attr_t attr = {.endpoint = ENDPOINT, .ring_log2 = 8, .commands_log2 = 5};
    EXPECT_NUMBER(tmu_queue_open(card->device, &attr, &card->queue), TMU_OK);
}

/* Network, name, peer and memory of a card whose queue is open. */
static inline void card_start(unsigned side, uint32_t attempts) {
    card_t *card = &cards[side];
    const tmu_net_attr_t net = {.address = address_of(side),
                                .payload_mtu = 1024,
                                .message_log2 = 14,
                                .retransmit_us = retransmit_us,
                                .attempts = attempts};
    const tmu_net_peer_t peer = {address_of(1 - side), name_of(1 - side), 5 + side};
    const tmu_net_name_t name = name_of(side);
    EXPECT_NUMBER(tmu_net_start(card->device, &net), TMU_OK);
    EXPECT_NUMBER(tmu_net_name_add(card->queue, &name), TMU_OK);
    EXPECT_NUMBER(tmu_net_peer_add(card->device, ENDPOINT, &peer, &card->peer), TMU_OK);
    EXPECT_NUMBER(tmu_net_memory_new(card->device, ENDPOINT, MEMORY, &card->memory), TMU_OK);
}

static inline void cards_start(const char *drop, uint64_t seed, uint32_t attempts) {
    switch_start(drop, seed);
    for (unsigned side = 0; side < 2; side++) {
        card_open_at(side);
        card_start(side, attempts);
    }
}

static inline void cards_stop(void) {
    for (unsigned side = 0; side < 2; side++) {
        tmu_close(cards[side].device);
    }
    switch_stop();
}

/* Lets both run once, and keeps what they complete. */
static inline void step(void) {
    for (unsigned side = 0; side < 2; side++) {
        card_t *card = &cards[side];
        size_t count = 0;
        if (card->device) {
            EXPECT_NUMBER(tmu_progress(card->device, 64), TMU_OK);
            EXPECT_NUMBER(
                tmu_poll(card->queue, card->kept + card->count, KEPT - card->count, &count),
                TMU_OK);
            card->count += count;
        }
    }
}

/* Runs until a card has at least so many completions. */
static inline void run_until(unsigned side, size_t count) {
    const time_t end = time(NULL) + PATIENCE_S;
    while (cards[side].count < count && expect_failures == 0 && time(NULL) < end) {
        step();
    }
    EXPECT(cards[side].count >= count);
}

/* The oldest completion, which is taken out. */
static inline tmu_completion_t take(unsigned side) {
    card_t *card = &cards[side];
    run_until(side, card->count > 0 ? card->count : 1);
    const tmu_completion_t first = card->kept[0];
    card->count -= card->count > 0;
    memmove(card->kept, card->kept + 1, card->count * sizeof first);
    return first;
}

/* Runs for a while in which nothing may complete. */
static inline void run_quietly(unsigned side, unsigned milliseconds) {
    struct timespec begin;
    struct timespec now;
    const size_t count = cards[side].count;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        step();
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
             (long)milliseconds);
    EXPECT_NUMBER(cards[side].count, count);
}

static inline void submit_post(unsigned side, uint64_t match, uint64_t at, uint64_t length,
                               uint64_t handle) {
    card_t *card = &cards[side];
    const tmu_receive_t receive = {.key = {.match = match, .source_ignore = UINT32_MAX},
                                   .handle = handle,
                                   .address = card->memory.address + at,
                                   .length = length};
    EXPECT_NUMBER(tmu_post(card->queue, ENDPOINT, &receive, NULL), TMU_OK);
}

static inline void submit_send(unsigned side, uint64_t match, uint64_t at, uint32_t bytes,
                               uint64_t handle) {
    card_t *card = &cards[side];
    const tmu_net_piece_t piece = {card->memory.address + at, bytes};
    const tmu_net_send_t send = {.peer = card->peer,
                                 .match = match,
                                 .has_header_data = true,
                                 .header_data = handle + 1000,
                                 .pieces = &piece,
                                 .piece_count = 1,
                                 .handle = handle};
    EXPECT_NUMBER(tmu_net_send(card->queue, ENDPOINT, &send), TMU_OK);
}

static inline uint8_t *bytes_at(unsigned side, uint64_t at) {
    return (uint8_t *)cards[side].memory.memory + at;
}

static inline void fill(unsigned side, uint64_t at, uint32_t bytes, unsigned from) {
    for (uint32_t i = 0; i < bytes; i++) {
        bytes_at(side, at)[i] = (uint8_t)(from + 7 * i + i / 256);
    }
}

#endif
