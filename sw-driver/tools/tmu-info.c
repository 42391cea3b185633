/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-info URI: prints what a device says that it is.
 * Exit codes: 0 printed, 1 the device failed, 2 usage or an unusable URI.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tmu/tmu.h"
#include "tool_help.h"

static void print_info(const tmu_info_t *info) {
    const struct {
        const char *name;
        uint32_t value;
    } rows[] = {
        {"preset number", info->preset},          {"endpoints", info->endpoints},
        {"posted entries", info->posted_entries}, {"unexpected entries", info->unexpected_entries},
        {"array entries", info->array_entries},   {"lanes", info->lanes},
        {"filter lanes", info->filter_lanes},     {"filter bits", info->filter_bits},
        {"match bits", info->match_bits},         {"tag bits", info->tag_bits},
        {"source bits", info->source_bits},       {"handle bits", info->handle_bits},
        {"address bits", info->address_bits},     {"length bits", info->length_bits},
        {"receive id bits", info->id_bits},       {"queues", info->queues},
        {"command slots", info->command_slots},   {"spill segments", info->spill_segments},
    };
    printf("%-20s %s\n", "backend", info->scheme);
    printf("%-20s %u.%u\n", "interface", info->interface_major, info->interface_minor);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("%-20s %" PRIu32 "\n", rows[i].name, rows[i].value);
    }
    const struct {
        const char *name;
        uint32_t mask;
        unsigned shift;
    } capabilities[] = {
        {"inspect", TMU_CAPABILITIES_INSPECT_MASK, TMU_CAPABILITIES_INSPECT_SHIFT},
        {"quota", TMU_CAPABILITIES_QUOTA_MASK, TMU_CAPABILITIES_QUOTA_SHIFT},
        {"spill", TMU_CAPABILITIES_SPILL_MASK, TMU_CAPABILITIES_SPILL_SHIFT},
        {"parity", TMU_CAPABILITIES_PARITY_MASK, TMU_CAPABILITIES_PARITY_SHIFT},
        {"reserve", TMU_CAPABILITIES_RESERVE_MASK, TMU_CAPABILITIES_RESERVE_SHIFT},
    };
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
        uint32_t bit = info->capabilities >> capabilities[i].shift & capabilities[i].mask;
        printf("%-20s %s\n", capabilities[i].name, bit ? "yes" : "no");
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs("usage: tmu-info URI\n"
              "Prints what a device says that it is.\n"
              "URI names the device:\n" TOOL_DEVICES "For example: tmu-info ref:tiny\n" TOOL_EXITS,
              stdout);
        return 0;
    }
    if (argc != 2) {
        fputs("usage: tmu-info URI\n", stderr);
        return 2;
    }
    tmu_t *device = NULL;
    tmu_result_t result = tmu_open(argv[1], &device);
    if (result != TMU_OK) {
        fprintf(stderr, "tmu-info: %s: %s\n", tmu_result_text(result), tmu_error_text(NULL));
        return result == TMU_ERR_URI ? 2 : 1;
    }
    tmu_info_t info;
    result = tmu_query(device, &info);
    if (result == TMU_OK) {
        print_info(&info);
    }
    tmu_close(device);
    return result == TMU_OK ? 0 : 1;
}
