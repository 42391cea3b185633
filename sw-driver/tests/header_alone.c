/* SPDX-License-Identifier: Apache-2.0
 *
 * The public header compiles alone in C11; that this file builds is the test. */
#include "tmu/tmu.h"

_Static_assert(TMU_OK == 0, "a result of 0 is success");
