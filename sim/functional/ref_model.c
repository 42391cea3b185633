/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference model as a matcher of the functional device.
 */
#include "ref_matcher.h"

#include <stddef.h>

static void *create(const char *name, const tmu_model_config_t *config) {
    tmu_model_t *model = NULL;
    (void)name;
    return tmu_model_create(config, &model) == TMU_MODEL_OK ? model : NULL;
}

static void destroy(void *matcher) { tmu_model_destroy(matcher); }

static void set_quota(void *matcher, uint32_t endpoint, uint64_t posted, uint64_t unexpected) {
    (void)tmu_model_set_quota(matcher, endpoint, posted, unexpected);
}

static void set_reserve(void *matcher, uint32_t endpoint, uint64_t posted, uint64_t unexpected) {
    (void)tmu_model_set_reserve(matcher, endpoint, posted, unexpected);
}

static void set_capacity(void *matcher, uint64_t posted, uint64_t unexpected) {
    tmu_model_set_capacity(matcher, posted, unexpected);
}

static void set_full(void *matcher, bool posted, bool unexpected) {
    tmu_model_set_full(matcher, posted, unexpected);
}

/* The model searches lists from their oldest entry on, up to the one that it finds. */
static uint64_t position(const void *matcher, const tmu_model_verdict_t *verdict) {
    (void)matcher;
    return verdict->visited - 1;
}

static void post(void *matcher, const tmu_model_receive_t *receive,
                 tmu_model_verdict_t *verdict_p) {
    (void)tmu_model_post(matcher, receive, verdict_p);
}

static void arrive(void *matcher, const tmu_model_message_t *message,
                   tmu_model_verdict_t *verdict_p) {
    (void)tmu_model_arrive(matcher, message, verdict_p);
}

static void look(void *matcher, const tmu_model_search_t *search, bool take,
                 tmu_model_verdict_t *verdict_p) {
    (void)(take ? tmu_model_claim(matcher, search, verdict_p)
                : tmu_model_probe(matcher, search, verdict_p));
}

static void cancel(void *matcher, uint32_t endpoint, uint64_t handle, uint32_t receive_id,
                   tmu_model_verdict_t *verdict_p) {
    (void)tmu_model_cancel_id(matcher, endpoint, handle, receive_id, verdict_p);
}

static void flush(void *matcher, const tmu_model_search_t *select, tmu_model_report_t report,
                  void *context, tmu_model_verdict_t *verdict_p) {
    (void)tmu_model_flush(matcher, select, report, context, verdict_p);
}

static bool inspect(const void *matcher, uint32_t endpoint, tmu_model_queue_t queue,
                    uint64_t position, tmu_model_entry_t *entry_p) {
    return tmu_model_inspect(matcher, endpoint, queue, position, entry_p) == TMU_MODEL_OK;
}

static uint64_t depth(const void *matcher, uint32_t endpoint, tmu_model_queue_t queue) {
    return tmu_model_depth(matcher, endpoint, queue);
}

static ref_depths_t depths(const void *matcher) {
    tmu_model_stats_t s;
    tmu_model_stats(matcher, &s);
    return (ref_depths_t){.now = {s.posted_depth, s.unexpected_depth},
                          .most = {s.posted_max, s.unexpected_max}};
}

const ref_matcher_ops_t ref_matcher_model = {
    .create = create,
    .destroy = destroy,
    .set_quota = set_quota,
    .set_reserve = set_reserve,
    .set_capacity = set_capacity,
    .set_full = set_full,
    .position = position,
    .post = post,
    .arrive = arrive,
    .look = look,
    .cancel = cancel,
    .flush = flush,
    .inspect = inspect,
    .depth = depth,
    .depths = depths,
};
