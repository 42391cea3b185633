/* SPDX-License-Identifier: Apache-2.0
 *
 * Location of a simulated device's library, for a URI that names the device alone.
 *
 * The search is in the folders of TMU_SIM_PATH, beside this library (or the program that it is
 * linked into), in the folder tmu there, and in each folder above: in the folder tmu, where the
 * installation has it, and in the build of a checkout.
 */
#ifndef SIM_LIBRARY_H
#define SIM_LIBRARY_H

#include <stddef.h>

#include "backend.h"

/*
 * The simulated hardware that `what` names: a path, or the file of a library, is taken as it is; a
 * preset's name is looked for.
 * TMU_ERR_URI and where it was looked for.
 */
tmu_result_t sim_library_find(const char *what, char *path, size_t size);

/* The functional device, in the same way. */
tmu_result_t sim_library_functional(char *path, size_t size);

#endif
