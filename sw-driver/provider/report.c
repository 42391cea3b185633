/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "say.h"
#include "tmu/tmu_net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_string(FILE *out, const char *text) {
    (void)fputc('"', out);
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            (void)fputc('\\', out);
        }
        if ((unsigned char)*text >= ' ') {
            (void)fputc(*text, out);
        }
    }
    (void)fputc('"', out);
}

static void write_counters(FILE *out, const char *name, const tmu_counter_t *counters,
                           size_t count) {
    (void)fprintf(out, " \"%s\": {", name);
    for (size_t i = 0; i < count; ++i) {
        (void)fprintf(out, "%s\"%s\": %" PRIu64, i != 0 ? ", " : "", counters[i].name,
                      counters[i].value);
    }
    (void)fputs("},\n", out);
}

static void write_spill(FILE *out, const unit_t *unit) {
    tmu_spill_stats_t spill = {0};
    (void)tmu_spill_stats(unit->device, &spill); /* a device that broke has said so */
    (void)fprintf(out,
                  " \"spill\": {\"segments\": %" PRIu32 ", \"chunks\": %" PRIu32
                  ", \"chunks_free\": %" PRIu32 ", \"early\": %" PRIu64 "},\n",
                  unit->spill.segments, spill.chunks, spill.chunks_free, unit->order.early);
}

static void write_network(FILE *out, const unit_t *unit, const tmu_net_counts_t *network) {
    (void)fprintf(
        out,
        " \"network\": {\"sends\": %" PRIu64 ", \"delivered\": %" PRIu64 ", \"failed\": %" PRIu64
        ",\n  \"messages_taken\": %" PRIu32 ", \"messages_refused\": %" PRIu32
        ", \"accepted\": %" PRIu32 ", \"dropped\": %" PRIu32 ", \"duplicate\": %" PRIu32
        ", \"out_of_order\": %" PRIu32 ", \"no_room\": %" PRIu32 ", \"frames_sent\": %" PRIu32
        ", \"sent_again\": %" PRIu32 ", \"timeouts\": %" PRIu32 ", \"link_full\": %" PRIu32 "},\n",
        unit->sent.asked, unit->sent.delivered, unit->sent.failed, network->messages_taken,
        network->messages_refused, network->accepted, network->dropped, network->duplicate,
        network->out_of_order, network->no_room, network->frames_sent, network->sent_again,
        network->timeouts, network->link_full);
}

static void write_report(FILE *out, const unit_t *unit, const char *uri,
                         const tmu_counter_t *counters, size_t count, const tmu_flow_stats_t *flow,
                         const tmu_net_counts_t *network, const char *differences) {
    tmu_counter_t expected[COUNTS_NAMES];
    const size_t expected_count = counts_expected(&unit->counts, expected);
    (void)fputs("{\"name\": ", out);
    write_string(out, unit->name);
    (void)fputs(", \"uri\": ", out);
    write_string(out, uri);
    (void)fprintf(out,
                  ", \"shared\": %s, \"preset\": %" PRIu32 ", \"endpoints\": %" PRIu32
                  ", \"posted_entries\": %" PRIu32 ", \"unexpected_entries\": %" PRIu32
                  ", \"clocks\": %" PRIu64 ",\n",
                  unit->info.shared ? "true" : "false", unit->info.preset, unit->info.endpoints,
                  unit->info.posted_entries, unit->info.unexpected_entries,
                  tmu_clock(unit->device));
    write_counters(out, "counted", expected, expected_count);
    write_counters(out, "unit", counters, count);
    if (unit->info.shared) {
        write_counters(out, "before", unit->before, unit->before_count);
    }
    write_spill(out, unit);
    if (unit->card) {
        write_network(out, unit, network);
    }
    (void)fprintf(out,
                  " \"flow\": {\"stalls\": %" PRIu64 ", \"resumes\": %" PRIu64
                  ", \"held_now\": %" PRIu64 ", \"held_max\": %" PRIu64 "},\n",
                  flow->stalls, flow->resumes, flow->held_now, flow->held_max);
    (void)fprintf(out,
                  " \"traffic\": {\"eager\": %" PRIu64 ", \"rendezvous\": %" PRIu64
                  ", \"bytes\": %" PRIu64 ", \"untagged\": %" PRIu64
                  ", \"refused_frames\": %" PRIu64 "},\n",
                  unit->traffic.eager, unit->traffic.rendezvous, unit->traffic.bytes,
                  unit->traffic.untagged, unit->traffic.refused);
    (void)fprintf(out, " \"differences\": [%s]}\n", differences);
}

/* NULL, and errno says why. */
static FILE *make_file(unit_t *unit, const char *folder) {
    char path[4096];
    FILE *out = NULL;
    do {
        const int length = snprintf(path, sizeof path, "%s/%s.json", folder, unit->name);
        errno = ENAMETOOLONG;
        if (length > 0 && (size_t)length < sizeof path) {
            out = fopen(path, "wx");
        }
    } while (!out && errno == EEXIST && !unit->recorded && unit_next_name(unit));
    return out;
}

/* 0, or -1 after a sentence on standard error. */
static int write_file(unit_t *unit, const char *uri, const char *folder,
                      const tmu_counter_t *counters, size_t count, const tmu_flow_stats_t *flow,
                      const tmu_net_counts_t *network, const char *differences) {
    FILE *out = make_file(unit, folder);
    if (out) {
        write_report(out, unit, uri, counters, count, flow, network, differences);
        const bool bad = ferror(out) != 0;
        if (fclose(out) == 0 && !bad) {
            return 0;
        }
    }
    tfi_say("%s=%s: cannot write %s.json there: %s", setting_name(SETTING_REPORT), folder,
            unit->name, strerror(errno));
    return -1;
}

/* Verdicts that could not be written because one before them never came (R7); the differences. */
static uint64_t tell_waiting(const unit_t *unit, uint64_t before, FILE *list) {
    uint32_t endpoint = 0;
    uint32_t serial = 0;
    const size_t waiting = order_waiting(&unit->order, &endpoint, &serial);
    if (waiting == 0) {
        return 0;
    }
    if (list) {
        (void)fprintf(list,
                      "%s\"found %zu verdicts that wait for others: endpoint %" PRIu32
                      " never had serial number %" PRIu32 "\"",
                      before != 0 ? ", " : "", waiting, endpoint, serial);
    }
    return 1;
}

/* Nobody tells of messages that wait on a card, nor of arrivals that it held back: those that
 * entered the unit are known by the network's counter, and the unit's have to agree with that. */
static void read_network(unit_t *unit, const tmu_counter_t *counters, size_t count,
                         tmu_net_counts_t *network_p) {
    uint64_t *arrivals = unit->counts.answered[TMU_OPCODE_ARRIVE];
    if (tmu_net_counts(unit->device, network_p) != TMU_OK) {
        return; /* as the unit's counters, which was said */
    }
    unit->counts.asked[TMU_OPCODE_ARRIVE] = network_p->messages_taken;
    arrivals[TMU_STATUS_QUEUED] = network_p->messages_taken - arrivals[TMU_STATUS_MATCHED];
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(counters[i].name, "arrive_stalled") == 0) {
            arrivals[TMU_STATUS_STALLED] = counters[i].value;
        }
    }
}

/* Sends that a card did not answer; the differences. */
static uint64_t tell_sends(const unit_t *unit, uint64_t before, FILE *list) {
    const unit_sent_t *sent = &unit->sent;
    if (sent->asked == sent->delivered + sent->failed) {
        return 0;
    }
    if (list) {
        (void)fprintf(list, "%s\"answered sends: found %" PRIu64 ", expected %" PRIu64 "\"",
                      before != 0 ? ", " : "", sent->delivered + sent->failed, sent->asked);
    }
    return 1;
}

uint64_t report_end(unit_t *unit, const char *uri, const char *folder) {
    tmu_counter_t counters[UNIT_COUNTERS];
    size_t count = 0;
    tmu_flow_stats_t flow = {0};
    uint64_t wrong = 0;
    bool read = true;
    if (tmu_counters(unit->device, counters, UNIT_COUNTERS, &count) != TMU_OK ||
        tmu_flow_stats(unit->device, &flow) != TMU_OK) {
        tfi_say("the unit's counters cannot be read: %s", tmu_error_text(unit->device));
        ++wrong;
        read = false;
        count = 0;
    }
    tfi_note("%s: %" PRIu64 " eager and %" PRIu64 " announced messages, %" PRIu64 " bytes; %" PRIu64
             " arrivals at most were held back at once, %" PRIu64 " now",
             unit->name, unit->traffic.eager, unit->traffic.rendezvous, unit->traffic.bytes,
             flow.held_max, flow.held_now);
    count = count < UNIT_COUNTERS ? count : UNIT_COUNTERS;
    char *differences = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&differences, &size);
    const counts_reading_t before = {unit->before, unit->before_count};
    tmu_net_counts_t network = {0};
    uint64_t differ = 0;
    if (read && unit->card) {
        read_network(unit, counters, count, &network);
    }
    if (read) {
        differ = counts_compare(&unit->counts, flow.held_now, (counts_reading_t){counters, count},
                                unit->info.shared ? &before : NULL, list);
    } else if (list) {
        (void)fputs("\"the unit's counters cannot be read\"", list);
    }
    differ += tell_sends(unit, read ? differ : 1, list);
    const uint64_t waiting = tell_waiting(unit, read ? differ : 1, list);
    wrong += differ + waiting;
    if (list) {
        (void)fclose(list);
    }
    if (differ + waiting != 0) {
        tfi_say("counters differ in %s: %s", unit->name, differences ? differences : "");
    }
    if (journal_close(&unit->journal) != 0 || unit->order.lost) {
        tfi_say("the recording of %s could not be written: %s", unit->name,
                strerror(unit->order.lost ? ENOMEM : errno));
        ++wrong;
    }
    if (folder && folder[0] != '\0' &&
        write_file(unit, uri, folder, counters, count, &flow, &network,
                   differences ? differences : "") != 0) {
        ++wrong;
    }
    free(differences);
    return wrong;
}
