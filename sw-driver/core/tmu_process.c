/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose a device is: of the process that opened it, and of no child of fork.
 *
 * A child has copies of the pointers and of the files.  If it used them two processes would write
 * into one queue, and if it closed the device it would end that of its parent.
 */
#include <unistd.h>

#include "tmu_internal.h"

/* Forks between the first process that opened a device and this one.  To read it costs nothing, so
 * every operation can; a child that was made past fork's handlers is still told by its pid when it
 * closes the device, and has no mapping of a device in any case. */
static atomic_uint forks;
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void forked(void) { (void)atomic_fetch_add(&forks, 1); }

static void watch(void) { (void)pthread_atfork(NULL, NULL, forked); }

void tmu_process_own(tmu_t *device) {
    (void)pthread_once(&watched, watch);
    device->owner = getpid();
    device->forks = atomic_load(&forks);
}

bool tmu_process_owns(const tmu_t *device) {
    return atomic_load(&forks) == device->forks && getpid() == device->owner;
}

tmu_result_t tmu_process_check(const tmu_t *device) {
    return atomic_load_explicit(&forks, memory_order_relaxed) == device->forks
               ? TMU_OK
               : tmu_error_set(TMU_ERR_DEVICE,
                               "this %s: device was opened by another process, %ld; a child of "
                               "fork opens a device of its own",
                               device->info.scheme, (long)device->owner);
}
