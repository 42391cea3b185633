/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-switch: its command line. */
#include "link_options.h"
#include "switch_run.h"
#include "usage.h"

static const char usage[] =
    "usage: tmu-switch --ports N --socket S [OPTION...]\n"
    "  --ports N       ports, 1 to 64\n"
    "  --socket S      a connection to S takes the lowest free port, one to S.K takes port "
    "K\n" LINK_IMPAIRMENT_USAGE "  --delay NS      nanoseconds from port to port\n"
    "  --rate GBPS     of each port, in gigabits a second (default: not limited)\n"
    "  --seed K        of what is random (default 1)\n"
    "  --pcap FILE     capture of what comes in, with its fate as a comment\n"
    "  --json          counters at the end as JSON\n";

static const link_bounds_t BOUNDS = {.delay_ns_most = 10000000000, .gbps_least = 1e-6};

static void parse(int count, char **values, switch_options_t *options) {
    static const struct option names[] = {
        LINK_LONG_OPTIONS,
        {"ports", required_argument, NULL, 'p'},
        {"socket", required_argument, NULL, 's'},
        {"pcap", required_argument, NULL, 'f'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    *options = (switch_options_t){.shape = {.impairments = {.seed = 1}}};
    while ((option = getopt_long(count, values, "", names, NULL)) != -1) {
        switch (option) {
        case 'p':
            options->shape.ports =
                (unsigned)number_option("tmu-switch", "--ports", optarg, 1, LINK_PORTS_MAX);
            break;
        case 's':
            options->socket = optarg;
            break;
        case 'f':
            options->pcap = optarg;
            break;
        case 'j':
            options->json = true;
            break;
        default:
            if (!link_option("tmu-switch", option, optarg, BOUNDS, &options->shape)) {
                usage_option(option, usage);
            }
        }
    }
    if (optind < count || !options->socket || options->shape.ports == 0) {
        usage_wrong("tmu-switch",
                    optind < count     ? "a word that is no option"
                    : !options->socket ? "no --socket"
                                       : "no --ports",
                    usage);
    }
}

int main(int count, char **values) {
    switch_options_t options;
    parse(count, values, &options);
    return switch_run(&options);
}
