/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening, asking and resetting devices, and what a device that misbehaves leads to.
 */
#include "fixture.h"
#include "tmu_internal.h"

/* The functional device with one register read changed and the last status byte on demand. */
static tmu_backend_ops_t faulty;
static uint32_t faulty_offset;
static uint32_t faulty_value;

static tmu_result_t faulty_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    if (offset == faulty_offset) {
        *value_p = faulty_value;
        return TMU_OK;
    }
    return tmu_backend_ref.read32(backend, offset, value_p);
}

static tmu_result_t open_faulty(uint32_t offset, uint32_t value, tmu_t **device_p) {
    faulty = tmu_backend_ref;
    faulty.read32 = faulty_read32;
    faulty_offset = offset;
    faulty_value = value;
    return tmu_open_backend(&faulty, "tiny", device_p);
}

static void unusable_uris_are_explained(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(tmu_open("pci:1", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "unknown scheme in 'pci:1'; known: ref:PRESET, sim:LIBRARY, "
                                      "vfu:SOCKET, vfio:PCI_ADDRESS, dev:FILE, share:SOCKET");
    EXPECT_NUMBER(tmu_open("ref", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "unknown scheme in 'ref'; known: ref:PRESET, sim:LIBRARY, "
                                      "vfu:SOCKET, vfio:PCI_ADDRESS, dev:FILE, share:SOCKET");
    EXPECT_NUMBER(tmu_open("ref:huge", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL),
                "unknown preset 'huge'; known: nic, tiny, formal, ecp5, max, many, small");
    EXPECT_NUMBER(tmu_open(NULL, &device), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(NULL), "uri and device_p must not be NULL");
    EXPECT_NUMBER(tmu_open("ref:tiny", NULL), TMU_ERR_INVALID);
    EXPECT(!device);
    tmu_close(NULL);
}

static void a_stranger_is_not_taken_for_a_unit(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(open_faulty(TMU_REG_MAGIC, 0xffffffff, &device), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL),
                "no tag-matching unit: magic is 0xffffffff, expected 0x4f544d55");
    EXPECT_NUMBER(open_faulty(TMU_REG_ENDPOINTS, 0, &device), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), "the discovery block makes no sense: 0 endpoints, 64 queues, "
                                      "512 command slots, 20 id bits, 64 handle bits");
    EXPECT(!device);
}

static void another_major_version_is_refused(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(open_faulty(TMU_REG_INTERFACE_VERSION, 0x30003, &device), TMU_ERR_VERSION);
    char expected[160];
    (void)snprintf(expected, sizeof expected,
                   "the device speaks interface 3.3, this driver %d.%d: the major versions must be "
                   "equal; use the driver that came with the device",
                   TMU_INTERFACE_MAJOR, TMU_INTERFACE_MINOR);
    EXPECT_TEXT(tmu_error_text(NULL), expected);
    EXPECT_NUMBER(open_faulty(TMU_REG_INTERFACE_VERSION, 0x20009, &device), TMU_OK);
    tmu_close(device);
}

static void a_register_that_hangs_is_reported(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(open_faulty(TMU_REG_STATUS, 0, &device), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), "register 0x084 did not become 0x1 in the bits 0x1");
    must(open_faulty(TMU_REG_ENDPOINT_STATUS, 2, &device), NULL);
    EXPECT_NUMBER(tmu_quota_set(device, 1, 1, 1), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(device), "the device does not know endpoint 1");
    tmu_close(device);
}

static void query_tells_the_discovery_block(void) {
    bench_t b = bench_open(1, 6);
    tmu_info_t info;
    EXPECT_NUMBER(tmu_query(b.device, &info), TMU_OK);
    EXPECT_NUMBER(info.interface_major, TMU_INTERFACE_MAJOR);
    EXPECT_NUMBER(info.endpoints, 4);
    EXPECT_NUMBER(info.queues, 64);
    EXPECT_NUMBER(info.command_slots, 512);
    EXPECT_NUMBER(info.posted_entries, 64);
    EXPECT_NUMBER(info.unexpected_entries, 64);
    EXPECT_NUMBER(info.match_bits, 64);
    EXPECT_NUMBER(info.id_bits, 20);
    EXPECT_NUMBER(info.array_entries, info.filter_lanes > 0 ? 32 : 64);
    EXPECT_NUMBER(info.filter_bits, info.filter_lanes > 0 ? 32 : 0);
    EXPECT_NUMBER(info.capabilities & 3, 3);
    EXPECT(strncmp(test_uri, info.scheme, strlen(info.scheme)) == 0);
    EXPECT_NUMBER(tmu_query(NULL, &info), TMU_ERR_INVALID);
    bench_close(&b);
}

/* As of a program that was compiled with another version of the library's headers. */
static void structures_of_other_sizes_are_filled_as_far_as_they_go(void) {
    bench_t b = bench_open(1, 6);
    tmu_info_t info;
    struct {
        tmu_info_t known;
        uint64_t more;
    } longer;
    unsigned char shorter[sizeof info + 1];
    must(tmu_query(b.device, &info), b.device);
    memset(&longer, 0xff, sizeof longer);
    EXPECT_NUMBER(tmu_query_sized(b.device, &longer.known, sizeof longer), TMU_OK);
    EXPECT(memcmp(&longer.known, &info, sizeof info) == 0);
    EXPECT_NUMBER(longer.more, 0);
    const size_t size = offsetof(tmu_info_t, spill_segments);
    memset(shorter, 0xa5, sizeof shorter);
    EXPECT_NUMBER(tmu_query_sized(b.device, (tmu_info_t *)(void *)shorter, size), TMU_OK);
    EXPECT(memcmp(shorter, &info, size) == 0);
    EXPECT_NUMBER(shorter[size], 0xa5);
    EXPECT_NUMBER(tmu_query_sized(b.device, &info, 0), TMU_ERR_INVALID);
    tmu_flow_stats_t flow[2];
    memset(flow, 0xff, sizeof flow);
    EXPECT_NUMBER(tmu_flow_stats_sized(b.device, flow, sizeof flow), TMU_OK);
    EXPECT_NUMBER(flow[0].stalls + flow[1].stalls + flow[1].held_max, 0);
    bench_close(&b);
}

static void what_a_queue_is_asked_for_by_a_newer_program_is_refused(void) {
    bench_t b = bench_open(1, 6);
    tmu_queue_t *queue = NULL;
    struct {
        tmu_queue_attr_t known;
        uint64_t more;
    } longer = {.known = {.endpoint = 1, .ring_log2 = 4}};
    EXPECT_NUMBER(tmu_queue_open_sized(b.device, &longer.known, sizeof longer, &queue), TMU_OK);
    EXPECT_NUMBER(tmu_queue_close(queue), TMU_OK);
    longer.more = 1;
    EXPECT_NUMBER(tmu_queue_open_sized(b.device, &longer.known, sizeof longer, &queue),
                  TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "the program asks for what this library does not know: its attr has 24 bytes, "
                "expected 12 or only zeros behind them");
    /* An older one without the last field has the driver choose. */
    longer.known.commands_log2 = 99;
    EXPECT_NUMBER(tmu_queue_open_sized(b.device, &longer.known,
                                       offsetof(tmu_queue_attr_t, commands_log2), &queue),
                  TMU_OK);
    EXPECT_NUMBER(tmu_queue_close(queue), TMU_OK);
    bench_close(&b);
}

static void every_preset_opens(void) {
    static const char *const names[] = {
#define ROW(name, ...) "ref:" name,
        TMU_PRESET_TABLE(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tmu_t *device = NULL;
        tmu_info_t info;
        must(tmu_open(names[i], &device), NULL);
        must(tmu_query(device, &info), device);
        EXPECT_NUMBER(info.preset, i);
        tmu_close(device);
    }
}

static void a_configuration_of_ones_own_opens(void) {
    tmu_t *device = NULL;
    tmu_info_t info;
    must(tmu_open("ref:nic?endpoints=16&tag_bits=24&spill_segments=0&engine=fuzzy", &device), NULL);
    must(tmu_query(device, &info), device);
    EXPECT_NUMBER(info.preset, TMU_PRESET_OWN);
    EXPECT_NUMBER(info.endpoints, 16);
    EXPECT_NUMBER(info.posted_entries, 16384);
    EXPECT_NUMBER(info.tag_bits, 24);
    EXPECT_NUMBER(info.match_bits, 56);
    EXPECT_NUMBER(info.spill_segments, 0);
    EXPECT_NUMBER(info.capabilities >> TMU_CAPABILITIES_SPILL_SHIFT & 1, 0);
    tmu_close(device);
}

static void a_configuration_out_of_bounds_is_refused(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(tmu_open("ref:tiny?endpoints=8193", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "endpoints: found '8193', expected a number from 2 to 4096");
    EXPECT_NUMBER(tmu_open("ref:tiny?tag_bits=", &device), TMU_ERR_URI);
    EXPECT_NUMBER(tmu_open("ref:tiny?tag_bits=-1", &device), TMU_ERR_URI);
    EXPECT_NUMBER(tmu_open("ref:tiny?tag_bits=4294967320", &device), TMU_ERR_URI);
    EXPECT_NUMBER(tmu_open("ref:tiny?speed=1", &device), TMU_ERR_URI);
    EXPECT_NUMBER(tmu_open("ref:tiny?endpoints", &device), TMU_ERR_URI);
    EXPECT(!device);
}

static void endpoints_out_of_range_are_named(void) {
    bench_t b = bench_open(1, 6);
    tmu_depth_t depth;
    EXPECT_NUMBER(tmu_quota_set(b.device, 4, 1, 1), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "endpoint 4 is out of range: the device has endpoints 0 to 3");
    EXPECT_NUMBER(tmu_depth(b.device, 4, &depth), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_depth(NULL, 1, &depth), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_quota_set(NULL, 1, 1, 1), TMU_ERR_INVALID);
    bench_close(&b);
}

static void counters_count_what_happened(void) {
    bench_t b = bench_open(1, 6);
    size_t count = 0;
    bench_post(&b, 1, 1, 1, 1);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_arrive(&b, 1, 1, 1, 12);
    bench_settle(&b);
    EXPECT_NUMBER(bench_counter(&b, "posts"), 1);
    EXPECT_NUMBER(bench_counter(&b, "arrivals"), 2);
    EXPECT_NUMBER(bench_counter(&b, "commands"), 3);
    EXPECT_NUMBER(bench_counter(&b, "completions"), 3);
    EXPECT_NUMBER(bench_counter(&b, "arrive_matched"), 1);
    EXPECT_NUMBER(bench_counter(&b, "arrive_queued"), 1);
    EXPECT_NUMBER(bench_counter(&b, "unexpected_depth_max"), 1);
    EXPECT_NUMBER(bench_counter(&b, "malformed"), 0);
    EXPECT_NUMBER(bench_counter(&b, "doorbell_errors"), 0);
    EXPECT_NUMBER(tmu_counters(b.device, NULL, 0, &count), TMU_OK);
    EXPECT(count > 30);
    EXPECT_NUMBER(tmu_counters(b.device, NULL, 1, &count), TMU_ERR_INVALID);
    EXPECT(runs_by_itself() ? tmu_clock(b.device) == 0 : tmu_clock(b.device) > 0);
    bench_close(&b);
}

static void reset_leaves_empty_queues_and_keeps_quotas_R14(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 2, 0), b.device);
    bench_post(&b, 1, 1, 1, 1);
    bench_arrive(&b, 1, 2, 2, 11);
    bench_settle(&b);
    must(tmu_reset(b.device), b.device);
    tmu_depth_t depth;
    must(tmu_depth(b.device, 1, &depth), b.device);
    EXPECT_NUMBER(depth.posted, 0);
    EXPECT_NUMBER(depth.unexpected, 0);
    for (uint64_t i = 2; i <= 4; i++) {
        bench_post(&b, 1, 1, 1, i);
    }
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 3, QUEUED, 0);
    EXPECT_ANSWER(&b, POST, 4, REFUSED_QUOTA, 0);
    EXPECT_NUMBER(tmu_reset(NULL), TMU_ERR_INVALID);
    bench_close(&b);
}

static void results_have_words(void) {
    EXPECT_TEXT(tmu_result_text(TMU_OK), "ok");
    EXPECT_TEXT(tmu_result_text(TMU_AGAIN), "not now, poll and try again");
    EXPECT_TEXT(tmu_result_text(TMU_ERR_INVALID), "invalid argument");
    EXPECT_TEXT(tmu_result_text(TMU_ERR_URI), "unusable device URI");
    EXPECT_TEXT(tmu_result_text(TMU_ERR_VERSION), "unsupported interface version");
    EXPECT_TEXT(tmu_result_text(TMU_ERR_DEVICE), "device error");
    EXPECT_TEXT(tmu_result_text(TMU_ERR_MEMORY), "out of memory");
    EXPECT_TEXT(tmu_result_text(TMU_ERR_BUSY), "busy");
    EXPECT_TEXT(tmu_result_text((tmu_result_t)99), "unknown result");
}

static void all(void) {
    RUN(query_tells_the_discovery_block);
    RUN(endpoints_out_of_range_are_named);
    RUN(counters_count_what_happened);
    RUN(reset_leaves_empty_queues_and_keeps_quotas_R14);
}

int main(void) {
    RUN(unusable_uris_are_explained);
    RUN(a_stranger_is_not_taken_for_a_unit);
    RUN(another_major_version_is_refused);
    RUN(a_register_that_hangs_is_reported);
    RUN(structures_of_other_sizes_are_filled_as_far_as_they_go);
    RUN(what_a_queue_is_asked_for_by_a_newer_program_is_refused);
    RUN(every_preset_opens);
    RUN(a_configuration_of_ones_own_opens);
    RUN(a_configuration_out_of_bounds_is_refused);
    RUN(results_have_words);
    return on_every_device(all);
}
