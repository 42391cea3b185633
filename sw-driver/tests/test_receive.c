/* SPDX-License-Identifier: Apache-2.0
 *
 * Receive ids by themselves (R10).
 */
#include "expect.h"
#include "tmu_receive.h"

static tmu_receive_cache_t cache; /* of the one queue */

static tmu_receive_id_t begin(tmu_receives_t *r, uint32_t endpoint, uint64_t handle) {
    tmu_receive_id_t id = TMU_RECEIVE_NONE;
    EXPECT_NUMBER(tmu_receive_begin(r, &cache, endpoint, handle, &id), TMU_OK);
    return id;
}

static void a_slot_that_is_used_again_gets_another_id(void) {
    tmu_receives_t r;
    cache = (tmu_receive_cache_t){0};
    tmu_receives_init(&r, 2, 64); /* three indices */
    tmu_receive_id_t ids[3];
    for (uint32_t i = 0; i < 3; i++) {
        ids[i] = begin(&r, 0, i);
        EXPECT_NUMBER(tmu_receive_index(&r, ids[i]), i);
    }
    tmu_receive_end(&r, &cache, ids[1]);
    tmu_receive_id_t again = begin(&r, 0, 7);
    EXPECT_NUMBER(tmu_receive_index(&r, again), 1);
    EXPECT(again != ids[1]);
    EXPECT_NUMBER(tmu_receive_pin(&r, 0, ids[1]), TMU_RECEIVE_NONE);
    EXPECT_NUMBER(tmu_receive_pin(&r, 0, again), again);
    tmu_receives_free(&r);
}

static void ids_run_out_and_come_back(void) {
    tmu_receives_t r;
    cache = (tmu_receive_cache_t){0};
    tmu_receives_init(&r, 2, 64);
    tmu_receive_id_t first = begin(&r, 0, 0);
    begin(&r, 0, 1);
    begin(&r, 0, 2);
    tmu_receive_id_t id = 5;
    EXPECT_NUMBER(tmu_receive_begin(&r, &cache, 0, 3, &id), TMU_AGAIN);
    EXPECT_NUMBER(id, 5);
    tmu_receive_end(&r, &cache, first);
    begin(&r, 0, 3);
    tmu_receives_free(&r);
}

static void a_pinned_index_is_not_used_again(void) {
    tmu_receives_t r;
    cache = (tmu_receive_cache_t){0};
    tmu_receives_init(&r, 2, 64);
    tmu_receive_id_t a = begin(&r, 0, 0);
    begin(&r, 0, 1);
    begin(&r, 0, 2);
    tmu_receive_id_t id;
    EXPECT_NUMBER(tmu_receive_pin(&r, 0, a), a);
    EXPECT_NUMBER(tmu_receive_pin(&r, 0, a), a);
    tmu_receive_end(&r, &cache, a); /* matched while two cancels are on their way */
    EXPECT_NUMBER(tmu_receive_begin(&r, &cache, 0, 3, &id), TMU_AGAIN);
    EXPECT_NUMBER(tmu_receive_pin(&r, 0, a), TMU_RECEIVE_NONE);
    tmu_receive_unpin(&r, &cache, a);
    EXPECT_NUMBER(tmu_receive_begin(&r, &cache, 0, 3, &id), TMU_AGAIN);
    tmu_receive_unpin(&r, &cache, a);
    begin(&r, 0, 3);
    tmu_receives_free(&r);
}

static void another_endpoints_id_names_nothing(void) {
    tmu_receives_t r;
    cache = (tmu_receive_cache_t){0};
    tmu_receives_init(&r, 20, 64);
    tmu_receive_id_t id = begin(&r, 3, 0);
    EXPECT_NUMBER(tmu_receive_pin(&r, 2, id), TMU_RECEIVE_NONE);
    EXPECT_NUMBER(tmu_receive_pin(&r, 3, TMU_RECEIVE_NONE), TMU_RECEIVE_NONE);
    EXPECT_NUMBER(tmu_receive_pin(&r, 3, 0), TMU_RECEIVE_NONE);
    EXPECT_NUMBER(tmu_receive_index(&r, TMU_RECEIVE_NONE), 0xfffff);
    tmu_receive_unpin(&r, &cache, TMU_RECEIVE_NONE);
    tmu_receives_free(&r);
}

static void the_units_handle_finds_the_callers(void) {
    tmu_receives_t r;
    cache = (tmu_receive_cache_t){0};
    tmu_receive_id_t found;
    uint64_t handle;
    tmu_receives_init(&r, 4, 4); /* a unit that keeps only 4 bits of a handle */
    tmu_receive_id_t id = begin(&r, 0, 1234);
    EXPECT(tmu_receive_unit_handle(&r, id) < 16);
    EXPECT(tmu_receive_find(&r, tmu_receive_unit_handle(&r, id), &found, &handle));
    EXPECT_NUMBER(found, id);
    EXPECT_NUMBER(handle, 1234);
    EXPECT(!tmu_receive_find(&r, id, &found, &handle)); /* bits that it cannot have kept */
    EXPECT(!tmu_receive_find(&r, 9, &found, &handle));
    tmu_receive_end(&r, &cache, id);
    EXPECT(!tmu_receive_find(&r, tmu_receive_unit_handle(&r, id), &found, &handle));
    tmu_receives_free(&r);
}

static void the_table_grows_and_a_reset_ends_all(void) {
    tmu_receives_t r;
    cache = (tmu_receive_cache_t){0};
    tmu_receive_id_t first = 0;
    tmu_receives_init(&r, 20, 64);
    for (uint32_t i = 0; i < 1000; i++) {
        tmu_receive_id_t id = begin(&r, 0, i);
        first = i == 0 ? id : first;
        EXPECT_NUMBER(tmu_receive_index(&r, id), i);
    }
    tmu_receives_clear(&r);
    EXPECT_NUMBER(tmu_receive_pin(&r, 0, first), TMU_RECEIVE_NONE);
    for (uint32_t i = 0; i < 1000; i++) {
        begin(&r, 0, i);
    }
    EXPECT(r.count < 1500);
    tmu_receives_free(&r);
}

static void ids_rest_and_move_between_queues(void) {
    enum { ROUNDS = 5000 };
    tmu_receives_t r;
    tmu_receive_cache_t other = {0};
    uint32_t last[16] = {0};
    cache = (tmu_receive_cache_t){0};
    tmu_receives_init(&r, 20, 64);
    for (uint32_t i = 0; i < ROUNDS; i++) { /* posted on one queue, ended by another */
        tmu_receive_id_t id = begin(&r, 0, i);
        for (size_t k = 0; k < 16 && i >= 16; k++) {
            EXPECT(last[k] != tmu_receive_index(&r, id));
        }
        last[i % 16] = tmu_receive_index(&r, id);
        tmu_receive_end(&r, &other, id);
    }
    EXPECT(r.count <= 256); /* the caches keep no more than 64 each */
    for (uint32_t i = 0; i < ROUNDS; i++) {
        tmu_receive_id_t id = begin(&r, 0, i);
        for (size_t k = 0; k < 16 && i >= 16; k++) {
            EXPECT(last[k] != tmu_receive_index(&r, id));
        }
        last[i % 16] = tmu_receive_index(&r, id);
        tmu_receive_end(&r, &cache, id);
    }
    tmu_receive_cache_empty(&r, &other);
    EXPECT_NUMBER(other.count, 0);
    tmu_receives_free(&r);
}

static void few_ids_are_not_kept_aside(void) {
    tmu_receives_t r;
    tmu_receive_cache_t other = {0};
    tmu_receive_id_t id = 0;
    cache = (tmu_receive_cache_t){0};
    tmu_receives_init(&r, 4, 64); /* 15 indices */
    for (uint32_t i = 0; i < 15; i++) {
        EXPECT_NUMBER(tmu_receive_begin(&r, &other, 0, i, &id), TMU_OK);
        tmu_receive_end(&r, &other, id);
    }
    for (uint32_t i = 0; i < 15; i++) {
        begin(&r, 0, i);
    }
    EXPECT_NUMBER(tmu_receive_begin(&r, &other, 0, 0, &id), TMU_AGAIN);
    tmu_receives_free(&r);
}

int main(void) {
    RUN(a_slot_that_is_used_again_gets_another_id);
    RUN(ids_run_out_and_come_back);
    RUN(a_pinned_index_is_not_used_again);
    RUN(another_endpoints_id_names_nothing);
    RUN(the_units_handle_finds_the_callers);
    RUN(the_table_grows_and_a_reset_ends_all);
    RUN(ids_rest_and_move_between_queues);
    RUN(few_ids_are_not_kept_aside);
    return expect_summary();
}
