/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost of the driver itself: threads with a queue each post and arrive as fast as they can, on a
 * device that answers within the doorbell write and has no lock.
 *
 * usage: driver_bench_threads [MILLISECONDS]
 * Prints operations a second for 1, 2 and 4 threads, with an endpoint each and with a common one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "fixture.h"
#include "tmu_barrier.h"
#include "tmu_internal.h"

#define PAGES 8
#define WINDOW 8 /* pairs in flight */

/* A page of the device: its ring, and the receive that the next arrival takes. */
typedef struct null_page {
    _Alignas(64) tmu_record_t *ring;
    uint32_t log2;
    uint32_t produced;
    uint64_t posted[WINDOW];
    uint32_t first;
    uint32_t count;
} null_page_t;

static null_page_t pages[PAGES];
static uint32_t registers[TMU_REGISTER_BYTES / 4];
static tmu_backend_ops_t null_backend;

static tmu_result_t null_write32(void *backend, uint32_t offset, uint32_t value) {
    registers[offset / 4] = value;
    uint32_t page = registers[TMU_REG_PAGE_SELECT / 4];
    if (offset == TMU_REG_PAGE_COMMIT && page < PAGES) {
        uint64_t base = (uint64_t)registers[TMU_REG_RING_BASE_HI / 4] << 32 |
                        registers[TMU_REG_RING_BASE_LO / 4];
        pages[page] = (null_page_t){
            .ring = (tmu_record_t *)(uintptr_t)base,
            .log2 = TMU_REGISTER_GET(registers[TMU_REG_RING_CONFIG / 4], TMU_RING_CONFIG_LOG2)};
    }
    return tmu_backend_ref.write32(backend, offset, value);
}

static tmu_result_t null_doorbell(void *backend, uint64_t offset, const void *data, size_t size) {
    (void)backend;
    null_page_t *page = &pages[offset / TMU_DOORBELL_PAGE_BYTES];
    if (size != sizeof(tmu_record_t)) {
        return TMU_OK;
    }
    const tmu_record_t *command = data;
    uint64_t opcode = TMU_FIELD_GET(command, TMU_COMMAND_OPCODE);
    tmu_record_t *answer = &page->ring[page->produced & ((UINT32_C(1) << page->log2) - 1)];
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_COMPLETION_OPCODE, opcode);
    TMU_FIELD_SET(&record, TMU_COMPLETION_HANDLE, TMU_FIELD_GET(command, TMU_COMMAND_HANDLE));
    TMU_FIELD_SET(&record, TMU_COMPLETION_ENDPOINT, TMU_FIELD_GET(command, TMU_COMMAND_ENDPOINT));
    TMU_FIELD_SET(&record, TMU_COMPLETION_PHASE, ~(page->produced >> page->log2) & 1);
    if (opcode == TMU_OPCODE_POST) {
        TMU_FIELD_SET(&record, TMU_COMPLETION_STATUS, TMU_STATUS_QUEUED);
        page->posted[(page->first + page->count++) % WINDOW] =
            TMU_FIELD_GET(command, TMU_COMMAND_HANDLE);
    } else {
        TMU_FIELD_SET(&record, TMU_COMPLETION_STATUS, TMU_STATUS_MATCHED);
        TMU_FIELD_SET(&record, TMU_COMPLETION_OTHER, page->posted[page->first++ % WINDOW]);
        page->first %= WINDOW;
        page->count--;
    }
    for (size_t i = 1; i < TMU_RECORD_WORDS; i++) {
        answer->word[i] = record.word[i];
    }
    tmu_store_phase_word(&answer->word[0], record.word[0]);
    page->produced++;
    return TMU_OK;
}

typedef struct worker {
    tmu_t *device;
    tmu_queue_t *queue;
    uint32_t endpoint;
    uint64_t operations;
} worker_t;

static atomic_bool stop;

static void *work(void *argument) {
    worker_t *w = argument;
    const tmu_receive_t receive = {.handle = 1};
    const tmu_message_t message = {.handle = 2};
    do { /* once at least, however late a busy machine starts this thread */
        tmu_completion_t c[2 * WINDOW];
        for (unsigned i = 0; i < WINDOW; i++) {
            must(tmu_post(w->queue, w->endpoint, &receive, NULL), w->device);
        }
        for (unsigned i = 0; i < WINDOW; i++) {
            must(tmu_arrive(w->queue, w->endpoint, &message), w->device);
        }
        for (size_t left = sizeof c / sizeof c[0]; left > 0;) {
            size_t count = 0;
            must(tmu_poll(w->queue, c, left, &count), w->device);
            left -= count;
        }
        w->operations += sizeof c / sizeof c[0];
    } while (!atomic_load_explicit(&stop, memory_order_relaxed));
    return NULL;
}

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double measure(unsigned count, bool common, long milliseconds) {
    tmu_t *device = NULL;
    worker_t workers[PAGES];
    pthread_t threads[PAGES];
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    uint64_t operations = 0;
    must(tmu_open_backend(&null_backend, "nic", &device), NULL);
    atomic_store(&stop, false);
    for (uint32_t i = 0; i < count; i++) {
        workers[i] = (worker_t){.device = device, .endpoint = common ? 0 : i};
        tmu_queue_attr_t attr = {.endpoint = workers[i].endpoint, .ring_log2 = 8};
        must(tmu_queue_open(device, &attr, &workers[i].queue), device);
    }
    double start = now();
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_NUMBER(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    (void)nanosleep(&pause, NULL);
    atomic_store(&stop, true);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_NUMBER(pthread_join(threads[i], NULL), 0);
        operations += workers[i].operations;
    }
    double seconds = now() - start;
    tmu_close(device);
    EXPECT(operations > 0);
    return (double)operations / seconds;
}

static long milliseconds = 20;

static void measure_all(void) {
    for (unsigned count = 1; count <= 4; count *= 2) {
        for (int common = 0; common < 2; common++) {
            printf("%u threads, %s: %.1f million operations a second\n", count,
                   common ? "one endpoint" : "an endpoint each",
                   1e-6 * measure(count, common, milliseconds));
        }
    }
}

int main(int argc, char **argv) {
    milliseconds = argc > 1 ? strtol(argv[1], NULL, 10) : milliseconds;
    null_backend = tmu_backend_ref;
    null_backend.write32 = null_write32;
    null_backend.doorbell_write = null_doorbell;
    RUN(measure_all);
    return expect_summary();
}
