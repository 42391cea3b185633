/* SPDX-License-Identifier: Apache-2.0
 *
 * Matcher behind the functional device's verdicts: the reference model, or a software engine.
 *
 * Operations and verdicts are those of the model's header; each function answers as the one of the
 * same name there does.
 * A model judges an engine by what that engine itself has found: an implementation may keep books
 * of entries, but decides no match, no truncation and no lateness by them.
 * A matcher may be used by one thread at a time.
 */
#ifndef TMU_REF_MATCHER_H
#define TMU_REF_MATCHER_H

#include "tmu_model.h"

/* Entries of all endpoints together. */
typedef struct ref_depths {
    uint64_t now[2]; /* by tmu_model_queue_t */
    uint64_t most[2];
} ref_depths_t;

typedef struct ref_matcher_ops {
    /* `name` is that of the engine; NULL = no memory. */
    void *(*create)(const char *name, const tmu_model_config_t *config);
    void (*destroy)(void *matcher);

    void (*set_quota)(void *matcher, uint32_t endpoint, uint64_t posted, uint64_t unexpected);
    void (*set_reserve)(void *matcher, uint32_t endpoint, uint64_t posted, uint64_t unexpected);
    void (*set_capacity)(void *matcher, uint64_t posted, uint64_t unexpected);
    /* Until it is set again no receive, or no message, has room; only once memory is registered.
     */
    void (*set_full)(void *matcher, bool posted, bool unexpected);

    /* From the first `set_full` on: which entry of its queue an operation has just taken, oldest
     * = 0. */
    uint64_t (*position)(const void *matcher, const tmu_model_verdict_t *verdict);

    void (*post)(void *matcher, const tmu_model_receive_t *receive, tmu_model_verdict_t *verdict_p);
    void (*arrive)(void *matcher, const tmu_model_message_t *message,
                   tmu_model_verdict_t *verdict_p);
    /* A claim if the message is to be taken, else a probe. */
    void (*look)(void *matcher, const tmu_model_search_t *search, bool take,
                 tmu_model_verdict_t *verdict_p);
    void (*cancel)(void *matcher, uint32_t endpoint, uint64_t handle, uint32_t receive_id,
                   tmu_model_verdict_t *verdict_p);
    void (*flush)(void *matcher, const tmu_model_search_t *select, tmu_model_report_t report,
                  void *context, tmu_model_verdict_t *verdict_p);

    /* False beyond the end. */
    bool (*inspect)(const void *matcher, uint32_t endpoint, tmu_model_queue_t queue,
                    uint64_t position, tmu_model_entry_t *entry_p);
    uint64_t (*depth)(const void *matcher, uint32_t endpoint, tmu_model_queue_t queue);
    ref_depths_t (*depths)(const void *matcher);
} ref_matcher_ops_t;

/* The model, which has one name: "model". */
extern const ref_matcher_ops_t ref_matcher_model;

/* The engines of sim/engines, by their names there. */
extern const ref_matcher_ops_t ref_matcher_engine;

#endif
