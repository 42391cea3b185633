/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <string.h>

static void string_json(FILE *out, const char *text) {
    (void)fputc('"', out);
    for (; *text != '\0'; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            (void)fprintf(out, "\\%c", c);
        } else if (c < 0x20) {
            (void)fprintf(out, "\\u%04x", c);
        } else {
            (void)fputc(c, out);
        }
    }
    (void)fputc('"', out);
}

static void latency_json(FILE *out, const char *name, const replay_latency_t *latency, bool known) {
    if (!known) {
        (void)fprintf(out, ", \"%s\": {\"p50\": null, \"p99\": null, \"max\": null}", name);
        return;
    }
    (void)fprintf(out,
                  ", \"%s\": {\"p50\": %" PRIu64 ", \"p99\": %" PRIu64 ", \"max\": %" PRIu64 "}",
                  name, latency->p50, latency->p99, latency->max);
}

static void counters_json(FILE *out, const char *name, const tmu_counter_t *counters,
                          size_t count) {
    (void)fprintf(out, ", \"%s\": {", name);
    for (size_t i = 0; i < count; ++i) {
        (void)fprintf(out, "%s\"%s\": %" PRIu64, i == 0 ? "" : ", ", counters[i].name,
                      counters[i].value);
    }
    (void)fputc('}', out);
}

static const char *preset_name(uint32_t number) {
    static const char *const names[] = {
#define NAME(name, number, ...) [number] = name,
        TMU_PRESET_TABLE(NAME)
#undef NAME
    };
    if (number == TMU_PRESET_OWN) {
        return "own";
    }
    return number < sizeof names / sizeof names[0] ? names[number] : "unknown";
}

/* Acts of a soak, and the fate of its handles. */
static void soak_json(FILE *out, const replay_result_t *result) {
    const ledger_counts_t *ledger = &result->ledger;
    (void)fprintf(out,
                  ", \"soak\": {\"resets\": %" PRIu64 ", \"quota_changes\": %" PRIu64
                  ", \"reserve_changes\": %" PRIu64 ", \"answered\": %" PRIu64
                  ", \"queued\": %" PRIu64 ", \"given_back\": %" PRIu64 ", \"forgotten\": %" PRIu64
                  ", \"let_go\": %" PRIu64 ", \"left\": %" PRIu64 "}",
                  result->resets, result->quota_changes, result->reserve_changes, ledger->answered,
                  ledger->queued, ledger->returned, ledger->forgotten, ledger->let_go,
                  ledger->left);
}

void report_json(FILE *out, const tmu_info_t *info, const char *what, const replay_result_t *result,
                 bool soak) {
    const bool clocked = strcmp(info->scheme, "ref") != 0;
    (void)fprintf(out,
                  "{\"engine\": \"%s\", \"preset\": \"%s\", \"trace\": ", clocked ? "rtl" : "model",
                  preset_name(info->preset));
    string_json(out, what);
    (void)fprintf(out,
                  ", \"operations\": %" PRIu64 ", \"matches\": %" PRIu64 ", \"refused\": %" PRIu64
                  ", \"refused_endpoint\": %" PRIu64 ", \"held\": %" PRIu64
                  ", \"mismatches\": %" PRIu64,
                  result->operations, result->matches, result->refused, result->refused_endpoint,
                  result->held, result->mismatches);
    if (clocked && result->first_difference != 0) {
        (void)fprintf(out, ", \"first_difference_clock\": %" PRIu64, result->first_difference);
    } else {
        (void)fprintf(out, ", \"first_difference_clock\": null");
    }
    if (clocked) {
        (void)fprintf(
            out,
            ", \"clocks\": %" PRIu64 ", \"skipped_clocks\": %" PRIu64
            ", \"clocks_per_operation\": %.4f",
            result->clocks, result->skipped_clocks,
            result->operations == 0 ? 0.0 : (double)result->clocks / (double)result->operations);
    } else {
        (void)fprintf(
            out, ", \"clocks\": null, \"skipped_clocks\": null, \"clocks_per_operation\": null");
    }
    latency_json(out, "latency_clocks", &result->unit_latency, clocked);
    latency_json(out, "host_latency_clocks", &result->host_latency, clocked);
    (void)fprintf(out, ", \"depth_max\": {\"posted\": %" PRIu64 ", \"unexpected\": %" PRIu64 "}",
                  replay_counter(result->counters, result->counter_count, "posted_depth_max"),
                  replay_counter(result->counters, result->counter_count, "unexpected_depth_max"));
    (void)fprintf(
        out, ", \"endpoint_depth_max\": {\"posted\": %" PRIu64 ", \"unexpected\": %" PRIu64 "}",
        result->endpoint_depth_max[0], result->endpoint_depth_max[1]);
    (void)fprintf(out,
                  ", \"flow\": {\"stalls\": %" PRIu64 ", \"resumes\": %" PRIu64
                  ", \"held_max\": %" PRIu64 "}",
                  result->flow.stalls, result->flow.resumes, result->flow.held_max);
    (void)fprintf(out,
                  ", \"spill\": {\"segments\": %" PRIu32 ", \"chunks\": %" PRIu32
                  ", \"chunks_free\": %" PRIu32 "}",
                  result->spill.segments, result->spill.chunks, result->spill.chunks_free);
    if (soak) {
        soak_json(out, result);
    }
    counters_json(out, "counters", result->counters, result->counter_count);
    counters_json(out, "model_counters", result->model_counters, result->model_counter_count);
    (void)fprintf(out, "}\n");
}
