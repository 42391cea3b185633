/* SPDX-License-Identifier: Apache-2.0 */
/* Two endpoints on an impaired link: every message once, in order, with every byte (W1 to W6). */
#include "expect.h"
#include "traffic.h"

static uint64_t seed = 1;

static traffic_options_t usual(void) {
    traffic_options_t options = {
        .messages = 4000,
        .seed = seed,
        .link = {.impairments = {.seed = seed}, .delay_ns = 1000, .gbps = 100},
        .payload_mtu = 1024,
        .window = 64,
        .close_midway = true,
    };
    return options;
}

static traffic_result_t run(traffic_options_t options) {
    traffic_result_t result;
    (void)traffic_run(&options, &result);
    EXPECT_TEXT(result.error, "");
    EXPECT(result.truncated > 0);
    EXPECT(result.unexpected > 0 || options.messages < 4000);
    return result;
}

/* A clear that meets an acknowledgement half-way can cost a timeout, one in a hundred runs. */
static void w1_w4_without_loss_next_to_nothing_is_sent_again(void) {
    traffic_options_t options = usual();
    options.close_midway = false;
    traffic_result_t result = run(options);
    EXPECT_NUMBER(result.received, 4000);
    EXPECT(result.node[0].sent_again + result.node[1].sent_again <= options.window);
}

static void w1_w3_under_loss_every_byte_arrives_once(void) {
    traffic_options_t options = usual();
    options.link.impairments = (link_impairments_t){0.01, 0.01, 0.01, 0.01, seed};
    traffic_result_t result = run(options);
    EXPECT(result.port[0].dropped > 0 && result.port[0].duplicated > 0);
    EXPECT(result.port[0].reordered > 0 && result.port[0].corrupted > 0);
    EXPECT(result.node[1].refused[UET_CRC] > 0);
    EXPECT(result.node[1].counted[UET_COUNT_DUPLICATE] > 0);
    EXPECT(result.node[1].counted[UET_COUNT_OUT_OF_ORDER] > 0);
    EXPECT(result.node[0].sent_again > 0);
}

static void w1_w3_under_heavy_loss_as_well(void) {
    traffic_options_t options = usual();
    options.messages = 800;
    options.link.impairments = (link_impairments_t){0.15, 0.15, 0.15, 0.15, seed};
    (void)run(options);
}

static void w5_an_endpoint_without_room_loses_nothing(void) {
    traffic_options_t options = usual();
    options.link.impairments = (link_impairments_t){0.01, 0.01, 0.01, 0.01, seed};
    options.quota = 1;
    traffic_result_t result = run(options);
    EXPECT(result.node[0].messages_refused + result.node[1].messages_refused > 0);
}

static void small_windows_and_packets(void) {
    traffic_options_t options = usual();
    options.messages = 1600;
    options.link.impairments.drop = 0.01;
    for (uint16_t window = 2; window <= 5; window++) {
        options.window = window;
        options.payload_mtu = 61u * window;
        (void)run(options);
    }
}

int main(void) {
    seed = expect_seed(seed);
    RUN(w1_w4_without_loss_next_to_nothing_is_sent_again);
    RUN(w1_w3_under_loss_every_byte_arrives_once);
    RUN(w1_w3_under_heavy_loss_as_well);
    RUN(w5_an_endpoint_without_room_loses_nothing);
    RUN(small_windows_and_packets);
    return expect_summary();
}
