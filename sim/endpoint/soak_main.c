/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-wire-soak: its command line and its report. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "link_options.h"
#include "traffic.h"

static const char usage[] =
    "usage: tmu-wire-soak [OPTION...]\n"
    "Two Ultra Ethernet endpoints in software exchange tagged messages over an impaired switch.\n"
    "  --messages N    both directions together (default 100000)\n" LINK_IMPAIRMENT_USAGE
    "  --delay NS      nanoseconds through the switch (default 1000)\n"
    "  --rate GBPS     of each port, in gigabits a second (default 100)\n"
    "  --payload-mtu N bytes of a message in each packet but the last (default 1024)\n"
    "  --window N      packets without an acknowledgement (default 64)\n"
    "  --quota N       unexpected messages that every other endpoint keeps (default: no limit)\n"
    "  --seed K        of messages and impairments (default 1)\n"
    "  --pcap FILE     capture of both endpoints, simulated time\n"
    "  --json          figures as JSON\n"
    "  --progress      one line for each tenth, on standard error\n";

static const program_t program = {"tmu-wire-soak", usage, NULL};

typedef struct {
    traffic_options_t traffic;
    bool json;
} soak_t;

static uint64_t tenth;

static void show_progress(uint64_t received) {
    static uint64_t shown;
    if (received / tenth > shown) {
        shown = received / tenth;
        (void)fprintf(stderr, "%s: %" PRIu64 " messages\n", program.name, received);
    }
}

static soak_t parse(int count, char **values) {
    soak_t soak = {.traffic = {.messages = 100000,
                               .link = {.impairments = {.seed = 1}, .delay_ns = 1000, .gbps = 100},
                               .payload_mtu = 1024,
                               .window = 64,
                               .close_midway = true}};
    traffic_options_t *traffic = &soak.traffic;
    bool progress = false;
    const program_option_t options[] = {
        LINK_OPTIONS(traffic->link, 10000000, 0.1),
        OPTION_NUMBER("messages", traffic->messages, 1, 1000000000),
        OPTION_NUMBER("payload-mtu", traffic->payload_mtu, 64, TRAFFIC_MTU_MOST),
        OPTION_NUMBER("window", traffic->window, 2, UET_WINDOW_MOST),
        OPTION_NUMBER("quota", traffic->quota, 1, 1000000),
        OPTION_TEXT("pcap", traffic->pcap),
        OPTION_FLAG("json", soak.json),
        OPTION_FLAG("progress", progress),
        {0},
    };
    (void)program_options(&program, options, count, values);
    if (progress) {
        traffic->progress = show_progress;
    }
    soak.traffic.seed = soak.traffic.link.impairments.seed;
    tenth = (soak.traffic.messages + 9) / 10;
    return soak;
}

typedef struct {
    const char *name;
    uint64_t value;
} figure_t;

enum { FIGURES = 15 };

static void collect(const traffic_result_t *result, figure_t figures[FIGURES]) {
    const uet_node_stats_t *a = &result->node[0];
    const uet_node_stats_t *b = &result->node[1];
    const link_counts_t *p = &result->port[0];
    const link_counts_t *q = &result->port[1];
    const figure_t all[FIGURES] = {
        {"messages", result->received},
        {"bytes", result->bytes},
        {"truncated", result->truncated},
        {"unexpected", result->unexpected},
        {"refused", a->messages_refused + b->messages_refused},
        {"frames", a->sent_frames + b->sent_frames},
        {"dropped", p->dropped + q->dropped},
        {"duplicated", p->duplicated + q->duplicated},
        {"reordered", p->reordered + q->reordered},
        {"corrupted", p->corrupted + q->corrupted},
        {"crc_errors", a->refused[UET_CRC] + b->refused[UET_CRC]},
        {"sent_again", a->sent_again + b->sent_again},
        {"timeouts", a->timeouts + b->timeouts},
        {"pdcs", a->opened + b->opened},
        {"time_ns", result->time_ns},
    };
    memcpy(figures, all, sizeof all);
}

static void report(const soak_t *soak, const traffic_result_t *result) {
    figure_t figures[FIGURES];
    collect(result, figures);
    if (soak->json) {
        (void)printf("{\"seed\": %" PRIu64, soak->traffic.seed);
        for (unsigned i = 0; i < FIGURES; i++) {
            (void)printf(", \"%s\": %" PRIu64, figures[i].name, figures[i].value);
        }
        (void)printf("}\n");
        return;
    }
    for (unsigned i = 0; i < FIGURES; i++) {
        (void)printf("%-12s %12" PRIu64 "\n", figures[i].name, figures[i].value);
    }
    (void)printf("every byte right, every message once and in order; seed %" PRIu64 "\n",
                 soak->traffic.seed);
}

int main(int count, char **values) {
    soak_t soak = parse(count, values);
    traffic_result_t result;
    if (!traffic_run(&soak.traffic, &result)) {
        const bool unwritten = result.received == 0 && soak.traffic.pcap;
        return program_fails(&program, unwritten ? EXIT_USAGE : EXIT_DIFFERENCE,
                             "%s; --seed %" PRIu64 " repeats it", result.error, soak.traffic.seed);
    }
    report(&soak, &result);
    return EXIT_WELL;
}
