/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-share: owns one unit and shares it among processes, each of which opens share:SOCKET.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "share.h"

enum { WELL = 0, FAILED = 1, USAGE = 2 };

static const char usage_text[] =
    "usage: tmu-share [--spill N] [--with-parent] DEVICE SOCKET\n"
    "  DEVICE     the unit, as for tmu_open: ref:PRESET, sim:LIBRARY, vfu:SOCKET, vfio:ADDRESS\n"
    "  SOCKET     where others find it: they open share:SOCKET[?endpoints=N]\n"
    "  --spill N  segments of 2 MiB registered with the unit (default: all that it takes)\n"
    "  --with-parent  ends when the process that started it does, by kill -9 as well\n"
    "Prints a line when it is ready. SIGINT and SIGTERM end it.\n";

static int usage(const char *found) {
    (void)fprintf(stderr, "tmu-share: found %s\n%s", found, usage_text);
    return USAGE;
}

/* A number in decimal; false if it is none. */
static bool number_read(const char *text, uint32_t *number_p) {
    char *end = NULL;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    bool is = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && number < UINT32_MAX;
    *number_p = (uint32_t)number;
    return is;
}

static int failed(tmu_result_t result) {
    (void)fprintf(stderr, "tmu-share: %s: %s\n", tmu_result_text(result), tmu_error_text(NULL));
    return result == TMU_ERR_DEVICE ? FAILED : USAGE;
}

/* Signals become readable, so that no moment is wrong for them. */
static int signals_open(void) {
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN); /* who listened to what it says may have gone */
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int run(const char *uri, const char *path, uint32_t segments) {
    share_t share = {.path = path, .listener = -1};
    share.signals = signals_open();
    tmu_result_t result = share_listen(&share);
    if (result != TMU_OK) {
        return failed(result);
    }
    result = share_unit_open(&share, uri, segments);
    if (result == TMU_OK) {
        const tmu_info_t *info = &share.device->info;
        (void)printf("tmu-share: share:%s has %" PRIu32 " endpoints and %" PRIu32 " queues\n", path,
                     info->endpoints, info->queues);
        (void)fflush(stdout);
        result = share_serve(&share);
    }
    int code = result == TMU_OK ? WELL : failed(result);
    (void)unlink(path);
    if (share.device) {
        share_unit_close(&share);
    }
    return code;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"spill", required_argument, NULL, 's'},
        {"with-parent", no_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    uint32_t segments = UINT32_MAX;
    int option = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            (void)fputs(usage_text, stdout);
            return WELL;
        }
        if (option == 'p') {
            (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
            continue;
        }
        if (option != 's') {
            (void)fputs(usage_text, stderr);
            return USAGE;
        }
        if (!number_read(optarg, &segments)) {
            return usage("another word than a number behind --spill");
        }
    }
    if (argc - optind != 2) {
        return usage("another number of words than two, a device and a socket");
    }
    return run(argv[optind], argv[optind + 1], segments);
}
