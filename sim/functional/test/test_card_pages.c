/* SPDX-License-Identifier: Apache-2.0
 *
 * Two cards, of which the second has several queues and endpoints: each message is told in the ring
 * of the page that has posted its receive, and lies in its own endpoint's pool.
 */
#include "card_fixture.h"
#include "tmu_internal.h"
#include "tmu_raw.h"

enum { OTHER = 2, RECEIVES = 14, RAW_POSTS = 12, RAW_STARTED = 8 };

static tmu_queue_t *beside; /* of the second card */

static void beside_open(uint32_t endpoint) {
    const tmu_queue_attr_t attr = {.endpoint = endpoint, .ring_log2 = 4, .commands_log2 = 4};
    EXPECT_NUMBER(tmu_queue_open(cards[1].device, &attr, &beside), TMU_OK);
}

/* The next completion of that queue. */
static tmu_completion_t beside_take(void) {
    const time_t end = time(NULL) + PATIENCE_S;
    tmu_completion_t c = {0};
    size_t count = 0;
    while (count == 0 && expect_failures == 0 && time(NULL) < end) {
        step();
        EXPECT_NUMBER(tmu_poll(beside, &c, 1, &count), TMU_OK);
    }
    EXPECT_NUMBER(count, 1);
    return c;
}

static tmu_result_t beside_post(uint64_t match, uint64_t handle, tmu_receive_id_t *id_p) {
    const tmu_receive_t receive = {.key = {.match = match, .source_ignore = UINT32_MAX},
                                   .handle = handle,
                                   .address = cards[1].memory.address,
                                   .length = 8};
    return tmu_post(beside, ENDPOINT, &receive, id_p);
}

/* Posts until the queue keeps no more; how many. */
static unsigned beside_fill(tmu_receive_id_t *id_p) {
    unsigned count = 0;
    while (count < 2 * RECEIVES && beside_post(7, count, id_p) == TMU_OK) {
        EXPECT_NUMBER(beside_take().status, TMU_STATUS_QUEUED);
        count++;
    }
    return count;
}

static void w5_a_message_is_told_to_the_page_that_posted_its_receive(void) {
    cards_start("0.01", expect_seed(1), 0);
    beside_open(ENDPOINT);
    submit_post(1, 1, 0, 8, 11);
    EXPECT_NUMBER(take(1).status, TMU_STATUS_QUEUED);
    EXPECT_NUMBER(beside_post(2, 22, NULL), TMU_OK);
    EXPECT_NUMBER(beside_take().status, TMU_STATUS_QUEUED);
    submit_send(0, 2, 0, 8, 5);
    tmu_completion_t c = beside_take();
    EXPECT_NUMBER(c.opcode, TMU_OPCODE_ARRIVE);
    EXPECT_NUMBER(c.handle, 1005);
    EXPECT_NUMBER(c.other, 22);
    EXPECT_NUMBER(cards[1].count, 0);
    submit_send(0, 1, 0, 8, 6);
    c = take(1);
    EXPECT_NUMBER(c.handle, 1006);
    EXPECT_NUMBER(c.other, 11);
    cards_stop();
}

/* R10, R14: whoever ends a receive frees the ring entry of the queue that posted it. */
static void w5_a_queue_keeps_as_many_receives_as_its_ring_has_room_for(void) {
    cards_start("0", 2, 0);
    beside_open(ENDPOINT);
    tmu_receive_id_t last = TMU_RECEIVE_NONE;
    EXPECT_NUMBER(beside_fill(&last), RECEIVES);
    EXPECT_NUMBER(tmu_cancel(cards[1].queue, ENDPOINT, last, 5), TMU_OK);
    EXPECT_NUMBER(take(1).status, TMU_STATUS_CANCELLED);
    EXPECT_NUMBER(beside_fill(&last), 1);
    EXPECT_NUMBER(tmu_cancel(beside, ENDPOINT, last, 6), TMU_OK); /* a full one can do that */
    EXPECT_NUMBER(beside_take().status, TMU_STATUS_CANCELLED);
    EXPECT_NUMBER(tmu_flush(cards[1].queue, ENDPOINT, NULL, 9), TMU_OK);
    for (unsigned i = 1; i < RECEIVES; i++) {
        EXPECT_NUMBER(take(1).status, TMU_STATUS_REMOVED);
    }
    EXPECT_NUMBER(take(1).status, TMU_STATUS_FLUSHED);
    EXPECT_NUMBER(beside_fill(&last), RECEIVES);
    cards_stop();
}

/* The completion after `read` others. */
static tmu_completion_t take_raw(uint32_t read) {
    const time_t end = time(NULL) + PATIENCE_S;
    tmu_completion_t c = {0};
    while (!tmu_raw_completion(beside, read, &c) && time(NULL) < end) {
        step();
    }
    return c;
}

static void expect_raw(uint32_t read, uint8_t opcode, uint8_t status) {
    const tmu_completion_t c = take_raw(read);
    EXPECT_NUMBER(c.opcode, opcode);
    EXPECT_NUMBER(c.status, status);
}

/* Those after `read` others are of posts that are queued, but one that meets the message which
 * waits: that has to be moved first, and others may pass it. */
static void expect_raw_match(uint32_t read, unsigned count) {
    unsigned matched = 0;
    for (unsigned i = 0; i < count; i++) {
        const tmu_completion_t c = take_raw(read + i);
        EXPECT_NUMBER(c.opcode, TMU_OPCODE_POST);
        EXPECT(c.status == TMU_STATUS_QUEUED || c.status == TMU_STATUS_MATCHED);
        matched += c.status == TMU_STATUS_MATCHED;
    }
    EXPECT_NUMBER(matched, 1);
}

static void w5_a_ring_that_nobody_reads_holds_up_its_own_page_alone(void) {
    cards_start("0", 3, 0);
    beside_open(ENDPOINT);
    tmu_completion_t c = {0};
    tmu_record_t post = {0};
    TMU_FIELD_SET(&post, TMU_COMMAND_OPCODE, TMU_OPCODE_POST);
    TMU_FIELD_SET(&post, TMU_COMMAND_MATCH, 7);
    TMU_FIELD_SET(&post, TMU_COMMAND_SOURCE_IGNORE, UINT32_MAX);
    TMU_FIELD_SET(&post, TMU_COMMAND_ADDRESS, cards[1].memory.address);
    TMU_FIELD_SET(&post, TMU_COMMAND_LENGTH, 8);
    TMU_FIELD_SET(&post, TMU_COMMAND_MEMORY, cards[1].memory.number);
    tmu_raw_hold(beside);
    for (uint32_t i = 0; i < RAW_POSTS; i++) { /* each of them is owed two completions */
        TMU_FIELD_SET(&post, TMU_COMMAND_HANDLE, 500 + i);
        TMU_FIELD_SET(&post, TMU_COMMAND_RECEIVE_ID, i);
        EXPECT_NUMBER(tmu_raw_command(beside, i, post), TMU_OK);
    }
    run_quietly(1, 20);
    expect_raw(RAW_STARTED - 1, TMU_OPCODE_POST, TMU_STATUS_QUEUED);
    EXPECT(!tmu_raw_completion(beside, RAW_STARTED, &c));
    for (unsigned i = 0; i <= RAW_STARTED; i++) {
        submit_send(0, 7, 0, 8, i);
        EXPECT_NUMBER(take(0).status, TMU_STATUS_SENT);
    }
    expect_raw(2 * RAW_STARTED - 1, TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED);
    submit_post(1, 8, 0, 8, 9); /* others go on */
    EXPECT_NUMBER(take(1).status, TMU_STATUS_QUEUED);
    submit_send(0, 8, 0, 8, 77);
    EXPECT_NUMBER(take(1).handle, 1077);
    EXPECT_NUMBER(tmu_raw_consumer(beside, 2 * RAW_STARTED), TMU_OK);
    expect_raw_match(2 * RAW_STARTED, RAW_POSTS - RAW_STARTED);
    tmu_raw_release(beside);
    cards_stop();
}

static bool empty(const tmu_dma_t *pool) {
    const uint8_t *bytes = pool->memory;
    size_t set = 0;
    for (size_t i = 0; i < pool->bytes; i++) {
        set += bytes[i] != 0;
    }
    return set == 0;
}

static void w2_an_unexpected_message_lies_in_its_own_endpoints_pool(void) {
    cards_start("0.01", 4, 0);
    beside_open(OTHER);
    const tmu_net_name_t name = {JOB, 4, 16};
    const tmu_net_peer_t peer = {address_of(1), name, 5};
    const tmu_key_t key = {.match = 42, .source_ignore = UINT32_MAX};
    const tmu_dma_t *pools = cards[1].device->network.pools;
    const uint32_t own = cards[0].peer;
    uint32_t other = 0;
    EXPECT_NUMBER(tmu_net_name_add(beside, &name), TMU_OK);
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, ENDPOINT, &peer, &other), TMU_OK);
    fill(0, 0, 100, 1);
    cards[0].peer = other;
    submit_send(0, 42, 0, 100, 1);
    EXPECT_NUMBER(take(0).status, TMU_STATUS_SENT);
    EXPECT(empty(&pools[ENDPOINT]));
    EXPECT(!empty(&pools[OTHER]));
    EXPECT_NUMBER(tmu_claim(beside, OTHER, &key, 8), TMU_OK);
    tmu_completion_t c = beside_take();
    const uint8_t *bytes = tmu_net_claimed(cards[1].device, &c);
    EXPECT(bytes && memcmp(bytes, bytes_at(0, 0), 100) == 0);
    EXPECT(bytes >= (const uint8_t *)pools[OTHER].memory &&
           bytes < (const uint8_t *)pools[OTHER].memory + pools[OTHER].bytes);
    c.endpoint = ENDPOINT; /* in no other's pool */
    EXPECT(!tmu_net_claimed(cards[1].device, &c));
    EXPECT_NUMBER(tmu_net_release(cards[1].device, &c), TMU_ERR_INVALID);
    c.endpoint = OTHER;
    EXPECT_NUMBER(tmu_net_release(cards[1].device, &c), TMU_OK);
    cards[0].peer = own;
    memset(pools[OTHER].memory, 0, pools[OTHER].bytes);
    submit_send(0, 42, 0, 100, 2);
    EXPECT_NUMBER(take(0).status, TMU_STATUS_SENT);
    EXPECT(!empty(&pools[ENDPOINT]));
    EXPECT(empty(&pools[OTHER]));
    cards_stop();
}

static void set(uint32_t offset, uint32_t value) {
    EXPECT_NUMBER(tmu_raw_register(cards[1].device, offset, value), TMU_OK);
}

static void w5_an_endpoint_without_a_pool_takes_no_message(void) {
    cards_start("0", 5, 0);
    const tmu_net_name_t name = {JOB, 4, 16};
    const tmu_net_peer_t peer = {address_of(1), name, 5};
    const uint64_t pool = cards[1].device->network.pools[ENDPOINT].bus_address;
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, ENDPOINT, &peer, &cards[0].peer), TMU_OK);
    set(TMU_REG_NAME_JOB, TMU_REGISTER_BITS(TMU_NAME_JOB_JOB, name.job));
    set(TMU_REG_NAME_PROCESS, TMU_REGISTER_BITS(TMU_NAME_PROCESS_PID, name.pid) |
                                  TMU_REGISTER_BITS(TMU_NAME_PROCESS_INDEX, name.index));
    set(TMU_REG_NAME_ENDPOINT, OTHER);
    set(TMU_REG_NAME_STATE, TMU_REGISTER_BITS(TMU_NAME_STATE_ENABLED, 1));
    set(TMU_REG_NAME_COMMAND, TMU_REGISTER_BITS(TMU_NAME_COMMAND_ENDPOINT, 1));
    submit_send(0, 42, 0, 8, 1);
    run_quietly(0, 50);
    set(TMU_REG_POOL_BASE_LO, (uint32_t)pool);
    set(TMU_REG_POOL_BASE_HI, (uint32_t)(pool >> 32));
    set(TMU_REG_POOL_ENDPOINT, TMU_REGISTER_BITS(TMU_POOL_ENDPOINT_ENDPOINT, OTHER) |
                                   TMU_REGISTER_BITS(TMU_POOL_ENDPOINT_REGISTER, 1));
    run_quietly(0, 50); /* it is enabled by its name */
    set(TMU_REG_NAME_COMMAND, TMU_REGISTER_BITS(TMU_NAME_COMMAND_ENDPOINT, 1));
    EXPECT_NUMBER(take(0).status, TMU_STATUS_SENT);
    cards_stop();
}

/* W8: a page that is another's is not told what its owner before was owed. */
static void w8_a_page_that_was_opened_anew_is_told_nothing_of_before(void) {
    cards_start("0", 6, 0);
    beside_open(ENDPOINT);
    const uint32_t page = tmu_raw_page(beside).number;
    EXPECT_NUMBER(beside_post(7, 1, NULL), TMU_OK);
    EXPECT_NUMBER(beside_take().status, TMU_STATUS_QUEUED);
    EXPECT_NUMBER(tmu_queue_close(beside), TMU_OK);
    beside_open(ENDPOINT);
    EXPECT_NUMBER(tmu_raw_page(beside).number, page);
    submit_send(0, 7, 0, 8, 1);
    EXPECT_NUMBER(take(0).status, TMU_STATUS_SENT);
    EXPECT_NUMBER(beside_post(7, 2, NULL), TMU_OK);
    EXPECT_NUMBER(beside_take().status, TMU_STATUS_QUEUED);
    submit_send(0, 7, 0, 8, 2);
    EXPECT_NUMBER(beside_take().handle, 1002);
    cards_stop();
}

int main(int count, char **values) {
    if (count != 2 || !mkdtemp(folder)) {
        (void)fprintf(stderr, "usage: test_card_pages SWITCH\n");
        return 2;
    }
    card_fixture_begin(values[1]);
    RUN(w5_a_message_is_told_to_the_page_that_posted_its_receive);
    RUN(w5_a_queue_keeps_as_many_receives_as_its_ring_has_room_for);
    RUN(w5_a_ring_that_nobody_reads_holds_up_its_own_page_alone);
    RUN(w2_an_unexpected_message_lies_in_its_own_endpoints_pool);
    if (!on_hardware) { /* where docs/card.md says what it does instead */
        RUN(w5_an_endpoint_without_a_pool_takes_no_message);
        RUN(w8_a_page_that_was_opened_anew_is_told_nothing_of_before);
    }
    (void)rmdir(folder);
    return expect_summary();
}
