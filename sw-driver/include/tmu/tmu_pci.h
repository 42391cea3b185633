/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The unit as a PCI function: who it says it is, and what lies in which of its windows.
 *
 * Registers, doorbells and records are those of tmu_regs.h; here is only what PCI adds.
 */
#ifndef TMU_PCI_H
#define TMU_PCI_H

/* 0x1234 belongs to nobody; a card that is sold needs a vendor's own number. */
#define TMU_PCI_VENDOR 0x1234
#define TMU_PCI_DEVICE 0x544d
#define TMU_PCI_REVISION 1
/* Processing accelerator: base class 12h, nothing finer. */
#define TMU_PCI_CLASS 0x120000

/* Each is 64 bits wide and takes two base address registers. */
#define TMU_PCI_BAR_REGISTERS 0 /* TMU_REGISTER_BYTES */
#define TMU_PCI_BAR_DOORBELLS 2 /* the pages, and what fills them up to a power of two */
#define TMU_PCI_BAR_MSIX 4      /* MSI-X table in the lower half, pending bits in the upper */

/* Vector n belongs to doorbell page n; pages beyond the last vector have none. */
#define TMU_PCI_VECTORS_MAX 2048

#endif
