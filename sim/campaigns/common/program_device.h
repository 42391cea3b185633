/* SPDX-License-Identifier: Apache-2.0 */
/* The device of a program. */
#ifndef PROGRAM_DEVICE_H
#define PROGRAM_DEVICE_H

#include "program.h"
#include "tmu/tmu.h"

/* Opens a device; NULL when it was said why that fails.  `info_p` may be NULL. */
tmu_t *program_device(const program_t *program, const char *uri, tmu_info_t *info_p);

#endif
