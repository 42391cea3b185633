/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts of Linux about a PCI function before it is opened.
 */
#ifndef VFIO_FUNCTION_H
#define VFIO_FUNCTION_H

#include "backend.h"

#define VFIO_FUNCTION_SYSFS "/sys/bus/pci/devices"

typedef struct vfio_function {
    char address[16]; /* domain:bus:device.function, as Linux writes it */
    unsigned group;   /* of the IOMMU */
} vfio_function_t;

/*
 * Looks a function up in `sysfs`, a folder like VFIO_FUNCTION_SYSFS.
 * Errors: TMU_ERR_URI when there is none at this address or it is not ready for VFIO, and then the
 * sentence says what to type; TMU_ERR_DEVICE when it is no tag-matching unit.
 */
tmu_result_t vfio_function_find(const char *sysfs, const char *address,
                                vfio_function_t *function_p);

#endif
