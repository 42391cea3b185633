/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to drive a model in tests: each call returns its verdict. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <stdlib.h>

#include "expect.h"
#include "tmu_model.h"

#define ANY_SOURCE (-1)
#define ANY_TAG INT64_MAX

/* The key of an MPI-style operation: source -1 and tag ANY_TAG are the wildcards (R2). */
static inline tmu_model_key_t mpi_key(uint32_t context, int64_t source, int64_t tag) {
    tmu_model_key_t key = {.match = (uint64_t)context << 32};
    if (tag == ANY_TAG) {
        key.ignore = 0x7fffffff;
    } else {
        key.match |= (uint32_t)tag;
    }
    if (source == ANY_SOURCE) {
        key.source_ignore = UINT32_MAX;
    } else {
        key.source = (uint32_t)source;
    }
    return key;
}

static const tmu_model_key_t everything = {.ignore = UINT64_MAX, .source_ignore = UINT32_MAX};

static inline tmu_model_t *new_model(uint32_t endpoints, uint64_t quota) {
    const tmu_model_config_t config = {
        .endpoints = endpoints, .quota_posted = quota, .quota_unexpected = quota};
    tmu_model_t *model = NULL;
    if (tmu_model_create(&config, &model) != TMU_MODEL_OK) {
        (void)fprintf(stderr, "no model\n");
        abort();
    }
    return model;
}

/* Every operation returns what its verdict says. */
static inline tmu_model_verdict_t checked(tmu_model_status_t status, tmu_model_verdict_t verdict) {
    EXPECT_NUMBER(status, verdict.status);
    return verdict;
}

/* A receive of 100 bytes whose receive id is its handle. */
static inline tmu_model_verdict_t post(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                       tmu_model_key_t key) {
    const tmu_model_receive_t receive = {.key = key,
                                         .endpoint = endpoint,
                                         .receive_id = (uint32_t)handle,
                                         .handle = handle,
                                         .address = handle << 12,
                                         .length = 100};
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_post(model, &receive, &verdict);
    return checked(status, verdict);
}

/* A message of `length` bytes from key's match bits and source. */
static inline tmu_model_verdict_t arrive_sized(tmu_model_t *model, uint32_t endpoint,
                                               uint64_t handle, tmu_model_key_t key,
                                               uint64_t length) {
    const tmu_model_message_t message = {.match = key.match,
                                         .source = key.source,
                                         .endpoint = endpoint,
                                         .handle = handle,
                                         .place = handle << 16,
                                         .length = length};
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_arrive(model, &message, &verdict);
    return checked(status, verdict);
}

static inline tmu_model_verdict_t arrive(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                         tmu_model_key_t key) {
    return arrive_sized(model, endpoint, handle, key, 8);
}

static inline tmu_model_verdict_t probe(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                        tmu_model_key_t key) {
    const tmu_model_search_t search = {.key = key, .endpoint = endpoint, .handle = handle};
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_probe(model, &search, &verdict);
    return checked(status, verdict);
}

static inline tmu_model_verdict_t claim(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                        tmu_model_key_t key) {
    const tmu_model_search_t search = {.key = key, .endpoint = endpoint, .handle = handle};
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_claim(model, &search, &verdict);
    return checked(status, verdict);
}

static inline tmu_model_verdict_t cancel(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                         uint64_t target) {
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_cancel(model, endpoint, handle, target, &verdict);
    return checked(status, verdict);
}

static inline tmu_model_verdict_t cancel_id(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                            uint32_t id) {
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_cancel_id(model, endpoint, handle, id, &verdict);
    return checked(status, verdict);
}

static inline tmu_model_verdict_t flush(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                        tmu_model_key_t key, tmu_model_report_t report,
                                        void *context) {
    const tmu_model_search_t select = {.key = key, .endpoint = endpoint, .handle = handle};
    tmu_model_verdict_t verdict;
    tmu_model_status_t status = tmu_model_flush(model, &select, report, context, &verdict);
    return checked(status, verdict);
}

#define EXPECT_STATUS(verdict, expected)                                                           \
    EXPECT_TEXT(tmu_model_status_text((verdict).status), tmu_model_status_text(expected))

/* The verdict has this status and this other handle. */
#define EXPECT_VERDICT(verdict, expected_status, expected_other)                                   \
    do {                                                                                           \
        const tmu_model_verdict_t seen = (verdict);                                                \
        EXPECT_STATUS(seen, expected_status);                                                      \
        EXPECT_NUMBER(seen.other, expected_other);                                                 \
    } while (0)

#endif
