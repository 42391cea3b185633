/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the vfio-user protocol, as far as the driver and the device process speak it.
 *
 * The specification is QEMU's docs/interop/vfio-user.rst.  Numbers have the byte order of the host:
 * both ends are on one machine.
 */
#ifndef VFU_PROTOCOL_H
#define VFU_PROTOCOL_H

#include <stdint.h>

#define VFU_MAJOR 0
#define VFU_MINOR 1

enum vfu_command {
    VFU_VERSION = 1,
    VFU_DMA_MAP = 2,
    VFU_DMA_UNMAP = 3,
    VFU_DEVICE_GET_INFO = 4,
    VFU_DEVICE_GET_REGION_INFO = 5,
    VFU_DEVICE_GET_REGION_IO_FDS = 6,
    VFU_DEVICE_GET_IRQ_INFO = 7,
    VFU_DEVICE_SET_IRQS = 8,
    VFU_REGION_READ = 9,
    VFU_REGION_WRITE = 10,
    VFU_DEVICE_RESET = 13,
    VFU_REGION_WRITE_MULTI = 15,
    VFU_DEVICE_FEATURE = 16
};

/* Bits of vfu_header_t.flags. */
#define VFU_TYPE_MASK 0xfu
#define VFU_TYPE_COMMAND 0u
#define VFU_TYPE_REPLY 1u
#define VFU_NO_REPLY 0x10u
#define VFU_ERROR 0x20u

typedef struct {
    uint16_t id; /* the sender's; a reply has that of its command */
    uint16_t command;
    uint32_t size; /* of the whole message */
    uint32_t flags;
    uint32_t error; /* of a reply with VFU_ERROR: an errno value */
} vfu_header_t;

typedef struct {
    uint16_t major;
    uint16_t minor;
    /* text of capabilities in JSON, with its 0, may follow */
} vfu_version_t;

#define VFU_MAY_READ 1u
#define VFU_MAY_WRITE 2u

typedef struct {
    uint32_t argsz;
    uint32_t flags;
    uint64_t offset; /* in the file that comes with the message */
    uint64_t address;
    uint64_t size;
} vfu_dma_map_t;

#define VFU_UNMAP_ALL 2u /* whatever is mapped; address and size are 0 */

typedef struct {
    uint32_t argsz;
    uint32_t flags;
    uint64_t address;
    uint64_t size; /* in the answer, how much was unmapped */
} vfu_dma_unmap_t;

#define VFU_DEVICE_HAS_RESET 1u
#define VFU_DEVICE_IS_PCI 2u

typedef struct {
    uint32_t argsz;
    uint32_t flags;
    uint32_t regions;
    uint32_t interrupts;
} vfu_device_info_t;

/* Regions of a PCI device; base address registers are 0 to 5. */
#define VFU_REGION_CONFIG 7u
#define VFU_PCI_REGIONS 9u

#define VFU_REGION_READABLE 1u
#define VFU_REGION_WRITABLE 2u
#define VFU_REGION_HAS_CAPABILITIES 8u

typedef struct {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t capability_offset;
    uint64_t size;
    uint64_t offset;
} vfu_region_info_t;

#define VFU_CAPABILITY_TYPE 2u /* a region that not every device has: vfu_region_type_t */
#define VFU_REGION_OF_VENDOR 0x80000000u

typedef struct {
    uint16_t id;
    uint16_t version;
    uint32_t next;
    uint32_t type;
    uint32_t subtype;
} vfu_region_type_t;

/*
 * The region that a simulated unit has behind those of PCI, of type VFU_REGION_OF_VENDOR and the
 * vendor's number.  It is there for clients that want to wait for simulated time; the unit runs
 * without it.
 */
#define VFU_REGION_TIME VFU_PCI_REGIONS
#define VFU_TIME_SUBTYPE 1u
/* 8 bytes, read: clocks since power-up */
#define VFU_TIME_CLOCK 0u
/* 4 bytes, write: runs until memory was written since it was last asked, so many clocks at most */
#define VFU_TIME_RUN 8u
#define VFU_TIME_BYTES 16u
#define VFU_TIME_RUN_MAX 100000u

/* Kinds of interrupts of a PCI device. */
#define VFU_IRQ_MSIX 2u
#define VFU_PCI_IRQS 5u
#define VFU_IRQ_BY_EVENTFD 1u

typedef struct {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t count;
} vfu_irq_info_t;

#define VFU_IRQ_DATA_NONE 1u
#define VFU_IRQ_DATA_BOOL 2u
#define VFU_IRQ_DATA_EVENTFD 4u
#define VFU_IRQ_TRIGGER 0x20u

typedef struct {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t start;
    uint32_t count;
    /* a byte for each interrupt follows with VFU_IRQ_DATA_BOOL */
} vfu_irq_set_t;

/* Of reads and writes; the data follows. */
typedef struct {
    uint64_t offset;
    uint32_t region;
    uint32_t count;
} vfu_access_t;

typedef struct {
    uint64_t count;
    /* so many vfu_small_write_t follow */
} vfu_write_multi_t;

typedef struct {
    uint64_t offset;
    uint32_t region;
    uint32_t count; /* 8 at most */
    uint8_t data[8];
} vfu_small_write_t;

#endif
