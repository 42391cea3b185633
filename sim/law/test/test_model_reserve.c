/* SPDX-License-Identifier: Apache-2.0 */
/* Reserves: slots that are kept for an endpoint while others fill the rest (R11, R13). */
#include "fixture.h"

#define SLOTS 8

/* Three endpoints that share SLOTS slots of each queue; no two keys match but by intent. */
static tmu_model_t *shared_model(void) {
    const tmu_model_config_t config = {
        .endpoints = 3, .posted_capacity = SLOTS, .unexpected_capacity = SLOTS};
    tmu_model_t *model = NULL;
    if (tmu_model_create(&config, &model) != TMU_MODEL_OK) {
        abort();
    }
    return model;
}

static tmu_model_verdict_t post_one(tmu_model_t *model, uint32_t endpoint, uint64_t handle) {
    return post(model, endpoint, handle, mpi_key(0, 1, (int64_t)handle));
}

static tmu_model_verdict_t arrive_one(tmu_model_t *model, uint32_t endpoint, uint64_t handle) {
    return arrive(model, endpoint, handle, mpi_key(0, 2, (int64_t)handle));
}

/* Receives and messages of an endpoint until there is no room for either; how many of each. */
static uint64_t fill(tmu_model_t *model, uint32_t endpoint, uint64_t first) {
    const uint64_t before = tmu_model_depth(model, endpoint, TMU_MODEL_POSTED);
    for (uint64_t i = 0; i <= SLOTS; i++) {
        post_one(model, endpoint, first + i);
        arrive_one(model, endpoint, first + i);
    }
    EXPECT_STATUS(post_one(model, endpoint, first + 99), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_STATUS(arrive_one(model, endpoint, first + 99), TMU_MODEL_STALLED);
    EXPECT_NUMBER(tmu_model_depth(model, endpoint, TMU_MODEL_UNEXPECTED),
                  tmu_model_depth(model, endpoint, TMU_MODEL_POSTED));
    return tmu_model_depth(model, endpoint, TMU_MODEL_POSTED) - before;
}

static void r11_r13_a_reserve_keeps_slots_while_another_endpoint_fills_the_rest(void) {
    tmu_model_t *model = shared_model();
    EXPECT_NUMBER(tmu_model_set_reserve(model, 1, 3, 3), TMU_MODEL_OK);
    EXPECT_NUMBER(fill(model, 0, 100), SLOTS - 3);
    EXPECT_NUMBER(fill(model, 2, 300), 0);
    EXPECT_NUMBER(fill(model, 1, 200), 3);
    tmu_model_destroy(model);
}

static void r11_beyond_its_reserve_an_endpoint_shares(void) {
    tmu_model_t *model = shared_model();
    tmu_model_set_reserve(model, 1, 2, 2);
    tmu_model_set_reserve(model, 2, 1, 1);
    EXPECT_NUMBER(fill(model, 1, 200), SLOTS - 1); /* all but what is kept for endpoint 2 */
    EXPECT_NUMBER(fill(model, 0, 100), 0);
    EXPECT_NUMBER(fill(model, 2, 300), 1);
    tmu_model_destroy(model);
}

static void r11_what_leaves_restores_the_promise(void) {
    tmu_model_t *model = shared_model();
    tmu_model_set_reserve(model, 1, 2, 2);
    fill(model, 1, 200);
    /* Within its reserve the endpoint gets its slot back, for nobody else. */
    for (uint64_t i = 0; i < SLOTS; i++) {
        EXPECT_VERDICT(claim(model, 1, 50, mpi_key(0, 2, ANY_TAG)), TMU_MODEL_MATCHED, 200 + i);
        const bool kept = tmu_model_depth(model, 1, TMU_MODEL_UNEXPECTED) < 2;
        EXPECT_STATUS(arrive_one(model, 0, 100 + i), kept ? TMU_MODEL_STALLED : TMU_MODEL_QUEUED);
    }
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_UNEXPECTED), SLOTS - 2);
    EXPECT_STATUS(arrive_one(model, 1, 300), TMU_MODEL_QUEUED);
    EXPECT_STATUS(arrive_one(model, 1, 301), TMU_MODEL_QUEUED);
    EXPECT_STATUS(arrive_one(model, 1, 302), TMU_MODEL_STALLED);
    tmu_model_destroy(model);
}

static void r11_cancels_claims_matches_and_flushes_make_room(void) {
    tmu_model_t *model = shared_model();
    tmu_model_set_reserve(model, 1, 2, 2);
    fill(model, 0, 100);
    EXPECT_VERDICT(cancel(model, 0, 50, 100), TMU_MODEL_CANCELLED, 100);
    EXPECT_STATUS(post_one(model, 0, 110), TMU_MODEL_QUEUED);
    EXPECT_VERDICT(arrive(model, 0, 51, mpi_key(0, 1, 101)), TMU_MODEL_MATCHED, 101);
    EXPECT_STATUS(post_one(model, 0, 111), TMU_MODEL_QUEUED);
    EXPECT_STATUS(post_one(model, 0, 112), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_VERDICT(claim(model, 0, 52, mpi_key(0, 2, 100)), TMU_MODEL_MATCHED, 100);
    EXPECT_STATUS(arrive_one(model, 0, 110), TMU_MODEL_QUEUED);
    EXPECT_STATUS(flush(model, 0, 53, everything, NULL, NULL), TMU_MODEL_FLUSHED);
    EXPECT_NUMBER(fill(model, 2, 300), SLOTS - 2);
    tmu_model_destroy(model);
}

static void r11_hits_need_no_room_that_is_promised(void) {
    tmu_model_t *model = shared_model();
    tmu_model_set_reserve(model, 1, SLOTS, SLOTS);
    EXPECT_STATUS(post_one(model, 0, 1), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_STATUS(arrive_one(model, 0, 1), TMU_MODEL_STALLED);
    tmu_model_set_reserve(model, 1, 0, 0);
    fill(model, 0, 100);
    tmu_model_set_reserve(model, 1, SLOTS, SLOTS);
    EXPECT_VERDICT(post(model, 0, 2, mpi_key(0, 2, 103)), TMU_MODEL_MATCHED, 103);
    EXPECT_VERDICT(arrive(model, 0, 3, mpi_key(0, 1, 104)), TMU_MODEL_MATCHED, 104);
    tmu_model_destroy(model);
}

/* Nothing moves when a reserve changes; who is beyond its own waits until enough has left. */
static void r11_a_reserve_may_promise_more_than_is_free(void) {
    tmu_model_t *model = shared_model();
    fill(model, 0, 100);
    tmu_model_set_reserve(model, 1, 2, 2);
    tmu_model_set_reserve(model, 2, 1, 1);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), SLOTS);
    EXPECT_STATUS(post_one(model, 1, 200), TMU_MODEL_REFUSED_QUOTA); /* no slot at all */
    EXPECT_VERDICT(cancel(model, 0, 50, 100), TMU_MODEL_CANCELLED, 100);
    EXPECT_STATUS(post_one(model, 0, 110), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_STATUS(post_one(model, 1, 200), TMU_MODEL_QUEUED); /* within its reserve: any slot */
    for (uint64_t i = 101; i < 103; i++) {                    /* two slots, and two promised */
        EXPECT_VERDICT(cancel(model, 0, 50, i), TMU_MODEL_CANCELLED, i);
        EXPECT_STATUS(post_one(model, 0, 110), TMU_MODEL_REFUSED_QUOTA);
    }
    EXPECT_VERDICT(cancel(model, 0, 50, 103), TMU_MODEL_CANCELLED, 103);
    EXPECT_STATUS(post_one(model, 0, 110), TMU_MODEL_QUEUED);
    EXPECT_STATUS(post_one(model, 0, 111), TMU_MODEL_REFUSED_QUOTA);
    tmu_model_set_reserve(model, 1, 0, 0);
    EXPECT_STATUS(post_one(model, 0, 111), TMU_MODEL_QUEUED);
    EXPECT_STATUS(post_one(model, 0, 112), TMU_MODEL_REFUSED_QUOTA);
    EXPECT_STATUS(post_one(model, 2, 300), TMU_MODEL_QUEUED);
    tmu_model_destroy(model);
}

static void r11_the_two_queues_have_reserves_of_their_own(void) {
    tmu_model_t *model = shared_model();
    tmu_model_set_reserve(model, 1, 5, 1);
    for (uint64_t i = 0; i < SLOTS; i++) {
        EXPECT_STATUS(post_one(model, 0, i), i < 3 ? TMU_MODEL_QUEUED : TMU_MODEL_REFUSED_QUOTA);
        EXPECT_STATUS(arrive_one(model, 0, i), i < 7 ? TMU_MODEL_QUEUED : TMU_MODEL_STALLED);
    }
    tmu_model_destroy(model);
}

static void r11_a_quota_limits_an_endpoint_within_its_reserve(void) {
    tmu_model_t *model = shared_model();
    tmu_model_set_reserve(model, 1, 4, 4);
    tmu_model_set_quota(model, 1, 2, 2);
    EXPECT_NUMBER(fill(model, 1, 200), 2);
    EXPECT_NUMBER(fill(model, 0, 100), SLOTS - 4);
    tmu_model_destroy(model);
}

static void r11_without_a_capacity_a_reserve_keeps_nothing(void) {
    tmu_model_t *model = new_model(2, 0);
    tmu_model_set_reserve(model, 1, 1000, 1000);
    for (uint64_t i = 0; i < 10; i++) {
        EXPECT_STATUS(post_one(model, 0, i), TMU_MODEL_QUEUED);
        EXPECT_STATUS(arrive_one(model, 0, i), TMU_MODEL_QUEUED);
    }
    tmu_model_destroy(model);
}

static void a_reserve_outlives_a_reset_and_needs_its_endpoint(void) {
    tmu_model_t *model = shared_model();
    EXPECT_NUMBER(tmu_model_set_reserve(model, 3, 1, 1), TMU_MODEL_REFUSED_ENDPOINT);
    EXPECT_NUMBER(tmu_model_set_reserve(NULL, 0, 1, 1), TMU_MODEL_BAD_ARGUMENT);
    tmu_model_set_reserve(model, 1, 3, 3);
    fill(model, 0, 100);
    tmu_model_reset(model);
    EXPECT_NUMBER(fill(model, 0, 100), SLOTS - 3);
    tmu_model_destroy(model);
}

int main(void) {
    RUN(r11_r13_a_reserve_keeps_slots_while_another_endpoint_fills_the_rest);
    RUN(r11_beyond_its_reserve_an_endpoint_shares);
    RUN(r11_what_leaves_restores_the_promise);
    RUN(r11_cancels_claims_matches_and_flushes_make_room);
    RUN(r11_hits_need_no_room_that_is_promised);
    RUN(r11_a_reserve_may_promise_more_than_is_free);
    RUN(r11_the_two_queues_have_reserves_of_their_own);
    RUN(r11_a_quota_limits_an_endpoint_within_its_reserve);
    RUN(r11_without_a_capacity_a_reserve_keeps_nothing);
    RUN(a_reserve_outlives_a_reset_and_needs_its_endpoint);
    return expect_summary();
}
