/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of tmu-share that ask and read no answers: what waits for them is bounded (R13).
 */
#include "other_session.h"

/* R13: what waits for a session that reads nothing is bounded. */
static void who_never_reads_is_ended(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_open open;
    struct tmu_share_queue *queue = raw_queue(&raw, raw_take(&raw), &open);
    const struct timespec rest = {.tv_nsec = 10000};
    const uint32_t most = (1u << TMU_RING_LOG2_MAX) + 16 + TMU_SHARE_BELLS + 512;
    for (uint32_t i = 0; i < most && !raw_hangs_up(&raw, 0); i++) {
        while (atomic_load(&queue->rung) - atomic_load(&queue->taken) == TMU_SHARE_BELLS &&
               !raw_hangs_up(&raw, 0)) {
            (void)nanosleep(&rest, NULL);
        }
        raw_command(&raw, queue, TMU_OPCODE_PROBE, i);
    }
    EXPECT(raw_ended(&raw));
    (void)close(raw.socket);
    other_goes_on();
}

/* A queue with 16 ring entries of a session, and the commands that its owner has rung. */
typedef struct asking {
    struct tmu_share_queue *memory;
    uint64_t rung;
} asking_t;

/* Rings commands whose answers nobody reads, unless the session has ended. */
static void ask_for_missing(const raw_t *raw, asking_t *queue, uint32_t count) {
    const struct timespec rest = {.tv_nsec = 10000};
    for (uint32_t i = 0; i < count; i++) {
        while (atomic_load(&queue->memory->rung) - atomic_load(&queue->memory->taken) ==
                   TMU_SHARE_BELLS &&
               !raw_hangs_up(raw, 0)) {
            (void)nanosleep(&rest, NULL);
        }
        if (i % 64 == 0 && raw_hangs_up(raw, 0)) {
            return;
        }
        raw_command(raw, queue->memory, TMU_OPCODE_PROBE, queue->rung++);
    }
}

/* R13: what waits for a session is bounded over all of its queues. */
static void many_queues_do_not_keep_more(void) {
    enum { QUEUES = 8 };
    raw_t raw = raw_open();
    uint32_t endpoint = raw_take(&raw);
    asking_t queues[QUEUES] = {0};
    for (size_t i = 0; i < QUEUES; i++) {
        struct tmu_ioctl_open open;
        queues[i].memory = raw_queue(&raw, endpoint, &open);
    }
    const uint32_t each = ((1u << TMU_RING_LOG2_MAX) + 512) / QUEUES + 16 + TMU_SHARE_BELLS;
    for (uint32_t turn = 0; turn < each && !raw_hangs_up(&raw, 0); turn += 64) {
        for (size_t i = 0; i < QUEUES; i++) {
            ask_for_missing(&raw, &queues[i], 64);
        }
    }
    EXPECT(raw_ended(&raw));
    (void)close(raw.socket);
    other_goes_on();
}

/* R13: and over all sessions, of which those that are owed most are ended first. */
static void many_sessions_do_not_keep_more(void) {
    enum { SESSIONS = 3 };
    const uint32_t each = (1u << TMU_RING_LOG2_MAX) - 1000; /* fewer than one may be owed */
    uint32_t ended = 0;
    raw_t raw[SESSIONS];
    asking_t queues[SESSIONS] = {0};
    for (size_t i = 0; i < SESSIONS; i++) {
        struct tmu_ioctl_open open;
        raw[i] = raw_open();
        queues[i].memory = raw_queue(&raw[i], raw_take(&raw[i]), &open);
    }
    for (uint32_t turn = 0; turn < each; turn += 1000) {
        for (size_t i = 0; i < SESSIONS; i++) {
            ask_for_missing(&raw[i], &queues[i], 1000);
        }
        other_goes_on();
    }
    for (size_t i = 0; i < SESSIONS; i++) {
        ended += raw_hangs_up(&raw[i], 0);
        (void)close(raw[i].socket);
    }
    EXPECT(ended > 0);
    other_goes_on();
}

int main(int argc, char **argv) {
    char text[8192];
    share_begin(argc, argv);
    other_begin();
    RUN(who_never_reads_is_ended);
    RUN(many_queues_do_not_keep_more);
    RUN(many_sessions_do_not_keep_more);
    bench_close(&other);
    int code = share_stop(run, SIGTERM, text, sizeof text);
    bool said = strstr(text, "it asks the unit and does not read the answers\n");
    return share_summary() == 0 && code == 0 && said ? 0 : 1;
}
