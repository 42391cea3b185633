/* SPDX-License-Identifier: Apache-2.0 */
/* The door that libfabric finds: libtmu-fi.so in a folder of FI_PROVIDER_PATH. */
#include "provider.h"

#include <pthread.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <time.h>

#define EXIT_MS 1000 /* that another thread has to finish its call when the process ends */

#define NAP_NS 20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tfi_lock(void) { (void)pthread_mutex_lock(&lock); }

void tfi_unlock(void) { (void)pthread_mutex_unlock(&lock); }

uint64_t tfi_now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

void tfi_nap(void) {
    const struct timespec nap = {0, NAP_NS};
    (void)nanosleep(&nap, NULL);
}

/* A program that ends without closing its endpoints still gets its report, unless it ends within a
 * call of ours, as by a signal handler that exits: the lock is then never released.
 * A child of fork that ends has nothing to end here, nor a lock to wait for. */
static void cleanup(void) {
    const uint64_t until = tfi_now_ms() + EXIT_MS;
    if (!unit_is_open()) {
        return;
    }
    while (pthread_mutex_trylock(&lock) != 0) {
        if (tfi_now_ms() >= until) {
            return;
        }
        tfi_nap();
    }
    unit_abandon();
    tfi_unlock();
}

static struct fi_provider provider = {
    .version = FI_VERSION(0, 1),
    .name = TFI_NAME,
    .getinfo = tfi_getinfo,
    .fabric = tfi_fabric_open,
    .cleanup = cleanup,
};

/* FI_LOG_LEVEL and FI_LOG_PROV say what is shown. */
static int to_log(say_kind_t kind, const char *text) {
    const enum fi_log_level level = kind == SAY_SENTENCE ? FI_LOG_WARN : FI_LOG_INFO;
    if (!fi_log_enabled(&provider, level, FI_LOG_CORE)) {
        return 0;
    }
    fi_log(&provider, level, FI_LOG_CORE, TFI_NAME, 0, "%s\n", text);
    return 1;
}

FI_EXT_INI {
    for (size_t i = 0; i < SETTINGS; ++i) {
        (void)fi_param_define(&provider, settings[i].parameter, FI_PARAM_STRING, "%s",
                              settings[i].help);
    }
    say_to(to_log);
    /* libfabric skips a provider that is older than what a program asks for, and all that is used
     * here is in every version since the one this was compiled with. */
    provider.fi_version = fi_version();
    return &provider;
}
