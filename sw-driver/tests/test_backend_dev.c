/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of a unit that others share.  Without one, what is said about URIs; with TMU_TEST_DEV,
 * which names the kernel driver's file (and TMU_TEST_DEV_OPTION an option for every session), or
 * TMU_TEST_SHARE, which names the socket of tmu-share, all that a session can do and what it is
 * refused.
 */
#include <poll.h>
#include <unistd.h>

#include "fixture.h"

#define SMALL "?endpoints=2&posted=8&unexpected=8"

static tmu_result_t open_with(const char *file, const char *options, tmu_t **device_p) {
    char uri[512];
    (void)snprintf(uri, sizeof uri, "dev:%s%s", file, options);
    return tmu_open(uri, device_p);
}

static void uris_are_explained(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(open_with("", "", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "'' names no FILE; expected dev:FILE[?endpoints=NUMBER]");
    EXPECT_NUMBER(open_with("/nowhere/tmu0", "", &device), TMU_ERR_URI);
    EXPECT_TEXT(
        tmu_error_text(NULL),
        "there is no /nowhere/tmu0: the kernel driver is not loaded, or has found no unit (dmesg "
        "tells); docs/kernel-driver.md says how to build and load it");
    const char *const wrong[] = {"endpoint=1",   "endpoints=",
                                 "endpoints=0",  "endpoints=x",
                                 "endpoints=1x", "endpoints= 1",
                                 "posted=-1",    "",
                                 "unexpected",   "posted=99999999999999999999999999",
                                 "rings=",       "rings=owner"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char options[128];
        char sentence[512];
        (void)snprintf(options, sizeof options, "?%s", wrong[i]);
        (void)snprintf(sentence, sizeof sentence,
                       "unknown option '%s'; known: endpoints=NUMBER, and as reserve of each "
                       "posted=NUMBER and unexpected=NUMBER; rings=own",
                       wrong[i]);
        EXPECT_NUMBER(open_with("/dev/null", options, &device), TMU_ERR_URI);
        EXPECT_TEXT(tmu_error_text(NULL), sentence);
    }
    EXPECT_NUMBER(open_with("/dev/null", "?endpoints=2&rings=own&posted=3", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "/dev/null is no tag-matching unit; name a /dev/tmu*");
    EXPECT(!device);
}

/* ---- with a unit ----------------------------------------------------------------------------- */

static const char *scheme;
static const char *file;
static const char *more; /* of the URI's options, for every session; NULL = none */

static bench_t session_open(const char *options, uint32_t endpoint) {
    static char uri[512];
    (void)snprintf(uri, sizeof uri, "%s:%s%s%s%s", scheme, file, options,
                   !more        ? ""
                   : options[0] ? "&"
                                : "?",
                   more ? more : "");
    test_uri = uri;
    return bench_open(endpoint, 5);
}

static void what_is_for_all_is_refused(void) {
    bench_t b = session_open(SMALL, 1);
    tmu_filter_windows_t windows = {0};
    tmu_fault_stats_t faults;
    tmu_queue_t *queue = NULL;
    uint32_t bits = 0;
    const tmu_queue_attr_t privileged = {.endpoint = TMU_ENDPOINT_ANY, .ring_log2 = 4};
    const tmu_queue_attr_t beyond = {.endpoint = 2, .ring_log2 = 4};
    tmu_info_t info;
    must(tmu_query(b.device, &info), b.device);
    EXPECT(info.shared);
    EXPECT_NUMBER(info.endpoints, 2);
    EXPECT_NUMBER(tmu_queue_open(b.device, &privileged, &queue), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(NULL),
                "the privileged queue: this is a session of a unit that others share; that is for "
                "who has a unit alone, as by vfio:");
    EXPECT_NUMBER(tmu_queue_open(b.device, &beyond, &queue), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_reserve_set(b.device, 1, 1, 1), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_spill_add(b.device, 1), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_set(b.device, &windows), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_get(b.device, &windows), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_fault_stats(b.device, &faults), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_fault_inject(b.device, 0, 0, &bits), TMU_ERR_INVALID);
    EXPECT(bench_counter(&b, "clocks") > 0);
    bench_close(&b);
}

/* All operations, with numbers and serial numbers of the session. */
static void operations_are_those_of_any_device(void) {
    for (int time = 0; time < 2; time++) { /* the second one has the first one's endpoints */
        bench_t b = session_open(SMALL, 1);
        tmu_receive_id_t id = bench_post(&b, 1, 3, 9, 1);
        bench_arrive(&b, 1, 4, 9, 2);
        SUBMIT(&b, tmu_cancel(b.queue, 1, id, 3));
        SUBMIT(&b, tmu_cancel(b.queue, 1, id, 4));
        bench_claim(&b, 1, 4, 9, 5);
        bench_settle(&b);
        EXPECT_NUMBER(b.count, 5);
        EXPECT_ANSWER(&b, POST, 1, QUEUED, 0);
        EXPECT_ANSWER(&b, ARRIVE, 2, QUEUED, 0);
        EXPECT_ANSWER(&b, CANCEL, 3, CANCELLED, 1);
        EXPECT_ANSWER(&b, CANCEL, 4, LATE, 0);
        EXPECT_ANSWER(&b, CLAIM, 5, MATCHED, 2);
        for (size_t i = 0; i < b.count; i++) {
            EXPECT_NUMBER(b.log[i].endpoint, 1);
            EXPECT_NUMBER(b.log[i].serial, i);
        }
        (void)bench_post(&b, 1, 3, 9, 6); /* left behind */
        bench_settle(&b);
        bench_close(&b);
    }
}

static void a_reset_empties_the_sessions_endpoints(void) {
    bench_t b = session_open(SMALL, 0);
    bench_t other = session_open("?endpoints=1", 0);
    tmu_depth_t depth = {0};
    (void)bench_post(&other, 0, 1, 1, 1);
    (void)bench_post(&b, 0, 1, 1, 1);
    bench_arrive(&b, 0, 2, 2, 2);
    bench_settle(&b);
    bench_settle(&other);
    must(tmu_depth(b.device, 0, &depth), b.device);
    EXPECT_NUMBER(depth.posted, 1);
    EXPECT_NUMBER(depth.unexpected, 1);
    must(tmu_reset(b.device), b.device);
    must(tmu_depth(b.device, 0, &depth), b.device);
    EXPECT_NUMBER(depth.posted + depth.unexpected, 0);
    must(tmu_depth(other.device, 0, &depth), other.device);
    EXPECT_NUMBER(depth.posted, 1);
    bench_arrive(&b, 0, 1, 1, 7); /* its queue goes on, with a new ring and new numbers */
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 7, QUEUED, 0);
    EXPECT_NUMBER(b.log[b.count - 1].serial, 0);
    bench_close(&other);
    bench_close(&b);
}

/* R11: beyond its reserve a session goes on one at a time, and with a quota it holds back. */
static void arrivals_beyond_the_reserve(void) {
    bench_t b = session_open(SMALL, 0);
    tmu_flow_stats_t flow;
    for (uint64_t i = 0; i < 40; i++) {
        bench_arrive(&b, 0, 1, (int32_t)i, i);
    }
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 40);
    for (size_t i = 0; i < b.count; i++) {
        EXPECT_NUMBER(b.log[i].handle, i);
        EXPECT_NUMBER(b.log[i].status, TMU_STATUS_QUEUED);
    }
    must(tmu_quota_set(b.device, 0, 0, 40), b.device);
    bench_arrive(&b, 0, 1, 40, 40);
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 40);
    (void)bench_post(&b, 0, 1, 5, 1);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 1, MATCHED, 5);
    EXPECT_ANSWER(&b, ARRIVE, 40, QUEUED, 0);
    must(tmu_flow_stats(b.device, &flow), b.device);
    EXPECT_NUMBER(flow.resumes, 1);
    bench_close(&b);
}

/* R11, R13: what a session holds back because another one has filled the tables goes in when that
 * one makes room, although no answer tells. */
static void another_sessions_room_is_found(void) {
    bench_t full = session_open("?posted=0&unexpected=0", 0);
    bench_t b = session_open("?posted=0&unexpected=0", 0);
    uint64_t taken = 0;
    tmu_info_t info;
    must(tmu_query(b.device, &info), b.device);
    if (info.spill_segments == 0) {
        for (; taken < info.unexpected_entries; taken++) {
            bench_arrive(&full, 0, 1, 1, taken);
        }
    }
    bench_settle(&full);
    EXPECT_NUMBER(full.count, taken);
    bench_arrive(&b, 0, 1, 1, 1);
    for (unsigned step = 0; step < 20; step++) { /* it is tried each millisecond: never settled */
        (void)bench_step(&b);
    }
    if (taken > 0) {
        EXPECT_NUMBER(b.count, 0);
        bench_claim(&full, 0, 1, 1, 1000);
        bench_settle(&full);
        EXPECT_ANSWER(&full, CLAIM, 1000, MATCHED, 0);
    }
    for (unsigned step = 0; step < PATIENCE && b.count == 0; step++) {
        (void)bench_step(&b);
    }
    EXPECT_ANSWER(&b, ARRIVE, 1, QUEUED, 0);
    bench_close(&full);
    bench_close(&b);
}

/* The queue's own page shows the same counters as a call of the driver. */
static void a_page_shows_the_counters(void) {
    bench_t b = session_open(SMALL, 1);
    tmu_counter_t called[128];
    tmu_counter_t shown[128];
    size_t count = 0;
    size_t known = 0;
    (void)bench_post(&b, 1, 1, 1, 1);
    bench_arrive(&b, 1, 2, 2, 2);
    bench_settle(&b);
    must(tmu_counters(b.device, called, 128, &count), b.device);
    must(tmu_queue_counters(b.queue, shown, 128, &known), b.device);
    EXPECT_NUMBER(known, count);
    EXPECT(count > 30);
    for (size_t i = 0; i < count; i++) {
        EXPECT_TEXT(shown[i].name, called[i].name);
        EXPECT(shown[i].value >= called[i].value); /* those of clocks go on */
        EXPECT(shown[i].value == called[i].value || strcmp(shown[i].name, "posts") != 0);
    }
    bench_close(&b);
}

static void an_eventfd_tells_of_completions(void) {
    bench_t b = session_open("", 0);
    int fd = -1;
    uint64_t times = 0;
    must(tmu_queue_event_fd(b.queue, &fd), b.device);
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    EXPECT_NUMBER(poll(&readable, 1, 0), 0);
    bench_arrive(&b, 0, 1, 1, 1);
    EXPECT_NUMBER(poll(&readable, 1, 10000), 1);
    EXPECT(read(fd, &times, sizeof times) == sizeof times && times == 1);
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 1);
    bench_close(&b);
}

static void queues_and_rings_of_every_size(void) {
    bench_t b = session_open("", 0);
    for (uint32_t log2 = TMU_RING_LOG2_MIN; log2 <= TMU_RING_LOG2_MAX; log2++) {
        const tmu_queue_attr_t attr = {.ring_log2 = log2, .commands_log2 = log2 % 3};
        bench_t q = b;
        tmu_result_t result = tmu_queue_open(b.device, &attr, &q.queue);
        if (result == TMU_ERR_MEMORY && more && log2 == TMU_RING_LOG2_MAX) {
            /* Two large pages, which lie side by side where an IOMMU puts them so. */
            EXPECT(strstr(tmu_error_text(NULL), "this process' memory is not one piece"));
            continue;
        }
        must(result, b.device);
        for (uint64_t i = 0; i < 40; i++) { /* some laps of the smallest */
            bench_arrive(&q, 0, 1, 1, i);
            bench_claim(&q, 0, 1, 1, i);
        }
        bench_settle(&q);
        EXPECT_NUMBER(q.count, 80);
        must(tmu_queue_close(q.queue), b.device);
    }
    bench_close(&b);
}

static void sessions_work(const char *name, const char *path) {
    scheme = name;
    file = path;
    RUN(what_is_for_all_is_refused);
    RUN(operations_are_those_of_any_device);
    RUN(a_reset_empties_the_sessions_endpoints);
    RUN(arrivals_beyond_the_reserve);
    RUN(another_sessions_room_is_found);
    RUN(a_page_shows_the_counters);
    RUN(queues_and_rings_of_every_size);
}

int main(void) {
    const char *dev = getenv("TMU_TEST_DEV");
    const char *share = getenv("TMU_TEST_SHARE");
    more = getenv("TMU_TEST_DEV_OPTION");
    RUN(uris_are_explained);
    if (dev) {
        sessions_work("dev", dev);
        RUN(an_eventfd_tells_of_completions);
    }
    if (share) {
        sessions_work("share", share);
    }
    return expect_summary();
}
