/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of tmu-share that ask for what they must not get, or break the rules (R13): they get an
 * error or their end, and another session goes on.
 */
#include "other_session.h"

static void calls_that_are_wrong_are_refused(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_query query = {.size = sizeof query - 1};
    struct tmu_ioctl_take wrong[] = {
        {.size = sizeof wrong[0], .reserved = 1},
        {.size = sizeof wrong[0], .quota_posted = TMU_IOCTL_QUOTA_MAX + 1},
        {.size = sizeof wrong[0], .quota_unexpected = UINT32_MAX},
    };
    EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_QUERY, &query), EINVAL);
    query = (struct tmu_ioctl_query){.size = sizeof query, .tag_bits = 1};
    EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_QUERY, &query), EINVAL);
    EXPECT_NUMBER(raw_call(&raw, _IOWR(TMU_IOCTL_TYPE, 99, struct tmu_ioctl_query), &query),
                  ENOTTY);
    EXPECT_NUMBER(raw_call(&raw, _IOWR(0, 0, struct tmu_ioctl_query), &query), ENOTTY);
    EXPECT_NUMBER(raw_call(&raw, 0, &query), ENOTTY);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_TAKE, &wrong[i]), EINVAL);
    }
    uint32_t endpoint = raw_take(&raw);
    struct tmu_ioctl_open bad[] = {
        {.ring_log2 = 3},
        {.ring_log2 = 17},
        {.ring_log2 = UINT32_MAX},
        {.ring_log2 = 4, .commands_log2 = 10},
        {.ring_log2 = 4, .commands_log2 = UINT32_MAX},
        {.ring_log2 = 4, .reserved = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bad[i].size = sizeof bad[i];
        bad[i].endpoint = endpoint;
        EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_OPEN, &bad[i]), EINVAL);
    }
    struct tmu_ioctl_open all = {
        .size = sizeof all, .endpoint = endpoint, .ring_log2 = 4, .commands_log2 = 9};
    EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_OPEN, &all), ENOSPC); /* two slots are tmu-share's */
    struct tmu_ioctl_open queue;
    (void)raw_queue(&raw, endpoint, &queue);
    struct tmu_ioctl_event event = {.size = sizeof event, .queue = queue.queue};
    struct tmu_ioctl_give give = {.size = sizeof give, .endpoint = endpoint};
    EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_EVENT, &event), ENOSPC);
    EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_GIVE, &give), EBUSY);
    (void)close(raw.socket);
    other_goes_on();
}

static void what_is_not_the_sessions_is_not_there(void) {
    raw_t mine = raw_open();
    raw_t theirs = raw_open();
    uint32_t owned = raw_take(&theirs);
    struct tmu_ioctl_open queue;
    (void)raw_queue(&theirs, owned, &queue);
    const uint32_t numbers[] = {owned, 0, 3, 4, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct tmu_ioctl_give give = {.size = sizeof give, .endpoint = numbers[i]};
        struct tmu_ioctl_quota quota = {.size = sizeof quota, .endpoint = numbers[i]};
        struct tmu_ioctl_depth depth = {.size = sizeof depth, .endpoint = numbers[i]};
        struct tmu_ioctl_open open = {.size = sizeof open, .endpoint = numbers[i], .ring_log2 = 4};
        EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_GIVE, &give), ENOENT);
        EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_QUOTA, &quota), ENOENT);
        EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_DEPTH, &depth), ENOENT);
        EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_OPEN, &open), ENOENT);
    }
    const uint64_t queues[] = {queue.queue, 0, 1, queue.queue + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        struct tmu_ioctl_close close = {.size = sizeof close, .queue = queues[i]};
        struct tmu_ioctl_event event = {.size = sizeof event, .queue = queues[i]};
        struct tmu_share_read read = {.size = sizeof read, .queue = queues[i]};
        EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_CLOSE, &close), ENOENT);
        EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_EVENT, &event), ENOENT);
        EXPECT_NUMBER(raw_call(&mine, TMU_SHARE_READ, &read), ENOENT);
    }
    struct tmu_share_read beyond = {.size = sizeof beyond, .queue = queue.queue, .offset = 4096};
    EXPECT_NUMBER(raw_call(&theirs, TMU_SHARE_READ, &beyond), EINVAL);
    beyond.offset = 4;
    EXPECT_NUMBER(raw_call(&theirs, TMU_SHARE_READ, &beyond), EINVAL);
    (void)raw_take(&mine);
    (void)raw_take(&mine);
    struct tmu_ioctl_take one_more = {.size = sizeof one_more};
    EXPECT_NUMBER(raw_call(&mine, TMU_IOCTL_TAKE, &one_more), ENOSPC);
    (void)close(mine.socket);
    (void)close(theirs.socket);
    other_goes_on();
}

/* R13: of a page can be read what the unit shows on it, and no other read reaches the unit. */
static void reads_of_a_page_stay_where_something_is(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_open open;
    (void)raw_queue(&raw, raw_take(&raw), &open);
    for (uint32_t offset = 0; offset < TMU_DOORBELL_PAGE_BYTES; offset += 8) {
        struct tmu_share_read read = {.size = sizeof read, .queue = open.queue, .offset = offset};
        const bool there =
            offset == TMU_DOORBELL_PICTURE_OFFSET || offset >= TMU_DOORBELL_COUNTERS_OFFSET;
        EXPECT_NUMBER(raw_call(&raw, TMU_SHARE_READ, &read), there ? 0 : EINVAL);
    }
    (void)close(raw.socket);
    other_goes_on();
}

/* R13: answers that nobody takes would keep files on their way, of which a user has few. */
static void who_asks_before_the_answer_is_taken_is_ended(void) {
    raw_t raw = raw_open();
    const struct {
        struct tmu_share_question question;
        struct tmu_ioctl_query query;
    } asked = {.question = {.call = TMU_IOCTL_QUERY}, .query = {.size = sizeof asked.query}};
    const size_t size = sizeof asked.question + sizeof asked.query;
    char bytes[sizeof asked.question + sizeof asked.query];
    memcpy(bytes, &asked.question, sizeof asked.question);
    memcpy(bytes + sizeof asked.question, &asked.query, sizeof asked.query);
    raw_send(&raw, bytes, size);
    raw_send(&raw, bytes, size);
    EXPECT(raw_hangs_up(&raw, SECONDS_MAX * 1000));
    (void)close(raw.socket);
    other_goes_on();
}

/* R13: snapshots that are asked for without end keep nobody waiting, nor does the end of who asks.
 */
static void a_flood_of_asks_stops_nobody(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_open open;
    struct tmu_share_queue *queue = raw_queue(&raw, raw_take(&raw), &open);
    const uint32_t word = 0;
    for (uint32_t i = 0; i < 64; i++) {
        for (uint32_t bells = 0; bells < TMU_SHARE_BELLS; bells++) {
            if (atomic_load(&queue->rung) - atomic_load(&queue->taken) < TMU_SHARE_BELLS) {
                raw_ring(&raw, queue, TMU_DOORBELL_ASK_OFFSET, &word, sizeof word);
            }
        }
        other_goes_on();
    }
    (void)close(raw.socket);
    other_goes_on();
}

static void messages_that_are_none_end_a_session(void) {
    static char bytes[TMU_SHARE_MESSAGE_MAX * 4];
    const size_t lengths[] = {1, 7, 9, 100, TMU_SHARE_MESSAGE_MAX, sizeof bytes};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        raw_t raw = raw_open();
        memset(bytes, 0xa5, sizeof bytes);
        raw_send(&raw, bytes, lengths[i]);
        EXPECT(raw_ended(&raw));
        (void)close(raw.socket);
    }
    /* A structure that is shorter or longer than its question says. */
    for (int more = -1; more <= 1; more += 2) {
        raw_t raw = raw_open();
        const struct tmu_share_question question = {.call = TMU_IOCTL_QUERY};
        memcpy(bytes, &question, sizeof question);
        raw_send(&raw, bytes, sizeof question + sizeof(struct tmu_ioctl_query) + (size_t)more);
        EXPECT(raw_ended(&raw));
        (void)close(raw.socket);
    }
    other_goes_on();
}

static void bells_that_are_none_end_a_session(void) {
    const uint64_t words[8] = {TMU_OPCODE_PROBE};
    const struct {
        uint32_t offset;
        uint32_t size;
    } wrong[] = {
        {TMU_DOORBELL_PAGE_BYTES, 64}, /* another one's page */
        {UINT32_MAX - 63, 64},         /* the same */
        {TMU_DOORBELL_COMMAND_WINDOW_BYTES, 64},
        {32, 64},
        {0, 4}, /* a piece of a command */
        {0, 0},
        {0, UINT32_MAX},
        {TMU_DOORBELL_COUNTERS_OFFSET, 4},
        {TMU_DOORBELL_PAGE_BYTES + TMU_DOORBELL_CONSUMER_OFFSET, 4},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        raw_t raw = raw_open();
        struct tmu_ioctl_open open;
        struct tmu_share_queue *queue = raw_queue(&raw, raw_take(&raw), &open);
        raw_ring(&raw, queue, wrong[i].offset, words, wrong[i].size);
        EXPECT(raw_ended(&raw));
        (void)close(raw.socket);
    }
    other_goes_on();
}

static void indices_that_are_not_true_end_a_session(void) {
    const uint32_t rung[] = {TMU_SHARE_BELLS + 1, UINT32_MAX, 1u << 31};
    for (size_t i = 0; i < sizeof rung / sizeof rung[0]; i++) {
        raw_t raw = raw_open();
        const struct tmu_share_question wake = {.call = TMU_SHARE_WAKE};
        struct tmu_ioctl_open open;
        struct tmu_share_queue *queue = raw_queue(&raw, raw_take(&raw), &open);
        atomic_store(&queue->rung, rung[i]);
        raw_send(&raw, &wake, sizeof wake);
        EXPECT(raw_ended(&raw));
        (void)close(raw.socket);
    }
    const uint32_t consumed[] = {2, UINT32_MAX, 1u << 31}; /* of one completion */
    for (size_t i = 0; i < sizeof consumed / sizeof consumed[0]; i++) {
        raw_t raw = raw_open();
        struct tmu_ioctl_open open;
        struct tmu_share_queue *queue = raw_queue(&raw, raw_take(&raw), &open);
        raw_command(&raw, queue, TMU_OPCODE_PROBE, 1);
        EXPECT_NUMBER(raw_status(queue, 0), TMU_STATUS_NONE);
        raw_ring(&raw, queue, TMU_DOORBELL_CONSUMER_OFFSET, &consumed[i], sizeof consumed[i]);
        EXPECT(raw_ended(&raw));
        (void)close(raw.socket);
    }
    other_goes_on();
}

/* Commands without sense are answered, and a foreign endpoint's number in them counts nothing. */
static void commands_that_are_wrong_are_answered(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_open open;
    struct tmu_share_queue *queue = raw_queue(&raw, raw_take(&raw), &open);
    raw_command(&raw, queue, TMU_OPCODE_INSPECT, 1);
    EXPECT_NUMBER(raw_status(queue, 0), TMU_STATUS_REFUSED_PRIVILEGE);
    raw_command(&raw, queue, 200, 2);
    EXPECT_NUMBER(raw_status(queue, 1), TMU_STATUS_MALFORMED);
    raw_command(&raw, queue, TMU_OPCODE_FLUSH, 3); /* its endpoint's number is 0, the other's */
    EXPECT_NUMBER(raw_status(queue, 2), TMU_STATUS_FLUSHED);
    other_goes_on(); /* its receive is still there */
    (void)close(raw.socket);
}

/* More commands than a queue has slots for wait their turn; none is lost, and none is another's.
 */
static void more_commands_than_slots_wait(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_open open = {
        .size = sizeof open, .endpoint = raw_take(&raw), .ring_log2 = 6, .commands_log2 = 1};
    EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_OPEN, &open), 0);
    EXPECT_NUMBER(open.commands_log2, 1);
    struct tmu_share_queue *queue =
        mmap(NULL, TMU_SHARE_RING_OFFSET + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, raw.file, 0);
    for (uint64_t i = 0; i < 60; i++) {
        raw_command(&raw, queue, TMU_OPCODE_POST, i);
    }
    for (uint32_t i = 0; i < 60; i++) {
        EXPECT_NUMBER(raw_status_of(queue, 6, i), TMU_STATUS_QUEUED);
    }
    (void)close(raw.socket);
    other_goes_on();
}

/* R13: whoever does not read its answers holds nobody up, not even with a flush. */
static void a_full_ring_stops_nobody(void) {
    raw_t raw = raw_open();
    struct tmu_ioctl_open open;
    uint32_t endpoint = raw_take(&raw);
    struct tmu_share_queue *queue = raw_queue(&raw, endpoint, &open);
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t read = i + 1;
        raw_command(&raw, queue, TMU_OPCODE_POST, i);
        EXPECT_NUMBER(raw_status(queue, i), TMU_STATUS_QUEUED);
        raw_ring(&raw, queue, TMU_DOORBELL_CONSUMER_OFFSET, &read, sizeof read);
    }
    raw_command(&raw, queue, TMU_OPCODE_FLUSH, 60); /* 61 answers for 16 ring entries */
    struct tmu_ioctl_depth depth = {.size = sizeof depth, .endpoint = endpoint, .posted = 1};
    while (depth.posted > 0 && expect_failures == 0) {
        EXPECT_NUMBER(raw_call(&raw, TMU_IOCTL_DEPTH, &depth), 0);
    }
    other_goes_on();
    /* All of them are there when it reads at last. */
    for (uint32_t i = 60; i <= 120; i++) {
        const uint32_t read = i + 1;
        EXPECT_NUMBER(raw_status(queue, i), i < 120 ? TMU_STATUS_REMOVED : TMU_STATUS_FLUSHED);
        raw_ring(&raw, queue, TMU_DOORBELL_CONSUMER_OFFSET, &read, sizeof read);
    }
    (void)close(raw.socket);
    other_goes_on();
}

static void too_many_sessions_are_refused(void) {
    raw_t many[512];
    size_t count = 0;
    tmu_t *device = NULL;
    char sentence[512];
    (void)snprintf(sentence, sizeof sentence,
                   "a session: the unit of tmu-share at %s has no more of them free; end a program "
                   "that has some, or ask for fewer",
                   share_path);
    for (; count < 255; count++) { /* 256 with the other one */
        many[count] = raw_open();
    }
    EXPECT_NUMBER(tmu_open(share_uri, &device), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(NULL), sentence);
    other_goes_on();
    while (count > 0) {
        (void)close(many[--count].socket);
    }
    EXPECT(session_waits(""));
}

int main(int argc, char **argv) {
    char text[8192];
    share_begin(argc, argv);
    other_begin();
    RUN(calls_that_are_wrong_are_refused);
    RUN(what_is_not_the_sessions_is_not_there);
    RUN(reads_of_a_page_stay_where_something_is);
    RUN(who_asks_before_the_answer_is_taken_is_ended);
    RUN(a_flood_of_asks_stops_nobody);
    RUN(messages_that_are_none_end_a_session);
    RUN(bells_that_are_none_end_a_session);
    RUN(indices_that_are_not_true_end_a_session);
    RUN(commands_that_are_wrong_are_answered);
    RUN(more_commands_than_slots_wait);
    RUN(a_full_ring_stops_nobody);
    RUN(too_many_sessions_are_refused);
    bench_close(&other);
    int code = share_stop(run, SIGTERM, text, sizeof text);
    bool said = strstr(text, "tmu-share: ended the session of process") &&
                strstr(text, "it rang more bells than there are\n");
    return share_summary() == 0 && code == 0 && said ? 0 : 1;
}
