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

/* A member's name in words: `tag bits`. */
static void print_name(const char *name) {
    char words[24];
    size_t length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof words; length++) {
        words[length] = (char)(name[length] == '_' ? ' ' : name[length]);
    }
    words[length] = '\0';
    printf("%-20s ", words);
}

static void print_info(const tmu_info_t *info) {
    printf("%-20s %s\n", "backend", info->scheme);
    printf("%-20s %u.%u\n", "interface", info->interface_major, info->interface_minor);
#define ROW(member, offset, since, needs, older)                                                   \
    print_name(#member);                                                                           \
    printf("%" PRIu32 "\n", info->member);
    TMU_DISCOVERY_TABLE(ROW)
#undef ROW
#define ROW(name, bit)                                                                             \
    print_name(#name);                                                                             \
    puts((info->capabilities >> (bit) & 1) != 0 ? "yes" : "no");
    TMU_CAPABILITY_TABLE(ROW)
#undef ROW
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
