/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Types and functions that the module's source files share.
 *
 * One lock for each unit, `lock`, is held for every sequence of registers and for everything that
 * says whose an endpoint, a page or a slot is.  It is taken inside mmap_lock, by page faults, so no
 * memory of a process is touched and no mmap_lock is taken while it is held.
 */
#ifndef TMU_KERNEL_H
#define TMU_KERNEL_H

#include <linux/cdev.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/wait.h>

#include "tmu/tmu_pci.h"
#include "tmu/tmu_regs.h"
#include "tmu_compat.h"
#include "tmu_ioctl.h"

/* Time that the module waits for others' full rings before it has the unit hurry. */
#define TMU_RING_WAIT_MS 250
/* Time before it takes the unit as failed.  A card takes microseconds, and would end the
 * patience with as many full rings as there can be in less; one that is simulated in a busy machine
 * is waited for until it has run as many clocks as that takes, if its clock goes on at all. */
#define TMU_PATIENCE_MS 10000u

#define TMU_BITS(FIELD, value) (((u32)(value) & FIELD##_MASK) << FIELD##_SHIFT)
#define TMU_GET(value, FIELD) ((value) >> FIELD##_SHIFT & FIELD##_MASK)

/* An offset for mmap is a queue's name, and below it the offset of its page or of its ring. */
#define TMU_OFFSET_BITS 23
#define TMU_OFFSET_RING (1u << 22)

/* Memory that the unit writes, or reads. */
struct tmu_memory {
    void *memory;
    dma_addr_t address;
    size_t bytes;
};

/* Entries of an endpoint or of a table: receives and messages. */
struct tmu_entries {
    u32 posted;
    u32 unexpected;
};

struct tmu_session;

struct tmu_endpoint {
    struct tmu_session *session; /* NULL = nobody's */
    struct tmu_entries reserve;
    u32 serial;    /* that its next verdict has, when it is empty */
    u32 first;     /* the same, when the session took it or emptied it */
    bool withheld; /* could not be emptied: nobody gets it before the unit's next reset */
};

struct tmu_unit {
    struct device dev;
    struct cdev cdev;
    struct pci_dev *pdev;
    void __iomem *registers;
    void __iomem *page;            /* the privileged one */
    resource_size_t doorbells;     /* physical */
    wait_queue_head_t closed;      /* a session was */
    struct tmu_ioctl_state *state; /* a page that sessions map for reading */

    struct mutex lock; /* of everything below */
    bool gone;         /* no session is opened any more */
    bool failed;       /* nothing that it says counts, and it reaches no memory */
    u32 sessions;
    struct list_head open; /* the sessions */
    u64 queue_name;        /* the last one that was given */
    struct tmu_ioctl_query info;
    struct tmu_endpoint *endpoints;
    struct tmu_entries reserved; /* over all endpoints */
    unsigned long *pages_open;
    unsigned long *slots_taken;
    struct tmu_memory *segments;
    u32 segment_count;
    struct tmu_memory ring; /* of the privileged page */
    u32 consumed;           /* of it, modulo 2^32 */
};

struct tmu_session {
    struct list_head node;
    struct tmu_unit *unit;
    struct mm_struct *mm; /* whose it is; counted */
    struct address_space *mapping;
    struct list_head queues;
};

/* A ring lives as long as its queue and as long as a process has it mapped. */
struct tmu_ring {
    struct kref references;
    struct tmu_unit *unit;
    struct mm_struct *mm; /* that it is accounted to; counted */
    struct tmu_memory memory;
    struct page **pages; /* of the process, pinned; NULL = the memory is the module's */
    struct sg_table table;
};

struct tmu_queue {
    struct list_head node;
    struct tmu_session *session;
    u64 name;
    u32 endpoint;
    u32 page;
    u32 ring_log2;
    u32 first; /* slot */
    u32 commands_log2;
    struct tmu_ring *ring;
    struct eventfd_ctx *event;
};

/* Wait for the unit: tmu_wait_begin. */
struct tmu_wait {
    unsigned long end;
    unsigned long last;
    bool patient;
    u64 clocks; /* at which it has had its time */
    u64 seen;   /* of its clocks, at the last look */
};

/* Settings of a doorbell page. */
struct tmu_page {
    u32 number;
    u32 endpoint;
    u32 ring_log2;
    u32 first;
    u32 commands_log2;
    dma_addr_t ring;
    bool enable;
};

/* tmu_registers.c: sequences of registers.  Those that fail with EIO have marked the unit. */
u32 tmu_read(const struct tmu_unit *unit, u32 offset);
void tmu_write(const struct tmu_unit *unit, u32 offset, u32 value);
int tmu_fail(struct tmu_unit *unit, const char *why);
/* Whether a full ring may hold all others up for the usual time, or hardly. */
void tmu_hurry(struct tmu_unit *unit, bool hurry);
/* A wait for so long, or with TMU_PATIENCE_MS for as long as that says. */
struct tmu_wait tmu_wait_begin(struct tmu_unit *unit, u32 ms);
bool tmu_wait_over(struct tmu_unit *unit, struct tmu_wait *wait);
int tmu_identify(struct tmu_unit *unit);
int tmu_start(struct tmu_unit *unit);
void tmu_stop(struct tmu_unit *unit);
int tmu_page_set(struct tmu_unit *unit, const struct tmu_page *page);
int tmu_limits_set(struct tmu_unit *unit, u32 endpoint, struct tmu_entries quota,
                   struct tmu_entries reserve);
int tmu_depth_read(struct tmu_unit *unit, u32 endpoint, struct tmu_entries *depth_p);
u32 tmu_counters_read(struct tmu_unit *unit, u64 *values, u32 room);

/* tmu_command.c: the privileged page. */
int tmu_privileged_open(struct tmu_unit *unit);
int tmu_flush(struct tmu_unit *unit, u32 endpoint, u32 *serial_p);

/* tmu_endpoint.c */
int tmu_endpoint_take(struct tmu_session *session, struct tmu_ioctl_take *take);
void tmu_endpoint_give(struct tmu_unit *unit, u32 number);
int tmu_endpoint_empty(struct tmu_unit *unit, u32 number);
struct tmu_endpoint *tmu_endpoint_find(struct tmu_session *session, u32 number);

/* tmu_queue.c */
struct tmu_queue *tmu_queue_find(struct tmu_session *session, u64 name);
int tmu_queue_open(struct tmu_session *session, struct tmu_ioctl_open *open,
                   struct tmu_queue *queue);
void tmu_queue_close(struct tmu_queue *queue);
int tmu_queue_enable(struct tmu_queue *queue, bool enable);
int tmu_queue_event(struct tmu_queue *queue, struct eventfd_ctx *event);

/* tmu_ring.c */
struct tmu_ring *tmu_ring_create(struct tmu_session *session, u32 log2, u64 address);
void tmu_ring_clear(struct tmu_ring *ring);
void tmu_ring_put(struct tmu_ring *ring);

/* tmu_mapping.c */
int tmu_mmap(struct file *file, struct vm_area_struct *area);

/* tmu_session.c */
extern const struct file_operations tmu_files;

/* tmu_main.c */
extern uint tmu_reserve_percent;

#endif
