/* SPDX-License-Identifier: Apache-2.0
 *
 * Doorbells from sessions to the unit, and answers back.
 *
 * Bells of a queue go into the page that was granted to it, whatever they say, and only as many
 * commands as it has slots for: nobody reaches another one's page or slots (R13).
 * The unit's rings are emptied at once, and what a session's ring has no room for waits here: who
 * does not read answers holds nobody up.
 */
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "share.h"
#include "tmu_ring_read.h"

/* A doorbell alone has the unit run a little: a snapshot of the counters is made of it. */
#define LINGER_CLOCKS 512
/* Last answers that wait for a session beside those in its rings; as many as the longest ring has.
 * Reports of a flush come on top, and are bounded by the entries put in. */
#define ANSWERS_MAX (1u << TMU_RING_LOG2_MAX)
/* Of all sessions together: beyond it those that are owed more than their part of it end.  A
 * session that reads its answers is owed none. */
#define ANSWERS_ALL (2 * ANSWERS_MAX)

/* ---- bells ----------------------------------------------------------------------------------- */

static tmu_result_t write_page(share_t *share, const share_queue_t *queue, uint32_t offset,
                               const void *data, size_t size) {
    uint64_t page = (uint64_t)queue->unit->page.number * TMU_DOORBELL_PAGE_BYTES;
    return share->ops->doorbell_write(share->backend, page + offset, data, size);
}

/* The session's consumer index cannot go back, nor beyond the answers that it was given. */
static bool free_ring(share_queue_t *queue, const uint8_t *data) {
    uint32_t index;
    memcpy(&index, data, sizeof index);
    index = tmu_le32(index);
    if (queue->given - index > queue->given - queue->freed) {
        return false;
    }
    queue->freed = index;
    return true;
}

/* Whether a session may be owed one more answer, for which memory is kept. */
static bool may_owe(const share_t *share, const share_session_t *session) {
    uint64_t all = 0;
    if (session->owed == 0) {
        return true;
    }
    for (const share_session_t *one = share->sessions; one; one = one->next) {
        all += one->owed;
    }
    return session->owed < ANSWERS_MAX &&
           (all < ANSWERS_ALL || session->owed < ANSWERS_ALL / share->session_count);
}

/* TMU_AGAIN: it has to wait. */
static tmu_result_t ring_bell(share_t *share, share_queue_t *queue,
                              const struct tmu_share_bell *bell) {
    bool in_window = bell->offset < TMU_DOORBELL_COMMAND_WINDOW_BYTES &&
                     bell->offset % TMU_DOORBELL_COMMAND_BYTES == 0;
    if (bell->size == TMU_DOORBELL_COMMAND_BYTES && in_window) {
        if (!may_owe(share, queue->session)) {
            queue->session->wrong = "it asks the unit and does not read the answers";
            return TMU_OK;
        }
        if (queue->in_flight == 1u << queue->unit->page.commands_log2) {
            return TMU_AGAIN;
        }
        tmu_result_t result = write_page(share, queue, bell->offset, bell->data, bell->size);
        queue->in_flight += result == TMU_OK;
        return result;
    }
    if (bell->size == sizeof(uint32_t) && bell->offset == TMU_DOORBELL_ASK_OFFSET) {
        share->linger = LINGER_CLOCKS;
        if (share->asked) { /* the snapshot is the unit's: one ask is everybody's */
            return TMU_OK;
        }
        tmu_result_t result = write_page(share, queue, bell->offset, bell->data, bell->size);
        share->asked = result == TMU_OK;
        return result;
    }
    if (bell->size != sizeof(uint32_t) || bell->offset != TMU_DOORBELL_CONSUMER_OFFSET) {
        queue->session->wrong = "it wrote where a doorbell page has nothing";
    } else if (!free_ring(queue, bell->data)) {
        queue->session->wrong = "its consumer index is not true";
    }
    return TMU_OK;
}

bool share_bell_waits(const share_queue_t *queue) {
    return atomic_load_explicit(&queue->memory->rung, memory_order_acquire) != queue->taken;
}

static tmu_result_t move_bells(share_t *share, share_queue_t *queue) {
    uint32_t rung = atomic_load_explicit(&queue->memory->rung, memory_order_acquire);
    tmu_result_t result = TMU_OK;
    if (rung - queue->taken > TMU_SHARE_BELLS) {
        queue->session->wrong = "it rang more bells than there are";
    }
    while (result == TMU_OK && !queue->session->wrong && queue->taken != rung) {
        /* A copy: what is checked is what is used, and the fence keeps a compiler to it. */
        const struct tmu_share_bell bell = queue->memory->bells[queue->taken % TMU_SHARE_BELLS];
        atomic_signal_fence(memory_order_acq_rel);
        result = ring_bell(share, queue, &bell);
        if (result == TMU_OK) {
            queue->taken++;
            share->moved++;
            atomic_store_explicit(&queue->memory->taken, queue->taken, memory_order_release);
        }
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

tmu_result_t share_move_bells_all(share_t *share, share_queue_t *queue) {
    uint32_t rung = atomic_load_explicit(&queue->memory->rung, memory_order_acquire);
    tmu_result_t result = share_move(share);
    for (uint32_t bells = 0; bells < TMU_SHARE_BELLS && result == TMU_OK &&
                             !queue->session->wrong && queue->taken != rung;
         bells++) {
        result = tmu_progress(share->device, LINGER_CLOCKS);
    }
    return result;
}

/* ---- answers --------------------------------------------------------------------------------- */

bool share_take(const tmu_queue_t *unit, uint32_t *read_p, tmu_record_t *record_p) {
    const bool there = tmu_ring_read(unit, *read_p, record_p);
    *read_p += there;
    return there;
}

/* The session's ring is as long as the unit's, so that a completion's phase is right there. */
static void give(share_queue_t *queue, const tmu_record_t *record) {
    uint64_t *words = (uint64_t *)((char *)queue->memory + TMU_SHARE_RING_OFFSET) +
                      (queue->given & (queue->unit->entries - 1)) * (size_t)TMU_RECORD_WORDS;
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        if (i != TMU_COMPLETION_PHASE_WORD) {
            words[i] = tmu_le64(record->word[i]);
        }
    }
    tmu_store_phase_word(&words[TMU_COMPLETION_PHASE_WORD],
                         tmu_le64(record->word[TMU_COMPLETION_PHASE_WORD]));
    queue->given++;
}

static bool has_room(const share_queue_t *queue) {
    return queue->given - queue->freed < queue->unit->entries;
}

/* Returns room of the unit's ring a quarter at a time, as tmu_ring.c does. */
static tmu_result_t announce(share_t *share, share_queue_t *queue) {
    if (queue->read - queue->announced < queue->unit->entries / 4) {
        return TMU_OK;
    }
    uint32_t index = tmu_le32(queue->read);
    tmu_order_reads_before_consumer();
    tmu_result_t result =
        write_page(share, queue, TMU_DOORBELL_CONSUMER_OFFSET, &index, sizeof index);
    if (result == TMU_OK) {
        queue->announced = queue->read;
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

static bool is_last(const tmu_record_t *record) {
    return TMU_FIELD_GET(record, TMU_COMPLETION_STATUS) != TMU_STATUS_REMOVED;
}

static void answered(share_queue_t *queue, const tmu_record_t *record) {
    queue->in_flight -= is_last(record) && queue->in_flight > 0;
    if (queue->backlog.count == 0 && has_room(queue)) {
        give(queue, record);
    } else if (share_backlog_put(&queue->backlog, record)) {
        queue->owed += is_last(record);
        queue->session->owed += is_last(record);
    } else {
        queue->session->wrong = "there is no memory for its answers";
    }
}

static tmu_result_t move_answers(share_t *share, share_queue_t *queue) {
    tmu_record_t record;
    uint32_t given = queue->given;
    tmu_result_t result = TMU_OK;
    if (queue->closing) { /* its ring is cleared under it, and what it shows is no answer */
        return TMU_OK;
    }
    while (has_room(queue) && share_backlog_take(&queue->backlog, &record)) {
        queue->owed -= is_last(&record);
        queue->session->owed -= is_last(&record);
        give(queue, &record);
    }
    while (result == TMU_OK && share_take(queue->unit, &queue->read, &record)) {
        answered(queue, &record);
        result = announce(share, queue);
    }
    share->moved += queue->given - given;
    return result == TMU_OK ? announce(share, queue) : result;
}

/* Tells a session that there are answers, and wakes its threads that wait for that. */
static void tell(const share_session_t *session) {
    (void)atomic_fetch_add(&session->memory->written, 1);
    if (atomic_load(&session->memory->waiting) != 0) {
        (void)syscall(SYS_futex, &session->memory->written, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static tmu_result_t move_session(share_t *share, share_session_t *session) {
    tmu_result_t result = TMU_OK;
    uint32_t given = 0;
    for (share_queue_t *queue = session->queues; queue && result == TMU_OK; queue = queue->next) {
        uint32_t before = queue->given;
        result = move_answers(share, queue);
        given |= queue->given - before;
        if (result == TMU_OK && !queue->closing && !session->wrong) {
            result = move_bells(share, queue);
        }
    }
    if (given != 0) {
        tell(session);
    }
    return result;
}

tmu_result_t share_move(share_t *share) {
    tmu_result_t result = TMU_OK;
    share_session_t *first = share->sessions;
    uint32_t before = share->session_count > 0 ? share->turn++ % share->session_count : 0;
    share->asked = false;
    /* Each is first in turn: the path to the unit may be full before the last one comes. */
    while (before-- > 0) {
        first = first->next;
    }
    share_session_t *session = first;
    while (session && result == TMU_OK) {
        result = move_session(share, session);
        session = session->next ? session->next : share->sessions;
        session = session == first ? NULL : session;
    }
    return result;
}
