/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the simulated hardware of a preset lies, for those who name the preset alone.
 */
#ifndef SIM_LIBRARY_H
#define SIM_LIBRARY_H

#include <stddef.h>

#include "backend.h"

/**
 * The path of the library that `what` names: a path, or the file of a library, is taken as it is;
 * a preset's name is looked for in the folders of TMU_SIM_PATH, beside this library, in the folder
 * tmu there, and in a checkout's build above it.
 * TMU_ERR_URI and where it was looked for.
 */
tmu_result_t sim_library_find(const char *what, char *path, size_t size);

#endif
