// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: units that are found become /dev/tmu0 and on, and go when no session is left.
 */
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "tmu_kernel.h"

#define UNITS_MAX 64

static uint spill_segments = 4;
module_param(spill_segments, uint, 0444);
MODULE_PARM_DESC(spill_segments,
                 "segments of 2 MiB registered with each unit, at most (default 4)");

uint tmu_reserve_percent = 25;
module_param_named(reserve_percent, tmu_reserve_percent, uint, 0644);
MODULE_PARM_DESC(
    reserve_percent,
    "percent of a table that one endpoint is granted in reserve, at most (default 25)");

static dev_t first_number;
static struct class *units;
static DEFINE_IDA(numbers);

static int memory_get(struct tmu_unit *unit, struct tmu_memory *memory, size_t bytes) {
    memory->bytes = bytes;
    memory->memory = dma_alloc_coherent(&unit->pdev->dev, bytes, &memory->address, GFP_KERNEL);
    return memory->memory ? 0 : -ENOMEM;
}

static void memory_put(struct tmu_unit *unit, struct tmu_memory *memory) {
    if (memory->memory) {
        dma_free_coherent(&unit->pdev->dev, memory->bytes, memory->memory, memory->address);
    }
    memory->memory = NULL;
}

/* Everything that the unit can reach, and what it is reached by; it reaches nothing any more. */
static void let_go(struct tmu_unit *unit) {
    for (u32 i = 0; i < unit->segment_count; i++) {
        memory_put(unit, &unit->segments[i]);
    }
    memory_put(unit, &unit->ring);
    if (unit->info.vectors > 0) {
        pci_free_irq_vectors(unit->pdev);
    }
    if (unit->page) {
        iounmap(unit->page);
    }
    if (unit->registers) {
        pci_iounmap(unit->pdev, unit->registers);
    }
    pci_release_regions(unit->pdev);
    pci_disable_device(unit->pdev);
}

static void unit_free(struct device *dev) {
    struct tmu_unit *unit = container_of(dev, struct tmu_unit, dev);
    ida_free(&numbers, MINOR(dev->devt));
    bitmap_free(unit->pages_open);
    bitmap_free(unit->slots_taken);
    kvfree(unit->endpoints);
    kfree(unit->segments);
    free_page((unsigned long)unit->state);
    kfree(unit);
}

/* Spill memory is a help: a unit that gets less than it was to have works as well. */
static void get_segments(struct tmu_unit *unit) {
    u32 most = 0;
    if (TMU_GET(unit->info.capabilities, TMU_CAPABILITIES_SPILL) != 0) {
        most = min(spill_segments, tmu_read(unit, TMU_REG_SPILL_SEGMENTS));
    }
    unit->segments = kcalloc(most + 1, sizeof *unit->segments, GFP_KERNEL);
    while (unit->segments && unit->segment_count < most &&
           memory_get(unit, &unit->segments[unit->segment_count], TMU_SPILL_SEGMENT_BYTES) == 0) {
        unit->segment_count++;
    }
    if (unit->segment_count < most) {
        dev_warn(&unit->pdev->dev, "memory for %u segments of %u\n", unit->segment_count, most);
    }
}

/* As many as there are; a page without a vector is polled. */
static void get_vectors(struct tmu_unit *unit) {
    int most = min_t(u32, unit->info.queues, TMU_PCI_VECTORS_MAX);
    int count = pci_alloc_irq_vectors(unit->pdev, 1, most, PCI_IRQ_MSIX);
    if (count < 0) {
        dev_warn(&unit->pdev->dev, "no interrupts (error %d)\n", -count);
    }
    unit->info.vectors = count < 0 ? 0 : count;
}

/* Finds out what the unit is, and gets what it needs. */
static int unit_prepare(struct tmu_unit *unit) {
    struct pci_dev *pdev = unit->pdev;
    resource_size_t privileged;
    int error;
    unit->registers = pci_iomap(pdev, TMU_PCI_BAR_REGISTERS, TMU_REGISTER_BYTES);
    error = unit->registers ? tmu_identify(unit) : -ENOMEM;
    if (error) {
        return error;
    }
    privileged = (resource_size_t)unit->info.queues * TMU_DOORBELL_PAGE_BYTES;
    unit->doorbells = pci_resource_start(pdev, TMU_PCI_BAR_DOORBELLS);
    if (pci_resource_len(pdev, TMU_PCI_BAR_DOORBELLS) < privileged + TMU_DOORBELL_PAGE_BYTES) {
        dev_err(&pdev->dev, "BAR %d has 0x%llx bytes, expected pages for %u queues and one more\n",
                TMU_PCI_BAR_DOORBELLS,
                (unsigned long long)pci_resource_len(pdev, TMU_PCI_BAR_DOORBELLS),
                unit->info.queues);
        return -ENODEV;
    }
    unit->page = ioremap(unit->doorbells + privileged, TMU_DOORBELL_PAGE_BYTES);
    unit->endpoints = kvcalloc(unit->info.endpoints, sizeof *unit->endpoints, GFP_KERNEL);
    unit->state = (struct tmu_ioctl_state *)get_zeroed_page(GFP_KERNEL);
    unit->pages_open = bitmap_zalloc(unit->info.queues, GFP_KERNEL);
    unit->slots_taken = bitmap_zalloc(unit->info.command_slots, GFP_KERNEL);
    if (!unit->page || !unit->endpoints || !unit->state || !unit->pages_open ||
        !unit->slots_taken || memory_get(unit, &unit->ring, PAGE_SIZE) != 0) {
        return -ENOMEM;
    }
    __set_bit(0, unit->slots_taken); /* the privileged page's */
    get_segments(unit);
    get_vectors(unit);
    return tmu_start(unit);
}

static int tmu_probe(struct pci_dev *pdev, const struct pci_device_id *id) {
    struct tmu_unit *unit = kzalloc(sizeof *unit, GFP_KERNEL);
    int number = unit ? ida_alloc_max(&numbers, UNITS_MAX - 1, GFP_KERNEL) : -ENOMEM;
    int error;
    /* A mapping has whole pages, and must not show a neighbour's. */
    BUILD_BUG_ON(PAGE_SIZE != TMU_DOORBELL_PAGE_BYTES);
    if (number < 0) {
        kfree(unit);
        return number;
    }
    unit->pdev = pdev;
    mutex_init(&unit->lock);
    init_waitqueue_head(&unit->closed);
    INIT_LIST_HEAD(&unit->open);
    device_initialize(&unit->dev);
    unit->dev.class = units;
    unit->dev.parent = &pdev->dev;
    unit->dev.devt = MKDEV(MAJOR(first_number), number);
    unit->dev.release = unit_free;
    error = dev_set_name(&unit->dev, "tmu%d", number);
    error = error ? error : pci_enable_device_mem(pdev);
    if (error) {
        goto put;
    }
    error = pci_request_regions(pdev, KBUILD_MODNAME);
    if (error) {
        pci_disable_device(pdev);
        goto put;
    }
    error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
    dma_set_max_seg_size(&pdev->dev, UINT_MAX); /* a ring is one piece, whatever its pages are */
    mutex_lock(&unit->lock);
    error = error ? error : unit_prepare(unit);
    mutex_unlock(&unit->lock);
    if (error) {
        goto stop;
    }
    pci_save_state(pdev); /* what a reset of the slot begins with */
    cdev_init(&unit->cdev, &tmu_files);
    unit->cdev.owner = THIS_MODULE;
    pci_set_drvdata(pdev, unit);
    error = cdev_device_add(&unit->cdev, &unit->dev);
    if (error) {
        goto stop;
    }
    dev_info(&pdev->dev, "%s: %u endpoints, %u queues, %u interrupts, %u segments of memory\n",
             dev_name(&unit->dev), unit->info.endpoints, unit->info.queues, unit->info.vectors,
             unit->segment_count);
    return 0;

stop:
    pci_clear_master(pdev);
    let_go(unit);
put:
    put_device(&unit->dev);
    return error;
}

/* Waits for those that still use the unit: their rings and pages are in their memory. */
static void tmu_remove(struct pci_dev *pdev) {
    struct tmu_unit *unit = pci_get_drvdata(pdev);
    mutex_lock(&unit->lock);
    unit->gone = true;
    mutex_unlock(&unit->lock);
    cdev_device_del(&unit->cdev, &unit->dev);
    wait_event(unit->closed, READ_ONCE(unit->sessions) == 0);
    mutex_lock(&unit->lock);
    tmu_stop(unit);
    mutex_unlock(&unit->lock);
    let_go(unit);
    put_device(&unit->dev);
}

/* Nothing that runs on reaches memory, and nobody starts the unit anew. */
static void tmu_shutdown(struct pci_dev *pdev) {
    struct tmu_unit *unit = pci_get_drvdata(pdev);
    mutex_lock(&unit->lock);
    unit->gone = true;
    unit->failed = true;
    pci_clear_master(pdev);
    mutex_unlock(&unit->lock);
}

/* Whoever resets the function takes away what sessions have in the unit: they are told. */
static void tmu_reset_prepare(struct pci_dev *pdev) {
    struct tmu_unit *unit = pci_get_drvdata(pdev);
    mutex_lock(&unit->lock);
    (void)tmu_fail(unit, "it was reset from outside");
    mutex_unlock(&unit->lock);
}

/* With no session it works again at once. */
static void tmu_reset_done(struct pci_dev *pdev) {
    struct tmu_unit *unit = pci_get_drvdata(pdev);
    mutex_lock(&unit->lock);
    if (unit->sessions == 0 && !unit->gone) {
        (void)tmu_start(unit);
    }
    mutex_unlock(&unit->lock);
}

/* An error of the bus: what sessions have in the unit is lost, whatever comes after it. */
static pci_ers_result_t tmu_error_detected(struct pci_dev *pdev, pci_channel_state_t state) {
    struct tmu_unit *unit = pci_get_drvdata(pdev);
    mutex_lock(&unit->lock);
    (void)tmu_fail(unit, "an error of the bus");
    mutex_unlock(&unit->lock);
    return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT
                                                : PCI_ERS_RESULT_NEED_RESET;
}

/* The function has lost its configuration, which is that of probe again. */
static pci_ers_result_t tmu_slot_reset(struct pci_dev *pdev) {
    if (pci_enable_device_mem(pdev) != 0) {
        return PCI_ERS_RESULT_DISCONNECT;
    }
    pci_restore_state(pdev);
    pci_save_state(pdev);
    pci_clear_master(pdev); /* tmu_start lets it reach memory again */
    return PCI_ERS_RESULT_RECOVERED;
}

static const struct pci_error_handlers errors = {
    .error_detected = tmu_error_detected,
    .slot_reset = tmu_slot_reset,
    .resume = tmu_reset_done,
    .reset_prepare = tmu_reset_prepare,
    .reset_done = tmu_reset_done,
};

/* A unit without power forgets what sessions have in it: they are told, and none begins before it
 * works again.  PCI's own part, which includes its configuration, is Linux'. */
static int tmu_suspend(struct device *dev) {
    struct tmu_unit *unit = pci_get_drvdata(to_pci_dev(dev));
    mutex_lock(&unit->lock);
    if (unit->sessions > 0) {
        (void)tmu_fail(unit, "the machine sleeps, and the unit forgets what it had");
    } else {
        tmu_stop(unit);
    }
    mutex_unlock(&unit->lock);
    return 0;
}

/* Without power it may not be what it was: if it does not start, the next session tries again. */
static int tmu_resume(struct device *dev) {
    tmu_reset_done(to_pci_dev(dev));
    return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(sleeps, tmu_suspend, tmu_resume);

static const struct pci_device_id ids[] = {
    {PCI_DEVICE(TMU_PCI_VENDOR, TMU_PCI_DEVICE), .class = TMU_PCI_CLASS, .class_mask = 0xffffff},
    {0},
};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver driver = {
    .name = KBUILD_MODNAME,
    .id_table = ids,
    .probe = tmu_probe,
    .remove = tmu_remove,
    .shutdown = tmu_shutdown,
    .err_handler = &errors,
    .driver.pm = pm_sleep_ptr(&sleeps),
};

static int __init tmu_init(void) {
    int error = alloc_chrdev_region(&first_number, 0, UNITS_MAX, KBUILD_MODNAME);
    if (error) {
        return error;
    }
    units = TMU_CLASS_CREATE(KBUILD_MODNAME);
    error = PTR_ERR_OR_ZERO(units);
    if (error) {
        goto region;
    }
    error = pci_register_driver(&driver);
    if (error) {
        goto class;
    }
    return 0;

    class : class_destroy(units);
region:
    unregister_chrdev_region(first_number, UNITS_MAX);
    return error;
}

static void __exit tmu_exit(void) {
    pci_unregister_driver(&driver);
    class_destroy(units);
    unregister_chrdev_region(first_number, UNITS_MAX);
}

module_init(tmu_init);
module_exit(tmu_exit);

MODULE_DESCRIPTION("OpenTMU tag-matching unit, shared by processes");
MODULE_LICENSE("GPL");
