/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel driver's header needs no other, and its structures have no holes that a compiler could
 * fill differently: every call begins with its size, and 64-bit fields are at multiples of 8.
 */
#include "tmu_ioctl.h"

#include <stddef.h>

_Static_assert(sizeof(struct tmu_ioctl_query) == 24 * 4, "query");
_Static_assert(sizeof(struct tmu_ioctl_take) == 8 * 4, "take");
_Static_assert(sizeof(struct tmu_ioctl_give) == 2 * 4, "give");
_Static_assert(sizeof(struct tmu_ioctl_quota) == 4 * 4, "quota");
_Static_assert(sizeof(struct tmu_ioctl_depth) == 6 * 4, "depth");
_Static_assert(sizeof(struct tmu_ioctl_open) == 6 * 4 + 4 * 8, "open");
_Static_assert(sizeof(struct tmu_ioctl_close) == 2 * 4 + 8, "close");
_Static_assert(sizeof(struct tmu_ioctl_event) == 2 * 4 + 8, "event");
_Static_assert(sizeof(struct tmu_ioctl_reset) == 2 * 4, "reset");
_Static_assert(sizeof(struct tmu_ioctl_counters) == 2 * 4 + 8, "counters");
_Static_assert(offsetof(struct tmu_ioctl_open, queue) % 8 == 0, "open.queue");
