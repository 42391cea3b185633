/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-switch: its command line. */
#include "number_option.h"
#include "switch_run.h"
#include "usage.h"

#include <getopt.h>

static const char usage[] =
    "usage: tmu-switch --ports N --socket S [OPTION...]\n"
    "  --ports N       ports, 1 to 64\n"
    "  --socket S      a connection to S takes the lowest free port, one to S.K takes port K\n"
    "  --drop P        chance from 0 to 1 that a frame is lost (default 0)\n"
    "  --duplicate P   that it comes twice\n"
    "  --reorder P     that it lets 1 to 4 frames of its port pass\n"
    "  --corrupt P     that one bit behind its Ethernet header is flipped\n"
    "  --delay NS      nanoseconds from port to port\n"
    "  --rate GBPS     of each port, in gigabits a second (default: not limited)\n"
    "  --seed K        of what is random (default 1)\n"
    "  --pcap FILE     capture of what comes in, with its fate as a comment\n"
    "  --json          counters at the end as JSON\n";

static void set_impairment(switch_options_t *options, int option, const char *text) {
    link_impairments_t *impairments = &options->shape.impairments;
    switch (option) {
    case 'd':
        impairments->drop = decimal_option("tmu-switch", "--drop", text, 0, 1);
        break;
    case 'u':
        impairments->duplicate = decimal_option("tmu-switch", "--duplicate", text, 0, 1);
        break;
    case 'r':
        impairments->reorder = decimal_option("tmu-switch", "--reorder", text, 0, 1);
        break;
    case 'c':
        impairments->corrupt = decimal_option("tmu-switch", "--corrupt", text, 0, 1);
        break;
    case 'n':
        options->shape.delay_ns = number_option("tmu-switch", "--delay", text, 0, 10000000000);
        break;
    case 'g':
        options->shape.gbps = decimal_option("tmu-switch", "--rate", text, 1e-6, 1e6);
        break;
    case 'k':
        impairments->seed = number_option("tmu-switch", "--seed", text, 0, UINT64_MAX);
        break;
    default:
        usage_option(option, usage);
    }
}

static void parse(int count, char **values, switch_options_t *options) {
    static const struct option names[] = {
        {"ports", required_argument, NULL, 'p'},
        {"socket", required_argument, NULL, 's'},
        {"drop", required_argument, NULL, 'd'},
        {"duplicate", required_argument, NULL, 'u'},
        {"reorder", required_argument, NULL, 'r'},
        {"corrupt", required_argument, NULL, 'c'},
        {"delay", required_argument, NULL, 'n'},
        {"rate", required_argument, NULL, 'g'},
        {"seed", required_argument, NULL, 'k'},
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
            set_impairment(options, option, optarg);
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
