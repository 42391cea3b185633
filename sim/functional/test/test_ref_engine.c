/* SPDX-License-Identifier: Apache-2.0
 *
 * A software engine under the functional device: what it says is passed on, wrong or right, and
 * what it cannot have found is an error.
 *
 * This program has an engine_find of its own, and the device that it loads (by TMU_SIM_PATH) has
 * none, so that the device finds engines that are broken.
 */
#include "engines.h"
#include "fixture.h"

static engine_ops_t broken; /* the list with some function replaced */

const engine_ops_t *engine_find(const char *name) {
    return strcmp(name, "list") == 0 ? &broken : NULL;
}

static bench_t open_broken(void) {
    test_uri = "ref:tiny?engine=list";
    return bench_open(1, 4);
}

static tmu_result_t progress_result(const bench_t *bench) {
    return tmu_progress(bench->device, 64);
}

static void unusable_engines_are_explained(void) {
    tmu_t *device = NULL;
    EXPECT_NUMBER(tmu_open("ref:tiny?engine=fuzzy", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "no engine 'fuzzy' on this machine; known:" ENGINE_NAMES);
    EXPECT_NUMBER(tmu_open("ref:tiny?engine=", &device), TMU_ERR_URI);
    EXPECT_NUMBER(tmu_open("ref:tiny?pauses=1", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL),
                "unknown option 'pauses=1'; known: engine=NAME, link=ADDRESS, record=STEM, and a "
                "number for each of "
                "endpoints, tag_bits and the other parameters of a configuration");
    EXPECT_NUMBER(tmu_open("ref:tin?engine=list", &device), TMU_ERR_URI);
    EXPECT(strstr(tmu_error_text(NULL), "unknown preset 'tin'; known: nic"));
    EXPECT(!device);
}

static engine_t *create_nothing(const engine_config_t *config) {
    (void)config;
    return NULL;
}

static void an_engine_without_memory_opens_no_device(void) {
    tmu_t *device = NULL;
    broken = *list_engine();
    broken.create = create_nothing;
    EXPECT_NUMBER(tmu_open("ref:tiny?engine=list", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "no memory for the engine 'list' of preset tiny");
}

/* Posts find nothing, whatever waits. */
static engine_verdict_t post_blindly(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                                     uint64_t handle, uint64_t length) {
    const engine_key_t nowhere = {.match = ~key->match, .source = key->source};
    return list_engine()->post(engine, endpoint, &nowhere, handle, length);
}

/* R4: the device sets no wrong verdict right, so that who judges it sees what the engine said. */
static void a_wrong_verdict_is_passed_on_R4(void) {
    broken = *list_engine();
    broken.post = post_blindly;
    bench_t bench = open_broken();
    const tmu_message_t message = {.match = 5, .handle = 1, .length = 8};
    const tmu_receive_t receive = {.key = {.match = 5}, .handle = 2, .length = 8};
    must(tmu_arrive(bench.queue, 1, &message), bench.device);
    must(tmu_post(bench.queue, 1, &receive, NULL), bench.device);
    bench_settle(&bench);
    EXPECT_ANSWER(&bench, ARRIVE, 1, QUEUED, 0);
    EXPECT_ANSWER(&bench, POST, 2, QUEUED, 0); /* the law says matched */
    bench_close(&bench);
}

/* Of what was found, another slot is told, in which there may be nothing. */
static engine_verdict_t arrive_elsewhere(engine_t *engine, uint32_t endpoint,
                                         const engine_key_t *key, uint64_t handle,
                                         uint64_t length) {
    engine_verdict_t found = list_engine()->arrive(engine, endpoint, key, handle, length);
    found.other = found.status == ENGINE_MATCHED ? key->match : found.other;
    return found;
}

/* R15: no handle is made up. */
static void an_entry_that_is_not_there_is_an_error_R15(void) {
    static const uint64_t slots[] = {7, UINT64_MAX}; /* nobody's, and none */
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        broken = *list_engine();
        broken.arrive = arrive_elsewhere;
        bench_t bench = open_broken();
        const tmu_receive_t receive = {.key = {.match = slots[i]}, .handle = 2, .length = 8};
        const tmu_message_t message = {.match = slots[i], .handle = 1, .length = 8};
        must(tmu_post(bench.queue, 1, &receive, NULL), bench.device);
        bench_settle(&bench);
        must(tmu_arrive(bench.queue, 1, &message), bench.device);
        EXPECT_NUMBER(progress_result(&bench), TMU_ERR_DEVICE);
        EXPECT(strstr(tmu_error_text(bench.device),
                      ": the engine 'list' gave a verdict on an entry that is not there"));
        bench_close(&bench);
    }
}

static engine_verdict_t flush_one(engine_t *engine, uint32_t endpoint, uint64_t removed_p[2]) {
    const engine_verdict_t found = list_engine()->flush(engine, endpoint, removed_p);
    removed_p[0] -= 1;
    return found;
}

/* R14: an engine that kept an entry to itself is found out. */
static void a_flush_that_leaves_something_is_an_error_R14(void) {
    broken = *list_engine();
    broken.flush = flush_one;
    bench_t bench = open_broken();
    const tmu_receive_t receive = {.key = {.match = 1}, .handle = 2, .length = 8};
    must(tmu_post(bench.queue, 1, &receive, NULL), bench.device);
    bench_settle(&bench);
    must(tmu_flush(bench.queue, 1, NULL, 3), bench.device);
    EXPECT_NUMBER(progress_result(&bench), TMU_ERR_DEVICE);
    bench_close(&bench);
}

static engine_verdict_t no_memory(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                                  uint64_t handle, uint64_t length) {
    (void)engine, (void)endpoint, (void)key, (void)handle, (void)length;
    return (engine_verdict_t){.status = ENGINE_NO_MEMORY};
}

static void an_engine_that_runs_out_of_memory_says_so(void) {
    broken = *list_engine();
    broken.post = no_memory;
    bench_t bench = open_broken();
    const tmu_receive_t receive = {.key = {.match = 1}, .handle = 2, .length = 8};
    must(tmu_post(bench.queue, 1, &receive, NULL), bench.device);
    EXPECT_NUMBER(progress_result(&bench), TMU_ERR_DEVICE);
    EXPECT(strstr(tmu_error_text(bench.device), ": the engine 'list' has no memory left"));
    bench_close(&bench);
}

int main(void) {
    broken = *list_engine();
    RUN(unusable_engines_are_explained);
    RUN(an_engine_without_memory_opens_no_device);
    RUN(a_wrong_verdict_is_passed_on_R4);
    RUN(an_entry_that_is_not_there_is_an_error_R15);
    RUN(a_flush_that_leaves_something_is_an_error_R14);
    RUN(an_engine_that_runs_out_of_memory_says_so);
    return expect_summary();
}
