/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that a device offers to the driver.  Everything above this table is the same for every
 * device; a backend knows no command, completion or flow control.
 *
 * Every function but open and close may be called by several threads at once.
 * The pages and the registers of a real device need nothing for that; a simulated machine is one
 * object that all of them share, so such a backend has a lock of its own.
 */
#ifndef TMU_BACKEND_H
#define TMU_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "tmu/tmu.h"

/*
 * Records this thread's sentence and returns `result`, so that the decision and its text stay
 * together; the function that decides the error calls it, nobody else.
 */
tmu_result_t tmu_error_set(tmu_result_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Memory that host and device both reach. */
typedef struct tmu_dma {
    void *memory;         /* zeroed */
    uint64_t bus_address; /* aligned to 64 bytes, and from 4,096 bytes on to 4,096 */
    size_t bytes;
} tmu_dma_t;

struct tmu_control_ops;

typedef struct tmu_backend_ops {
    const char *scheme; /* the URI's part before the colon */

    /* Control of the device; NULL = by read32, write32, dma_alloc and dma_free, which a
     * backend that brings its own does not have. */
    const struct tmu_control_ops *control;

    /* Opens what stands behind the colon. */
    tmu_result_t (*open)(const char *rest, void **backend_p);
    void (*close)(void *backend);

    tmu_result_t (*read32)(void *backend, uint32_t offset, uint32_t *value_p);
    tmu_result_t (*write32)(void *backend, uint32_t offset, uint32_t value);

    /*
     * Posts one aligned write of 64 or 4 bytes into the doorbell aperture; writes arrive in order.
     * TMU_AGAIN: the path is full, nothing was written; repeat after progress.
     */
    tmu_result_t (*doorbell_write)(void *backend, uint64_t offset, const void *data, size_t size);

    /* Reads an aligned word of 8 bytes of the doorbell aperture, after all writes before. */
    tmu_result_t (*page_read64)(void *backend, uint64_t offset, uint64_t *value_p);

    tmu_result_t (*dma_alloc)(void *backend, size_t bytes, tmu_dma_t *dma_p);
    void (*dma_free)(void *backend, tmu_dma_t *dma);

    /*
     * Runs a simulated device until it wrote memory, at most `max_clocks`; one in another process
     * runs by itself as well.  Where there is no simulated time, lets others have the processor.
     */
    tmu_result_t (*progress)(void *backend, unsigned max_clocks);
    uint64_t (*clock)(void *backend);

    /*
     * An eventfd that is signalled when a completion was written to the ring of this doorbell page;
     * the backend keeps it until it is closed.  NULL where a device has no interrupts.
     */
    tmu_result_t (*event_fd)(void *backend, uint32_t page, int *fd_p);

    /*
     * Whether the device is still there: asked whenever something is in flight and nothing has
     * come, so it must be quick.  TMU_ERR_DEVICE with a sentence when it is gone or has failed.
     * NULL where `progress` alone can tell.
     */
    tmu_result_t (*alive)(void *backend);

    /*
     * In a child of fork, instead of close: closes copies of files, so that the device does not
     * wait for this process as well, and touches nothing else.  NULL where there are none.
     */
    void (*forsake)(void *backend);
} tmu_backend_ops_t;

extern const tmu_backend_ops_t tmu_backend_dev;
extern const tmu_backend_ops_t tmu_backend_ref;
extern const tmu_backend_ops_t tmu_backend_share;
extern const tmu_backend_ops_t tmu_backend_sim;
extern const tmu_backend_ops_t tmu_backend_vfio;
extern const tmu_backend_ops_t tmu_backend_vfu;

#endif
