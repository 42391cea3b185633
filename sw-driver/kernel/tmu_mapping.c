// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a process's queues: the doorbell page to write, and the ring to read.
 *
 * A doorbell page is put into a mapping when it is touched and taken out of all when its queue is
 * closed; a touch after that finds no queue and ends in SIGBUS.
 * A ring stays as long as it is mapped, for the unit has let go of it by then.
 * The page that tells of the unit's state is the unit's, which lives as long as its open files.
 */
#include <linux/dma-mapping.h>

#include "tmu_kernel.h"

#define NAME_SHIFT (TMU_OFFSET_BITS - PAGE_SHIFT)

static vm_fault_t doorbell_fault(struct vm_fault *fault) {
    struct vm_area_struct *area = fault->vma;
    struct tmu_session *session = area->vm_private_data;
    struct tmu_unit *unit = session->unit;
    const struct tmu_queue *queue;
    vm_fault_t result = VM_FAULT_SIGBUS;
    if (mutex_lock_killable(&unit->lock)) {
        return VM_FAULT_SIGBUS;
    }
    queue = tmu_queue_find(session, area->vm_pgoff >> NAME_SHIFT);
    if (queue) {
        resource_size_t offset = (resource_size_t)queue->page * TMU_DOORBELL_PAGE_BYTES;
        result = vmf_insert_pfn(area, area->vm_start, (unit->doorbells + offset) >> PAGE_SHIFT);
    }
    mutex_unlock(&unit->lock);
    return result;
}

static int refuse_split(struct vm_area_struct *area, unsigned long address) { return -EINVAL; }

static int refuse_move(struct vm_area_struct *area) { return -EINVAL; }

static const struct vm_operations_struct doorbell_area = {
    .fault = doorbell_fault,
    .may_split = refuse_split,
    .mremap = refuse_move,
};

static void ring_opened(struct vm_area_struct *area) {
    struct tmu_ring *ring = area->vm_private_data;
    kref_get(&ring->references);
}

static void ring_closed(struct vm_area_struct *area) { tmu_ring_put(area->vm_private_data); }

static const struct vm_operations_struct ring_area = {
    .open = ring_opened,
    .close = ring_closed,
    .may_split = refuse_split,
    .mremap = refuse_move,
};

static int map_doorbell(struct tmu_session *session, struct vm_area_struct *area) {
    if (area->vm_end - area->vm_start != TMU_DOORBELL_PAGE_BYTES) {
        return -EINVAL;
    }
    area->vm_page_prot = pgprot_noncached(area->vm_page_prot);
    tmu_area_flags(area, VM_PFNMAP, 0);
    area->vm_private_data = session;
    area->vm_ops = &doorbell_area;
    return 0;
}

static int map_ring(struct tmu_queue *queue, struct vm_area_struct *area) {
    struct tmu_ring *ring = queue->ring;
    struct tmu_memory *memory = &ring->memory;
    int error;
    if (ring->pages || area->vm_end - area->vm_start != memory->bytes) {
        return -EINVAL;
    }
    if (area->vm_flags & VM_WRITE) {
        return -EACCES;
    }
    tmu_area_flags(area, 0, VM_MAYWRITE);
    area->vm_pgoff = 0; /* of the memory */
    error = dma_mmap_coherent(&ring->unit->pdev->dev, area, memory->memory, memory->address,
                              memory->bytes);
    if (!error) {
        kref_get(&ring->references);
        area->vm_private_data = ring;
        area->vm_ops = &ring_area;
    }
    return error;
}

static int map_state(const struct tmu_unit *unit, struct vm_area_struct *area) {
    if (area->vm_end - area->vm_start != PAGE_SIZE) {
        return -EINVAL;
    }
    if (area->vm_flags & VM_WRITE) {
        return -EACCES;
    }
    tmu_area_flags(area, 0, VM_MAYWRITE);
    return remap_pfn_range(area, area->vm_start, virt_to_phys(unit->state) >> PAGE_SHIFT, PAGE_SIZE,
                           area->vm_page_prot);
}

int tmu_mmap(struct file *file, struct vm_area_struct *area) {
    struct tmu_session *session = file->private_data;
    struct tmu_unit *unit = session->unit;
    unsigned long name = area->vm_pgoff >> NAME_SHIFT;
    unsigned long offset = (area->vm_pgoff & ((1ul << NAME_SHIFT) - 1)) << PAGE_SHIFT;
    struct tmu_queue *queue;
    int error = -EINVAL;
    if (session->mm != current->mm) {
        return -EPERM;
    }
    if (!(area->vm_flags & VM_SHARED)) {
        return -EINVAL;
    }
    tmu_area_flags(area, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, 0);
    if (area->vm_pgoff == TMU_IOCTL_STATE_OFFSET >> PAGE_SHIFT) { /* queues have other names */
        return map_state(unit, area);
    }
    if (mutex_lock_killable(&unit->lock)) {
        return -EINTR;
    }
    queue = tmu_queue_find(session, name);
    if (!queue) {
        error = -ENOENT;
    } else if (offset == 0) {
        error = map_doorbell(session, area);
    } else if (offset == TMU_OFFSET_RING) {
        error = map_ring(queue, area);
    }
    mutex_unlock(&unit->lock);
    return error;
}
