// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of completions: memory of the module that a process maps, or memory of the process that is
 * pinned.  Either is locked memory of the process, and all here is without the unit's lock but for
 * tmu_ring_put and tmu_ring_clear.
 *
 * The unit takes one address for a ring.  Pages of a process lie side by side for it where an IOMMU
 * puts them so, where there is one page alone, or where they are one large page.
 * Whatever a process does with pinned memory meanwhile, the pages stay until the unit has let go of
 * the ring; the unit writes into nothing else.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/highmem.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "tmu_kernel.h"

static unsigned int pages_of(const struct tmu_ring *ring) {
    return ring->memory.bytes >> PAGE_SHIFT;
}

static struct device *device_of(const struct tmu_ring *ring) { return &ring->unit->pdev->dev; }

/* Whether a process sees what the unit writes, as it is written: not by way of a copy. */
static bool sees_at_once(struct device *dev) {
    return dev_is_dma_coherent(dev) && dma_max_mapping_size(dev) == SIZE_MAX;
}

/* Gives pages an address of the unit's; EXDEV: they would have several. */
static int pages_map(struct tmu_ring *ring, struct page **pages) {
    struct device *dev = device_of(ring);
    int error = sg_alloc_table_from_pages(&ring->table, pages, pages_of(ring), 0,
                                          ring->memory.bytes, GFP_KERNEL_ACCOUNT);
    if (error) {
        return error;
    }
    error = dma_map_sgtable(dev, &ring->table, DMA_BIDIRECTIONAL, 0);
    if (!error && ring->table.nents != 1) {
        dma_unmap_sgtable(dev, &ring->table, DMA_BIDIRECTIONAL, 0);
        error = -EXDEV;
    }
    if (error) {
        sg_free_table(&ring->table);
        return error;
    }
    ring->memory.address = sg_dma_address(ring->table.sgl);
    ring->pages = pages;
    return 0;
}

/*
 * Has the ring in private memory of the process, which may be written.
 * EFAULT: it may not, or is not there; EINVAL: it is a file's, or does not begin with a page.
 */
static int memory_pin(struct tmu_ring *ring, u64 address) {
    int count = pages_of(ring);
    int pinned = 0;
    int error = 0;
    struct page **pages;
    if (!PAGE_ALIGNED(address)) {
        return -EINVAL;
    }
    if (!sees_at_once(device_of(ring))) {
        return -EOPNOTSUPP;
    }
    pages = kvmalloc_array(count, sizeof *pages, GFP_KERNEL_ACCOUNT);
    if (!pages) {
        return -ENOMEM;
    }
    pinned = pin_user_pages_fast(address, count, FOLL_WRITE | FOLL_LONGTERM, pages);
    if (pinned != count) {
        error = pinned < 0 ? pinned : -EFAULT;
    }
    for (int i = 0; i < pinned; i++) {
        error = error || PageAnon(pages[i]) ? error : -EINVAL;
    }
    error = error ? error : pages_map(ring, pages);
    if (error) {
        if (pinned > 0) {
            unpin_user_pages(pages, pinned);
        }
        kvfree(pages);
    }
    return error;
}

static void memory_unpin(struct tmu_ring *ring) {
    dma_unmap_sgtable(device_of(ring), &ring->table, DMA_BIDIRECTIONAL, 0);
    sg_free_table(&ring->table);
    unpin_user_pages_dirty_lock(ring->pages, pages_of(ring), true);
    kvfree(ring->pages);
}

static void ring_free(struct kref *references) {
    struct tmu_ring *ring = container_of(references, struct tmu_ring, references);
    const struct tmu_memory *memory = &ring->memory;
    if (ring->pages) {
        memory_unpin(ring);
    } else if (memory->memory) {
        dma_free_coherent(device_of(ring), memory->bytes, memory->memory, memory->address);
    }
    atomic64_sub(pages_of(ring), &ring->mm->pinned_vm);
    mmdrop(ring->mm);
    kfree(ring);
}

void tmu_ring_put(struct tmu_ring *ring) { kref_put(&ring->references, ring_free); }

/* The unit does not write into it: its page is disabled. */
void tmu_ring_clear(struct tmu_ring *ring) {
    if (!ring->pages) {
        memset(ring->memory.memory, 0, ring->memory.bytes);
        return;
    }
    for (unsigned int i = 0; i < pages_of(ring); i++) {
        clear_highpage(ring->pages[i]);
    }
    dma_sync_sgtable_for_device(device_of(ring), &ring->table, DMA_BIDIRECTIONAL);
}

/* With an address it is the process's memory there, else the module's. */
static int memory_get(struct tmu_ring *ring, u64 address) {
    struct tmu_memory *memory = &ring->memory;
    u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
    if (atomic64_read(&ring->mm->pinned_vm) > limit && !capable(CAP_IPC_LOCK)) {
        return -ENOMEM;
    }
    if (address) {
        return memory_pin(ring, address);
    }
    memory->memory = dma_alloc_coherent(device_of(ring), memory->bytes, &memory->address,
                                        GFP_KERNEL | __GFP_NOWARN);
    return memory->memory ? 0 : -ENOMEM;
}

struct tmu_ring *tmu_ring_create(struct tmu_session *session, u32 log2, u64 address) {
    struct tmu_ring *ring = kzalloc(sizeof *ring, GFP_KERNEL_ACCOUNT);
    int error;
    if (!ring) {
        return ERR_PTR(-ENOMEM);
    }
    ring->memory.bytes = PAGE_ALIGN((size_t)TMU_DOORBELL_COMMAND_BYTES << log2);
    kref_init(&ring->references);
    ring->unit = session->unit;
    ring->mm = session->mm;
    mmgrab(ring->mm);
    atomic64_add(pages_of(ring), &ring->mm->pinned_vm);
    error = memory_get(ring, address);
    if (error) {
        tmu_ring_put(ring);
        return ERR_PTR(error);
    }
    return ring;
}
