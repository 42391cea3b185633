/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names that differ between versions of Linux since 6.1.  The module looks at the version nowhere
 * else.
 */
#ifndef TMU_COMPAT_H
#define TMU_COMPAT_H

#include <linux/device.h>
#include <linux/eventfd.h>
#include <linux/mm.h>
#include <linux/version.h>

/* Before 6.0 a file without an `llseek` can be seeked. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
#error "this module is for Linux 6.1 and newer"
#endif

/* 6.3: flags of a mapping are not written to any more. */
static inline void tmu_area_flags(struct vm_area_struct *area, unsigned long set,
                                  unsigned long clear) {
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
    area->vm_flags = (area->vm_flags | set) & ~clear;
#else
    vm_flags_mod(area, set, clear);
#endif
}

/* 6.4: a class has no owner. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define TMU_CLASS_CREATE(name) class_create(THIS_MODULE, name)
#else
#define TMU_CLASS_CREATE(name) class_create(name)
#endif

/* 6.8: one is added, always. */
static inline void tmu_event_signal(struct eventfd_ctx *event) {
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
    eventfd_signal(event, 1);
#else
    eventfd_signal(event);
#endif
}

#endif
