/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The calls of /dev/tmuN, between the kernel module and programs.
 *
 * An open file is a session.  It names endpoints and queues that it was given, and no others; what
 * it was given goes back when the file is closed, however that comes about.
 * Only the process that opened the file may use it: a call from any other is EPERM.
 *
 * Every structure begins with its size, and reserved fields have to be 0: anything else is EINVAL,
 * and nothing has changed.  EIO: the unit has failed, and works again when all sessions are closed;
 * the word in tmu_ioctl_state says so as well, and every eventfd of a queue is signalled then.
 */
#ifndef TMU_IOCTL_H
#define TMU_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "tmu_query.h"

/* Of this interface; the module says which one it has in tmu_ioctl_query. */
#define TMU_IOCTL_VERSION 3

/* As a wanted reserve: the table's slots by the number of endpoints. */
#define TMU_IOCTL_SHARE 0xffffffffu

/* The largest quota of an endpoint. */
#define TMU_IOCTL_QUOTA_MAX 0x100000u

/*
 * The state of the unit, to look at without a call: a page that is mapped by mmap with MAP_SHARED,
 * for reading only, at TMU_IOCTL_STATE_OFFSET.
 */
struct tmu_ioctl_state {
    __u32 failed; /* not 0: the unit has failed, and writes nothing any more */
};
#define TMU_IOCTL_STATE_OFFSET 0

/*
 * Takes an endpoint that is empty and nobody's.  Reserves are granted as far as slots are to be
 * had, and what was granted is answered; within it no arrival of the endpoint stalls.
 * ENOSPC: no endpoint is free.
 */
struct tmu_ioctl_take {
    __u32 size;
    __u32 reserved;
    __u32 reserve_posted;     /* wanted, and granted */
    __u32 reserve_unexpected; /* the same */
    __u32 quota_posted;       /* 0 = none */
    __u32 quota_unexpected;
    __u32 endpoint; /* answer: its number in the unit */
    __u32 serial;   /* answer: serial number of its first verdict */
};

/* Returns an endpoint; its entries are gone.  ENOENT: not the session's; EBUSY: queues are open. */
struct tmu_ioctl_give {
    __u32 size;
    __u32 endpoint;
};

/* Gives an endpoint another quota. */
struct tmu_ioctl_quota {
    __u32 size;
    __u32 endpoint;
    __u32 posted;
    __u32 unexpected;
};

/* Numbers of an endpoint's entries, and its first serial number in this session. */
struct tmu_ioctl_depth {
    __u32 size;
    __u32 endpoint;
    __u32 posted;
    __u32 unexpected;
    __u32 serial; /* of the first verdict since it was taken, or since the last tmu_ioctl_reset */
    __u32 reserved;
};

/*
 * Opens a queue: a doorbell page, a share of the command slots and a ring of completions, which is
 * locked memory of the process (RLIMIT_MEMLOCK, ENOMEM).
 * The page is mapped by mmap with MAP_SHARED at doorbell_offset, 4096 bytes.
 * A ring has 64 bytes for each of its entries, and whole pages.  With `memory` 0 it is mapped in
 * the same way at ring_offset, for reading only.  Otherwise `memory` is its address: private memory
 * of the process that no file lies under, which is pinned until the queue is closed.
 * No child gets the mappings.  ENOENT: the endpoint is not the session's; ENOSPC: no page or no
 * slots are free; EFAULT, EINVAL: the memory is not such memory; EXDEV: it is not one piece for the
 * unit, which one page always is; EOPNOTSUPP: the processor would not see what the unit writes.
 */
struct tmu_ioctl_open {
    __u32 size;
    __u32 endpoint;
    __u32 ring_log2;     /* log2 of its entries, 4 to 16 */
    __u32 commands_log2; /* log2 of its slots, 0 = up to 5; and what it has */
    __u32 page;          /* answer: number of the page, for messages */
    __u32 reserved;
    __u64 queue; /* answer: names it, never used again for another one */
    __u64 doorbell_offset;
    __u64 ring_offset; /* 0 with memory of the process */
    __u64 memory;
};

/* Closes a queue: its page is unmapped, and its commands that have not begun are lost. */
struct tmu_ioctl_close {
    __u32 size;
    __u32 reserved;
    __u64 queue;
};

/* Has an eventfd signalled for each completion of a queue; -1 ends that.  ENOSPC: it has no
 * interrupt. */
struct tmu_ioctl_event {
    __u32 size;
    __s32 fd;
    __u64 queue;
};

/* Empties the session's endpoints and begins the rings of its queues anew, all zero. */
struct tmu_ioctl_reset {
    __u32 size;
    __u32 reserved;
};

/* Copies the unit's counters, those of all sessions, in the order of their registers. */
struct tmu_ioctl_counters {
    __u32 size;
    __u32 count;  /* entries that there are; and counters that there are */
    __u64 values; /* address of __u64 */
};

#define TMU_IOCTL_TYPE 0xe7
#define TMU_IOCTL_QUERY _IOWR(TMU_IOCTL_TYPE, 0, struct tmu_ioctl_query)
#define TMU_IOCTL_TAKE _IOWR(TMU_IOCTL_TYPE, 1, struct tmu_ioctl_take)
#define TMU_IOCTL_GIVE _IOWR(TMU_IOCTL_TYPE, 2, struct tmu_ioctl_give)
#define TMU_IOCTL_QUOTA _IOWR(TMU_IOCTL_TYPE, 3, struct tmu_ioctl_quota)
#define TMU_IOCTL_DEPTH _IOWR(TMU_IOCTL_TYPE, 4, struct tmu_ioctl_depth)
#define TMU_IOCTL_OPEN _IOWR(TMU_IOCTL_TYPE, 5, struct tmu_ioctl_open)
#define TMU_IOCTL_CLOSE _IOWR(TMU_IOCTL_TYPE, 6, struct tmu_ioctl_close)
#define TMU_IOCTL_EVENT _IOWR(TMU_IOCTL_TYPE, 7, struct tmu_ioctl_event)
#define TMU_IOCTL_RESET _IOWR(TMU_IOCTL_TYPE, 8, struct tmu_ioctl_reset)
#define TMU_IOCTL_COUNTERS _IOWR(TMU_IOCTL_TYPE, 9, struct tmu_ioctl_counters)

#endif
