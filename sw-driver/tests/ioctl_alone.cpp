/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_ioctl.h"

static_assert(sizeof(tmu_ioctl_open) == 56, "the same in C++");
