/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-switch: its command line. */
#include "link_options.h"
#include "switch_run.h"

static const char usage[] =
    "usage: tmu-switch --ports N --socket S [OPTION...]\n"
    "  --ports N       ports, 1 to 64\n"
    "  --socket S      a connection to S takes the lowest free port, one to S.K takes port "
    "K\n" LINK_IMPAIRMENT_USAGE "  --delay NS      nanoseconds from port to port\n"
    "  --rate GBPS     of each port, in gigabits a second (default: not limited)\n"
    "  --seed K        of what is random (default 1)\n"
    "  --pcap FILE     capture of what comes in, with its fate as a comment\n"
    "  --json          counters at the end as JSON\n";

static const program_t program = {"tmu-switch", usage, NULL};

static void parse(int count, char **values, switch_options_t *options) {
    *options = (switch_options_t){.shape = {.impairments = {.seed = 1}}};
    const program_option_t table[] = {
        LINK_OPTIONS(options->shape, 10000000000, 1e-6),
        OPTION_NUMBER("ports", options->shape.ports, 1, LINK_PORTS_MAX),
        OPTION_NEEDED("socket", options->socket),
        OPTION_TEXT("pcap", options->pcap),
        OPTION_FLAG("json", options->json),
        {0},
    };
    (void)program_options(&program, table, count, values);
    if (options->shape.ports == 0) {
        program_usage(&program, "no --ports");
    }
}

int main(int count, char **values) {
    switch_options_t options;
    parse(count, values, &options);
    return switch_run(&options);
}
