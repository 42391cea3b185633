/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_LOG2 10
#define HOSTILE_RING_LOG2 4 /* soon full */
#define PROGRESS_CLOCKS 64
#define RUN_IN 100             /* operations beside others, in which their rings and shares fill */
#define PATIENCE_CLOCKS 200000 /* without a completion; then something hangs */

typedef struct load {
    tmu_t *device;
    const load_cell_t *cell;
    worker_t *workers;
    char *error;
    size_t error_size;
} load_t;

static int fail(load_t *load, const char *what) {
    (void)snprintf(load->error, load->error_size, "%s: %s", what, tmu_error_text(load->device));
    return -1;
}

static uint32_t log2_up(uint32_t value) {
    uint32_t log2 = 0;
    while (UINT32_C(1) << log2 < value) {
        log2++;
    }
    return log2;
}

static int worker_open(load_t *load, uint32_t number, const tmu_info_t *info, uint64_t operations) {
    const load_cell_t *cell = load->cell;
    const bool first = cell->watched && number == 0;
    worker_t *worker = &load->workers[number];
    *worker = (worker_t){
        .number = number,
        .endpoint = number % info->endpoints,
        .window = first ? 1 : cell->window,
        .kind = first ? WORKER_PAIRS : cell->rivals,
        .room = operations,
    };
    /* The watched queue shares its endpoint with none. */
    if (cell->watched && number > 0) {
        worker->endpoint = 1 + (number - 1) % (info->endpoints - 1);
    }
    worker->clocks = malloc(operations * sizeof *worker->clocks);
    if (!worker->clocks) {
        (void)snprintf(load->error, load->error_size, "no memory for %" PRIu64 " latencies",
                       operations);
        return -1;
    }
    const uint32_t share = log2_up(worker->window);
    const uint32_t ring = worker_is_hostile(worker) ? HOSTILE_RING_LOG2 : RING_LOG2;
    const tmu_queue_attr_t attr = {worker->endpoint, ring, share ? share : 1};
    if (tmu_queue_open(load->device, &attr, &worker->queue) != TMU_OK) {
        return fail(load, "queue");
    }
    return 0;
}

/* Uses the quota of every rival's endpoint up: from then on its posts are refused. */
static int quotas_use_up(load_t *load) {
    for (uint32_t i = 1; i < load->cell->queues; i++) {
        worker_t *worker = &load->workers[i];
        tmu_completion_t completion;
        size_t count = 0;
        const tmu_receive_t receive = {.key = {.match = UINT64_C(1) << 63}};
        if (tmu_quota_set(load->device, worker->endpoint, 1, 1) != TMU_OK ||
            tmu_post(worker->queue, worker->endpoint, &receive, NULL) != TMU_OK) {
            return fail(load, "quota");
        }
        while (count == 0) {
            if (tmu_progress(load->device, PROGRESS_CLOCKS) != TMU_OK ||
                tmu_poll(worker->queue, &completion, 1, &count) != TMU_OK) {
                return fail(load, "quota");
            }
        }
    }
    return 0;
}

static uint64_t completed(const load_t *load) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < (load->cell->watched ? 1 : load->cell->queues); i++) {
        sum += load->workers[i].completed;
    }
    return sum;
}

/* Everybody works until the measured queues have `target` verdicts. */
static int work(load_t *load, uint64_t target, bool measure) {
    uint64_t last = tmu_clock(load->device);
    uint64_t before = completed(load);
    uint32_t turn = 0;
    while (before < target) {
        /* Each has its turn at being first, as on a bus that many share. */
        for (uint32_t i = 0; i < load->cell->queues; i++) {
            if (worker_submit(&load->workers[(turn + i) % load->cell->queues]) != TMU_OK) {
                return fail(load, "submit");
            }
        }
        turn = (turn + 1) % load->cell->queues;
        if (tmu_progress(load->device, PROGRESS_CLOCKS) != TMU_OK) {
            return fail(load, "progress");
        }
        for (uint32_t i = 0; i < load->cell->queues; i++) {
            if (worker_collect(&load->workers[i], measure) != TMU_OK) {
                return fail(load, "poll");
            }
        }
        const uint64_t now = tmu_clock(load->device);
        const uint64_t count = completed(load);
        if (count != before) {
            last = now;
        }
        before = count;
        if (now - last > PATIENCE_CLOCKS) {
            (void)snprintf(load->error, load->error_size,
                           "no completion in %d clocks, with %" PRIu64 " of %" PRIu64 " there",
                           PATIENCE_CLOCKS, count, target);
            return -1;
        }
    }
    return 0;
}

/* Lets everything that was submitted through the driver end. */
static int drain(load_t *load) {
    for (uint32_t i = 0; i < load->cell->queues; i++) {
        worker_t *worker = &load->workers[i];
        const uint64_t start = tmu_clock(load->device);
        while (!worker_is_hostile(worker) && worker->completed < worker->submitted) {
            if (tmu_progress(load->device, PROGRESS_CLOCKS) != TMU_OK ||
                worker_collect(worker, false) != TMU_OK) {
                return fail(load, "drain");
            }
            if (tmu_clock(load->device) - start > PATIENCE_CLOCKS) {
                (void)snprintf(load->error, load->error_size,
                               "queue %" PRIu32 ": %" PRIu64 " of %" PRIu64 " operations ended", i,
                               worker->completed, worker->submitted);
                return -1;
            }
        }
    }
    return 0;
}

/* Percentiles over all measured queues; false without memory. */
static bool latencies(const load_t *load, uint32_t measured, load_result_t *result) {
    size_t count = 0;
    for (uint32_t i = 0; i < measured; i++) {
        count += load->workers[i].measured;
    }
    uint16_t *all = malloc((count + 1) * sizeof *all);
    if (!all) {
        return false;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < measured; i++) {
        memcpy(all + at, load->workers[i].clocks, load->workers[i].measured * sizeof *all);
        at += load->workers[i].measured;
    }
    result->latency = spread_of(all, count);
    free(all);
    return true;
}

const counter_row_t load_counters[] = {
    {"queue_overruns", "overruns"}, {"malformed", "malformed"}, {NULL, NULL}};

/* Reads the unit's counters of broken rules. */
static int count(load_t *load, load_result_t *result) {
    return counter_set_add(&result->counters, load_counters, load->device) == TMU_OK
               ? 0
               : fail(load, "counters");
}

static int measure(load_t *load, uint64_t operations, load_result_t *result) {
    const uint32_t measured = load->cell->watched ? 1 : load->cell->queues;
    uint64_t *before = calloc(measured, sizeof *before);
    int status = before ? 0 : fail(load, "memory");
    if (status == 0 && load->cell->rivals == WORKER_REFUSED) {
        status = quotas_use_up(load);
    }
    if (status == 0) {
        status = work(load, load->cell->watched ? RUN_IN : operations / 10, false);
    }
    if (status == 0) {
        const uint64_t start = tmu_clock(load->device);
        for (uint32_t i = 0; i < measured; i++) {
            before[i] = load->workers[i].completed;
        }
        status = work(load, completed(load) + operations, true);
        result->clocks = tmu_clock(load->device) - start;
    }
    for (uint32_t i = 0; status == 0 && i < measured; i++) {
        const uint64_t own = load->workers[i].completed - before[i];
        result->verdicts += own;
        result->least = i == 0 || own < result->least ? own : result->least;
        result->most = own > result->most ? own : result->most;
    }
    if (status == 0 && !latencies(load, measured, result)) {
        status = fail(load, "memory");
    }
    free(before);
    if (status == 0) {
        status = drain(load);
    }
    return status == 0 ? count(load, result) : status;
}

int load_run(tmu_t *device, const load_cell_t *cell, uint64_t operations, load_result_t *result,
             char *error, size_t error_size) {
    tmu_info_t info;
    load_t load = {.device = device, .cell = cell, .error = error, .error_size = error_size};
    *result = (load_result_t){0};
    if (tmu_query(device, &info) != TMU_OK || tmu_reset(device) != TMU_OK) {
        return fail(&load, "reset");
    }
    load.workers = calloc(cell->queues, sizeof *load.workers);
    int status = load.workers ? 0 : fail(&load, "memory");
    for (uint32_t i = 0; status == 0 && i < cell->queues; i++) {
        status = worker_open(&load, i, &info, operations);
    }
    if (status == 0) {
        status = measure(&load, operations, result);
    }
    for (uint32_t i = 0; load.workers && i < cell->queues; i++) {
        result->wrong += load.workers[i].wrong;
        /* A unit that failed may never let a queue go, and a close waits for that very long. */
        if (status == 0 && tmu_queue_close(load.workers[i].queue) != TMU_OK) {
            status = fail(&load, "close");
        }
        free(load.workers[i].clocks);
    }
    /* Quotas outlive a reset. */
    for (uint32_t e = 0; status == 0 && cell->rivals == WORKER_REFUSED && e < info.endpoints; e++) {
        if (e <= cell->queues && tmu_quota_set(device, e, 0, 0) != TMU_OK) {
            status = fail(&load, "quota");
        }
    }
    free(load.workers);
    return status;
}
