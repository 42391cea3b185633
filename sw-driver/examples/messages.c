/* SPDX-License-Identifier: Apache-2.0
 *
 * messages URI: two receives, one of them with a wildcard, and three messages.
 *
 * The oldest receive that matches takes a message (R3); a message that nobody waits for stays until
 * a receive for it is posted (R4, R6).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tmu/tmu.h"

enum { CONTEXT = 0, ENDPOINT = 0, CLOCKS = 1000 };

static void must(tmu_result_t result, tmu_t *device) {
    if (result != TMU_OK) {
        (void)fprintf(stderr, "%s: %s\n", tmu_result_text(result), tmu_error_text(device));
        exit(EXIT_FAILURE);
    }
}

/* Waits for the verdict of the one operation that is in flight, and prints it. */
static void print_verdict(tmu_t *device, tmu_queue_t *queue, const char *operation) {
    tmu_completion_t completion;
    size_t count = 0;
    while (count == 0) {
        must(tmu_poll(queue, &completion, 1, &count), device);
        if (count == 0) {
            must(tmu_progress(device, CLOCKS), device); /* hardware runs by itself */
        }
    }
    if (completion.status == TMU_STATUS_MATCHED) {
        (void)printf("%s %" PRIu64 " matched %" PRIu64 "\n", operation, completion.handle,
                     completion.other);
    } else {
        (void)printf("%s %" PRIu64 " waits\n", operation, completion.handle);
    }
}

static void receive(tmu_t *device, tmu_queue_t *queue, uint64_t handle, int64_t source,
                    int64_t tag) {
    tmu_receive_t receive = {.handle = handle, .length = 4096};
    must(tmu_key_mpi(CONTEXT, source, tag, &receive.key), device);
    must(tmu_post(queue, ENDPOINT, &receive, NULL), device);
    print_verdict(device, queue, "receive");
}

static void message(tmu_t *device, tmu_queue_t *queue, uint64_t handle, int64_t source,
                    int64_t tag) {
    tmu_key_t key;
    must(tmu_key_mpi(CONTEXT, source, tag, &key), device);
    const tmu_message_t message = {
        .match = key.match, .source = key.source, .handle = handle, .length = 64};
    must(tmu_arrive(queue, ENDPOINT, &message), device);
    print_verdict(device, queue, "message");
}

int main(int argc, char **argv) {
    tmu_t *device = NULL;
    tmu_queue_t *queue = NULL;
    const tmu_queue_attr_t attr = {.endpoint = ENDPOINT, .ring_log2 = 6};
    if (argc != 2) {
        (void)fputs("usage: messages URI\nFor example: messages ref:tiny\n", stderr);
        return 2;
    }
    must(tmu_open(argv[1], &device), NULL);
    must(tmu_queue_open(device, &attr, &queue), device);
    receive(device, queue, 1, TMU_ANY_SOURCE, 7);
    receive(device, queue, 2, 3, 7);
    message(device, queue, 101, 3, 7); /* both match: the older one takes it */
    message(device, queue, 102, 3, 7);
    message(device, queue, 103, 5, 9);
    receive(device, queue, 3, 5, TMU_ANY_TAG);
    tmu_close(device);
    return 0;
}
