/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-dump: the queues of a device in words, after the first operations of a trace. */
#include "fit.h"
#include "program.h"
#include "submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RING_LOG2 8
#define POLL_MAX 64
#define CLOCKS 256
#define SPILL_MOST UINT64_MAX
#define ANY_ENDPOINT UINT64_MAX

typedef struct {
    const char *uri;
    const char *trace;
    uint64_t stop;     /* operations to carry out, at most */
    uint64_t endpoint; /* the only one to show, or ANY_ENDPOINT */
    uint64_t spill;
} arguments_t;

static const char usage[] =
    "usage: tmu-dump --uri URI --trace FILE [--stop N] [--endpoint E] [--spill N]\n"
    "Carries out a trace and shows both queues of each endpoint that has something in them.\n"
    "  --uri URI     device: ref:PRESET or sim:LIBRARY\n"
    "  --trace FILE  operations\n"
    "  --stop N      stop after N operations\n"
    "  --endpoint E  show this endpoint alone\n"
    "  --spill N     segments of memory registered with the unit, 0 = none (default: all)\n";

static const program_t program = {"tmu-dump", usage, NULL};

static void parse(int count, char **values, arguments_t *arguments) {
    *arguments = (arguments_t){.stop = UINT64_MAX, .endpoint = ANY_ENDPOINT, .spill = SPILL_MOST};
    const program_option_t options[] = {
        OPTION_NEEDED("uri", arguments->uri),
        OPTION_NEEDED("trace", arguments->trace),
        OPTION_NUMBER("stop", arguments->stop, 0, UINT64_MAX),
        OPTION_NUMBER("endpoint", arguments->endpoint, 0, UINT32_MAX),
        OPTION_NUMBER("spill", arguments->spill, 0, UINT32_MAX),
        {0},
    };
    (void)program_options(&program, options, count, values);
}

static int failed(tmu_t *device, const char *what) {
    return program_fails(&program, EXIT_DIFFERENCE, "%s: %s", what, tmu_error_text(device));
}

/* Takes what is there; advances a simulated device when nothing is. */
static tmu_result_t collect(tmu_t *device, tmu_queue_t *queue, size_t *count_p) {
    tmu_completion_t completions[POLL_MAX];
    *count_p = 0;
    const tmu_result_t result = tmu_poll(queue, completions, POLL_MAX, count_p);
    return result == TMU_OK && *count_p == 0 ? tmu_progress(device, CLOCKS) : result;
}

/* Carries the operations out, and waits until nothing is in flight. */
static tmu_result_t play(tmu_t *device, tmu_queue_t *queue, const workload_t *workload,
                         uint64_t stop) {
    tmu_receive_id_t *receives = calloc(workload->count + 1, sizeof *receives);
    tmu_result_t result = !receives ? TMU_ERR_MEMORY : TMU_OK;
    size_t count = 0;
    for (size_t i = 0; i < workload->count && i < stop && result == TMU_OK; ++i) {
        while ((result = submit_operation(queue, workload, i, receives)) == TMU_AGAIN) {
            if ((result = collect(device, queue, &count)) != TMU_OK) {
                break;
            }
        }
    }
    do {
        if (result == TMU_OK) {
            result = collect(device, queue, &count);
        }
    } while (result == TMU_OK && (count > 0 || tmu_queue_in_flight(queue) > 0));
    free(receives);
    return result;
}

/* MPI's words where the ignored bits are MPI's, else the bits. */
static void print_key(const tmu_info_t *unit, const tmu_key_t *key) {
    const uint64_t sign = UINT64_C(1) << (unit->tag_bits - 1);
    const uint64_t tag = key->match & (2 * sign - 1);
    const bool any_tag = key->ignore == sign - 1 && tag == 0;
    if (key->ignore == 0 || any_tag) {
        (void)printf("context %" PRIu64 ", ", key->match >> unit->tag_bits);
        if (any_tag) {
            (void)printf("any tag, ");
        } else {
            (void)printf("tag %" PRId64 ", ", (int64_t)(tag ^ sign) - (int64_t)sign);
        }
    } else {
        (void)printf("match 0x%" PRIx64 " but for 0x%" PRIx64 ", ", key->match, key->ignore);
    }
    if (key->source_ignore != 0) { /* all of it: a trace has no other mask of a source */
        (void)printf("any source");
    } else {
        (void)printf("source %" PRIu32, key->source);
    }
}

static bool print_entry(void *user, const tmu_entry_t *entry) {
    const tmu_info_t *unit = user;
    (void)printf("  %s %" PRIu32 ": ", entry->unexpected ? "message" : "receive", entry->position);
    print_key(unit, &entry->key);
    (void)printf(", %" PRIu64 " bytes, handle %" PRIu64 ", address 0x%" PRIx64 "%s\n",
                 entry->length, entry->handle, entry->address, entry->spilled ? ", in memory" : "");
    return true;
}

/* An endpoint's queues. */
static tmu_result_t show(tmu_t *device, tmu_queue_t *queue, tmu_info_t *unit, uint32_t endpoint) {
    tmu_depth_t depth = {0};
    tmu_result_t result = tmu_depth(device, endpoint, &depth);
    if (result != TMU_OK || (depth.posted == 0 && depth.unexpected == 0)) {
        return result;
    }
    (void)printf("endpoint %" PRIu32 ": %" PRIu32 " receives, %" PRIu32 " messages\n", endpoint,
                 depth.posted, depth.unexpected);
    return tmu_dump(queue, endpoint, print_entry, unit);
}

static int run(tmu_t *device, const arguments_t *arguments, workload_t *workload) {
    const tmu_queue_attr_t attr = {TMU_ENDPOINT_ANY, RING_LOG2, 0};
    tmu_queue_t *queue = NULL;
    tmu_info_t info;
    if (tmu_query(device, &info) != TMU_OK) {
        return failed(device, "query");
    }
    char error[TMU_TRACE_ERROR_MAX] = "";
    if (fit_trace(workload, arguments->trace, &info, error, sizeof error) != 0) {
        (void)fprintf(stderr, "tmu-dump: %s\n", error);
        return EXIT_USAGE;
    }
    const uint64_t most = info.spill_segments;
    const uint64_t segments = arguments->spill == SPILL_MOST ? most : arguments->spill;
    if (tmu_spill_add(device, (uint32_t)segments) != TMU_OK) {
        (void)failed(device, "spill memory");
        return EXIT_USAGE;
    }
    if (tmu_queue_open(device, &attr, &queue) != TMU_OK) {
        return failed(device, "queue");
    }
    if (arguments->endpoint != ANY_ENDPOINT && arguments->endpoint >= info.endpoints) {
        (void)fprintf(
            stderr, "tmu-dump: --endpoint %" PRIu64 ": the device has endpoints 0 to %" PRIu32 "\n",
            arguments->endpoint, info.endpoints - 1);
        return EXIT_USAGE;
    }
    if (play(device, queue, workload, arguments->stop) != TMU_OK) {
        return failed(device, "trace");
    }
    for (uint32_t i = 0; i < info.endpoints; ++i) {
        if ((arguments->endpoint == ANY_ENDPOINT || arguments->endpoint == i) &&
            show(device, queue, &info, i) != TMU_OK) {
            return failed(device, "dump");
        }
    }
    tmu_flow_stats_t flow;
    if (tmu_flow_stats(device, &flow) != TMU_OK) {
        return failed(device, "flow");
    }
    if (flow.held_now > 0) {
        (void)printf("held back by the driver: %" PRIu64 " messages\n", flow.held_now);
    }
    return EXIT_WELL;
}

int main(int count, char **values) {
    arguments_t arguments;
    parse(count, values, &arguments);
    char error[TMU_TRACE_ERROR_MAX] = "";
    workload_t workload = {0};
    if (workload_read(&workload, arguments.trace, error, sizeof error) != 0) {
        (void)fprintf(stderr, "tmu-dump: %s\n", error);
        return EXIT_USAGE;
    }
    tmu_t *device = NULL;
    int status = EXIT_USAGE;
    if (tmu_open(arguments.uri, &device) != TMU_OK) {
        (void)fprintf(stderr, "tmu-dump: %s\n", tmu_error_text(NULL));
    } else {
        status = run(device, &arguments, &workload);
    }
    tmu_close(device);
    workload_free(&workload);
    return status;
}
