/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas, capacities, endpoints, bad arguments and the statistics: R11, R13. */
#include "fixture.h"

static void r11_a_post_beyond_its_quota_is_refused_unchanged(void) {
    tmu_model_t *model = new_model(2, 2);
    post(model, 0, 1, mpi_key(0, 1, 1));
    post(model, 0, 2, mpi_key(0, 1, 2));
    tmu_model_verdict_t verdict = post(model, 0, 3, mpi_key(0, 1, 3));
    EXPECT_VERDICT(verdict, TMU_MODEL_REFUSED_QUOTA, 0);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 2);
    EXPECT_STATUS(cancel(model, 0, 50, 3), TMU_MODEL_LATE);
    EXPECT_STATUS(post(model, 1, 4, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED); /* R13 */
    EXPECT_VERDICT(cancel(model, 0, 51, 1), TMU_MODEL_CANCELLED, 1);
    EXPECT_STATUS(post(model, 0, 5, mpi_key(0, 1, 5)), TMU_MODEL_QUEUED);
    tmu_model_destroy(model);
}

static void r11_a_full_queue_still_matches(void) {
    tmu_model_t *model = new_model(1, 1);
    arrive(model, 0, 10, mpi_key(0, 1, 1));
    post(model, 0, 1, mpi_key(0, 1, 9));
    EXPECT_VERDICT(post(model, 0, 2, mpi_key(0, 1, 1)), TMU_MODEL_MATCHED, 10);
    arrive(model, 0, 11, mpi_key(0, 1, 2));
    EXPECT_VERDICT(arrive(model, 0, 12, mpi_key(0, 1, 9)), TMU_MODEL_MATCHED, 1);
    tmu_model_destroy(model);
}

static void r11_an_arrival_without_room_stalls_unchanged(void) {
    tmu_model_t *model = new_model(2, 1);
    arrive(model, 0, 10, mpi_key(0, 1, 1));
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 1, 2)), TMU_MODEL_STALLED, 0);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_UNEXPECTED), 1);
    EXPECT_STATUS(probe(model, 0, 1, mpi_key(0, 1, 2)), TMU_MODEL_NONE);
    EXPECT_STATUS(arrive(model, 1, 12, mpi_key(0, 1, 2)), TMU_MODEL_QUEUED); /* R13 */
    EXPECT_VERDICT(claim(model, 0, 2, mpi_key(0, 1, 1)), TMU_MODEL_MATCHED, 10);
    EXPECT_STATUS(arrive(model, 0, 11, mpi_key(0, 1, 2)), TMU_MODEL_QUEUED);
    tmu_model_destroy(model);
}

static void r11_capacities_count_all_endpoints(void) {
    const tmu_model_config_t config = {
        .endpoints = 2, .posted_capacity = 2, .unexpected_capacity = 1};
    tmu_model_t *model = NULL;
    EXPECT_NUMBER(tmu_model_create(&config, &model), TMU_MODEL_OK);
    EXPECT_STATUS(post(model, 0, 1, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    EXPECT_STATUS(post(model, 1, 2, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    EXPECT_STATUS(post(model, 1, 3, mpi_key(0, 1, 1)), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_STATUS(arrive(model, 0, 10, mpi_key(0, 1, 9)), TMU_MODEL_QUEUED);
    EXPECT_STATUS(arrive(model, 1, 11, mpi_key(0, 1, 9)), TMU_MODEL_STALLED);
    EXPECT_VERDICT(cancel(model, 0, 50, 1), TMU_MODEL_CANCELLED, 1);
    EXPECT_STATUS(post(model, 1, 4, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    EXPECT_VERDICT(claim(model, 0, 51, mpi_key(0, 1, 9)), TMU_MODEL_MATCHED, 10);
    EXPECT_STATUS(arrive(model, 1, 11, mpi_key(0, 1, 9)), TMU_MODEL_QUEUED);
    tmu_model_destroy(model);
}

/* Of two chunks and one queue 30 entries are sure; and an entry that has room in its table is never
 * refused for memory. */
static void r11_memory_may_be_full_only_beyond_what_is_sure(void) {
    const tmu_model_config_t config = {
        .endpoints = 2, .posted_capacity = 4, .unexpected_capacity = 4};
    tmu_model_t *model = NULL;
    EXPECT_NUMBER(tmu_model_create(&config, &model), TMU_MODEL_OK);
    tmu_model_add_chunks(model, 2);
    for (uint64_t i = 0; i < TMU_MODEL_CHUNK_ENTRIES; i++) {
        EXPECT(!tmu_model_may_be_full(model, 0, TMU_MODEL_UNEXPECTED));
        EXPECT_STATUS(arrive(model, 0, i, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    }
    EXPECT(tmu_model_may_be_full(model, 0, TMU_MODEL_UNEXPECTED));
    EXPECT(tmu_model_may_be_full(model, 1, TMU_MODEL_UNEXPECTED));
    EXPECT(!tmu_model_may_be_full(model, 0, TMU_MODEL_POSTED));
    EXPECT(!tmu_model_may_be_full(model, 2, TMU_MODEL_UNEXPECTED));
    EXPECT_STATUS(arrive(model, 0, 90, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED); /* its choice */
    tmu_model_set_full(model, false, true);
    EXPECT_STATUS(arrive(model, 0, 91, mpi_key(0, 1, 2)), TMU_MODEL_STALLED);
    EXPECT_STATUS(post(model, 0, 92, mpi_key(0, 1, 2)), TMU_MODEL_QUEUED);
    EXPECT_VERDICT(arrive(model, 0, 91, mpi_key(0, 1, 2)), TMU_MODEL_MATCHED, 92);
    tmu_model_set_full(model, true, false);
    EXPECT_STATUS(post(model, 0, 93, mpi_key(0, 1, 3)), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_VERDICT(post(model, 0, 94, mpi_key(0, 1, 1)), TMU_MODEL_MATCHED, 0);
    tmu_model_add_chunks(model, 0);
    EXPECT(!tmu_model_may_be_full(model, 0, TMU_MODEL_UNEXPECTED));
    tmu_model_destroy(model);
}

static void r11_quotas_are_set_per_endpoint(void) {
    tmu_model_t *model = new_model(2, 0);
    EXPECT_NUMBER(tmu_model_set_quota(model, 0, 1, 2), TMU_MODEL_OK);
    EXPECT_STATUS(post(model, 0, 1, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    EXPECT_STATUS(post(model, 0, 2, mpi_key(0, 1, 1)), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_STATUS(arrive(model, 0, 10, mpi_key(0, 2, 1)), TMU_MODEL_QUEUED);
    EXPECT_STATUS(arrive(model, 0, 11, mpi_key(0, 2, 1)), TMU_MODEL_QUEUED);
    EXPECT_STATUS(arrive(model, 0, 12, mpi_key(0, 2, 1)), TMU_MODEL_STALLED);
    EXPECT_NUMBER(tmu_model_set_quota(model, 0, 0, 1), TMU_MODEL_OK);
    EXPECT_STATUS(post(model, 0, 3, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_UNEXPECTED), 2); /* stays */
    EXPECT_STATUS(arrive(model, 0, 12, mpi_key(0, 2, 1)), TMU_MODEL_STALLED);
    for (uint64_t i = 0; i < 10; i++) {
        EXPECT_STATUS(post(model, 1, 20 + i, mpi_key(0, 1, 1)), TMU_MODEL_QUEUED);
    }
    EXPECT_NUMBER(tmu_model_set_quota(model, 2, 1, 1), TMU_MODEL_REFUSED_ENDPOINT);
    tmu_model_destroy(model);
}

static void r11_ten_thousand_receives_match_in_reverse(void) {
    tmu_model_t *model = new_model(1, 0);
    for (uint64_t i = 0; i < 10000; i++) {
        post(model, 0, i, mpi_key(0, 1, (int64_t)i));
    }
    for (uint64_t i = 10000; i-- > 0;) {
        tmu_model_verdict_t verdict = arrive(model, 0, i, mpi_key(0, 1, (int64_t)i));
        EXPECT_VERDICT(verdict, TMU_MODEL_MATCHED, i);
        EXPECT_NUMBER(verdict.visited, i + 1);
    }
    EXPECT_NUMBER(tmu_model_depth_max(model, 0, TMU_MODEL_POSTED), 10000);
    tmu_model_destroy(model);
}

static void r13_every_operation_refuses_an_unknown_endpoint(void) {
    tmu_model_t *model = new_model(4, 0);
    const uint32_t unknown[] = {4, UINT32_MAX};
    for (size_t i = 0; i < 2; i++) {
        uint32_t endpoint = unknown[i];
        EXPECT_VERDICT(post(model, endpoint, 1, everything), TMU_MODEL_REFUSED_ENDPOINT, 0);
        EXPECT_VERDICT(arrive(model, endpoint, 2, everything), TMU_MODEL_REFUSED_ENDPOINT, 0);
        EXPECT_VERDICT(probe(model, endpoint, 3, everything), TMU_MODEL_REFUSED_ENDPOINT, 0);
        EXPECT_VERDICT(claim(model, endpoint, 4, everything), TMU_MODEL_REFUSED_ENDPOINT, 0);
        EXPECT_VERDICT(cancel(model, endpoint, 5, 1), TMU_MODEL_REFUSED_ENDPOINT, 0);
        EXPECT_VERDICT(cancel_id(model, endpoint, 6, 1), TMU_MODEL_REFUSED_ENDPOINT, 0);
        tmu_model_verdict_t verdict = flush(model, endpoint, 7, everything, NULL, NULL);
        EXPECT_VERDICT(verdict, TMU_MODEL_REFUSED_ENDPOINT, 0);
        EXPECT_NUMBER(verdict.handle, 7);
        EXPECT_NUMBER(verdict.endpoint, endpoint);
        EXPECT_NUMBER(tmu_model_depth(model, endpoint, TMU_MODEL_POSTED), 0);
    }
    tmu_model_stats_t stats;
    tmu_model_stats(model, &stats);
    EXPECT_NUMBER(stats.refused_endpoint, 14);
    EXPECT_NUMBER(stats.posted_depth + stats.unexpected_depth, 0);
    EXPECT_NUMBER(probe(model, 3, 8, everything).serial, 0);
    tmu_model_destroy(model);
}

static void r13_endpoints_do_not_see_each_other(void) {
    tmu_model_t *model = new_model(3, 0);
    post(model, 0, 1, everything);
    arrive(model, 1, 10, mpi_key(0, 1, 5));
    EXPECT_VERDICT(post(model, 2, 2, everything), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(claim(model, 0, 3, everything), TMU_MODEL_NONE, 0);
    EXPECT_VERDICT(flush(model, 2, 4, everything, NULL, NULL), TMU_MODEL_FLUSHED, 0);
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 1);
    EXPECT_VERDICT(post(model, 1, 5, everything), TMU_MODEL_MATCHED, 10);
    tmu_model_destroy(model);
}

static void statistics_count_every_answer(void) {
    tmu_model_t *model = new_model(2, 2);
    post(model, 0, 1, mpi_key(0, 1, 1));
    post(model, 1, 2, mpi_key(0, 1, 1));
    post(model, 0, 3, mpi_key(0, 1, 2));
    post(model, 0, 4, mpi_key(0, 1, 3));               /* refused quota, searches 0 */
    arrive_sized(model, 0, 10, mpi_key(0, 1, 1), 500); /* matched, truncated, searches 1 */
    arrive(model, 0, 11, mpi_key(0, 7, 1));            /* queued, searches 1 */
    arrive(model, 0, 12, mpi_key(0, 7, 2));            /* queued, searches 1 */
    arrive(model, 0, 13, mpi_key(0, 7, 2));            /* stalled, searches 1 */
    probe(model, 0, 20, mpi_key(0, 7, 2));             /* found, searches 2 */
    claim(model, 0, 21, mpi_key(0, 7, 9));             /* none, searches 2 */
    cancel(model, 0, 22, 3);                           /* cancelled, searches 1 */
    cancel(model, 0, 23, 3);                           /* late, searches 0 */
    probe(model, 9, 24, everything);                   /* refused endpoint */
    flush(model, 0, 25, everything, NULL, NULL);       /* removes and searches 2 */
    tmu_model_stats_t stats;
    tmu_model_stats(model, &stats);
    EXPECT_NUMBER(stats.posts, 4);
    EXPECT_NUMBER(stats.arrivals, 4);
    EXPECT_NUMBER(stats.probes, 2);
    EXPECT_NUMBER(stats.claims, 1);
    EXPECT_NUMBER(stats.cancels, 2);
    EXPECT_NUMBER(stats.flushes, 1);
    EXPECT_NUMBER(stats.matched, 1);
    EXPECT_NUMBER(stats.queued, 5);
    EXPECT_NUMBER(stats.found, 1);
    EXPECT_NUMBER(stats.none, 1);
    EXPECT_NUMBER(stats.cancelled, 1);
    EXPECT_NUMBER(stats.late, 1);
    EXPECT_NUMBER(stats.truncated, 1);
    EXPECT_NUMBER(stats.removed, 2);
    EXPECT_NUMBER(stats.refused_quota, 1);
    EXPECT_NUMBER(stats.refused_endpoint, 1);
    EXPECT_NUMBER(stats.stalled, 1);
    EXPECT_NUMBER(stats.visited, 11);
    EXPECT_NUMBER(stats.posted_depth, 1);
    EXPECT_NUMBER(stats.unexpected_depth, 0);
    EXPECT_NUMBER(stats.posted_max, 3);
    EXPECT_NUMBER(stats.unexpected_max, 2);
    EXPECT_NUMBER(stats.endpoint_posted_max, 2);
    EXPECT_NUMBER(stats.endpoint_unexpected_max, 2);
    EXPECT_NUMBER(tmu_model_depth_max(model, 1, TMU_MODEL_POSTED), 1);
    EXPECT_NUMBER(tmu_model_depth_max(model, 0, TMU_MODEL_UNEXPECTED), 2);
    tmu_model_destroy(model);
}

static void missing_arguments_change_nothing(void) {
    tmu_model_t *model = new_model(1, 0);
    const tmu_model_config_t no_endpoints = {.endpoints = 0};
    const tmu_model_receive_t receive = {.handle = 1};
    const tmu_model_message_t message = {.handle = 1};
    const tmu_model_search_t search = {.handle = 1};
    tmu_model_verdict_t verdict = {.handle = 77};
    tmu_model_t *other = NULL;
    EXPECT_NUMBER(tmu_model_create(&no_endpoints, &other), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_create(NULL, &other), TMU_MODEL_BAD_ARGUMENT);
    EXPECT(!other);
    EXPECT_NUMBER(tmu_model_post(NULL, &receive, &verdict), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_post(model, NULL, &verdict), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_post(model, &receive, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_arrive(model, NULL, &verdict), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_arrive(model, &message, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_probe(model, NULL, &verdict), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_claim(model, &search, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_cancel(model, 0, 1, 1, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_cancel_id(NULL, 0, 1, 1, &verdict), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_flush(model, NULL, NULL, NULL, &verdict), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_set_quota(NULL, 0, 1, 1), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(verdict.handle, 77);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 0);
    EXPECT_NUMBER(probe(model, 0, 2, everything).serial, 0);
    tmu_model_destroy(model);
    tmu_model_destroy(NULL);
    tmu_model_reset(NULL);
}

static void every_status_has_its_text(void) {
    for (int status = TMU_MODEL_OK; status <= TMU_MODEL_BAD_ARGUMENT; status++) {
        EXPECT(strcmp(tmu_model_status_text((tmu_model_status_t)status), "unknown status") != 0);
    }
    EXPECT_TEXT(tmu_model_status_text((tmu_model_status_t)14), "unknown status");
    EXPECT_TEXT(tmu_model_status_text(TMU_MODEL_REFUSED_QUOTA), "refused quota");
}

int main(void) {
    RUN(r11_a_post_beyond_its_quota_is_refused_unchanged);
    RUN(r11_a_full_queue_still_matches);
    RUN(r11_an_arrival_without_room_stalls_unchanged);
    RUN(r11_capacities_count_all_endpoints);
    RUN(r11_memory_may_be_full_only_beyond_what_is_sure);
    RUN(r11_quotas_are_set_per_endpoint);
    RUN(r11_ten_thousand_receives_match_in_reverse);
    RUN(r13_every_operation_refuses_an_unknown_endpoint);
    RUN(r13_endpoints_do_not_see_each_other);
    RUN(statistics_count_every_answer);
    RUN(missing_arguments_change_nothing);
    RUN(every_status_has_its_text);
    return expect_summary();
}
