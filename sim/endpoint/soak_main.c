/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-wire-soak: its command line and its report. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "link_options.h"
#include "traffic.h"
#include "usage.h"

static const char PROGRAM[] = "tmu-wire-soak";
static const char usage[] =
    "usage: tmu-wire-soak [OPTION...]\n"
    "Two Ultra Ethernet endpoints in software exchange tagged messages over an impaired switch.\n"
    "  --messages N    both ways together (default 100000)\n" LINK_IMPAIRMENT_USAGE
    "  --delay NS      nanoseconds through the switch (default 1000)\n"
    "  --rate GBPS     of each port, in gigabits a second (default 100)\n"
    "  --payload-mtu N bytes of a message in each packet but the last (default 1024)\n"
    "  --window N      packets without an acknowledgement (default 64)\n"
    "  --quota N       unexpected messages that every other endpoint keeps (default: no limit)\n"
    "  --seed K        of messages and impairments (default 1)\n"
    "  --pcap FILE     capture of both endpoints, simulated time\n"
    "  --json          figures as JSON\n"
    "  --progress      one line for each tenth, on standard error\n";

typedef struct {
    traffic_options_t traffic;
    bool json;
} soak_t;

static uint64_t tenth;

static void show_progress(uint64_t received) {
    static uint64_t shown;
    if (received / tenth > shown) {
        shown = received / tenth;
        (void)fprintf(stderr, "%s: %" PRIu64 " messages\n", PROGRAM, received);
    }
}

static const link_bounds_t BOUNDS = {.delay_ns_most = 10000000, .gbps_least = 0.1};

static void set_traffic(soak_t *soak, int option) {
    traffic_options_t *options = &soak->traffic;
    switch (option) {
    case 'm':
        options->messages = number_option(PROGRAM, "--messages", optarg, 1, 1000000000);
        break;
    case 'p':
        options->payload_mtu =
            (uint32_t)number_option(PROGRAM, "--payload-mtu", optarg, 64, TRAFFIC_MTU_MOST);
        break;
    case 'w':
        options->window = (uint16_t)number_option(PROGRAM, "--window", optarg, 2, UET_WINDOW_MOST);
        break;
    case 'q':
        options->quota = number_option(PROGRAM, "--quota", optarg, 1, 1000000);
        break;
    case 'f':
        options->pcap = optarg;
        break;
    case 'j':
        soak->json = true;
        break;
    case 'P':
        options->progress = show_progress;
        break;
    default:
        if (!link_option(PROGRAM, option, optarg, BOUNDS, &options->link)) {
            usage_option(option, usage);
        }
    }
}

static soak_t parse(int count, char **values) {
    static const struct option names[] = {
        LINK_LONG_OPTIONS,
        {"messages", required_argument, NULL, 'm'},
        {"payload-mtu", required_argument, NULL, 'p'},
        {"window", required_argument, NULL, 'w'},
        {"quota", required_argument, NULL, 'q'},
        {"pcap", required_argument, NULL, 'f'},
        {"json", no_argument, NULL, 'j'},
        {"progress", no_argument, NULL, 'P'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    soak_t soak = {.traffic = {.messages = 100000,
                               .link = {.impairments = {.seed = 1}, .delay_ns = 1000, .gbps = 100},
                               .payload_mtu = 1024,
                               .window = 64,
                               .close_midway = true}};
    int option;
    while ((option = getopt_long(count, values, "", names, NULL)) != -1) {
        set_traffic(&soak, option);
    }
    if (optind < count) {
        usage_wrong(PROGRAM, "a word that is no option", usage);
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
        (void)fprintf(stderr, "%s: %s; --seed %" PRIu64 " repeats it\n", PROGRAM, result.error,
                      soak.traffic.seed);
        return result.received == 0 && soak.traffic.pcap != NULL ? 2 : 1;
    }
    report(&soak, &result);
    return 0;
}
