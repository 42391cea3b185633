// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sequences of registers.  Each leaves the unit between two of its actions, or marks it as failed.
 */
#include <linux/delay.h>
#include <linux/io.h>

#include "tmu_kernel.h"

/* A queue whose owner does not read its ring may hold up all others for RING_PATIENCE clocks: a
 * good part of a second on a card, and minutes in a simulation.  While the module waits for such
 * queues it is this much, a millisecond on a card: an owner that reads keeps its queue, and
 * thousands that do not are through before the module's own patience ends. */
#define RING_PATIENCE_HURRIED (1u << 18)

/* Of a wait with patience: how often the clocks of the unit are looked at when its time is over,
 * and when it ends whatever they say. */
#define LOOK_MS 1000
#define LONGEST_MS 60000u

u32 tmu_read(const struct tmu_unit *unit, u32 offset) { return readl(unit->registers + offset); }

void tmu_write(const struct tmu_unit *unit, u32 offset, u32 value) {
    writel(value, unit->registers + offset);
}

/* Whoever sleeps until something is answered wakes up, looks at the state and learns it. */
static void wake_all(const struct tmu_unit *unit) {
    const struct tmu_session *session;
    const struct tmu_queue *queue;
    list_for_each_entry(session, &unit->open, node) {
        list_for_each_entry(queue, &session->queues, node) {
            if (queue->event) {
                tmu_event_signal(queue->event);
            }
        }
    }
}

/* Cuts the unit off from memory, so that whatever it does harms nobody, and says why. */
int tmu_fail(struct tmu_unit *unit, const char *why) {
    if (!unit->failed) {
        dev_err(&unit->pdev->dev,
                "the unit has failed: %s; it starts anew when all have closed it\n", why);
        pci_clear_master(unit->pdev);
        unit->failed = true;
        smp_store_release(&unit->state->failed, 1);
        wake_all(unit);
    }
    return -EIO;
}

static u64 clocks_read(struct tmu_unit *unit) {
    u64 high;
    tmu_write(unit, TMU_REG_CONTROL, TMU_BITS(TMU_CONTROL_SNAPSHOT, 1));
    high = tmu_read(unit, TMU_REG_COUNTER_CLOCKS_HI);
    return high << 32 | tmu_read(unit, TMU_REG_COUNTER_CLOCKS_LO);
}

struct tmu_wait tmu_wait_begin(struct tmu_unit *unit, u32 ms) {
    struct tmu_wait wait = {
        .end = jiffies + msecs_to_jiffies(ms),
        .last = jiffies + msecs_to_jiffies(max(ms, LONGEST_MS)),
        .patient = ms == TMU_PATIENCE_MS,
    };
    if (wait.patient) {
        wait.seen = clocks_read(unit);
        wait.clocks = wait.seen + (u64)(unit->info.queues + 1) * RING_PATIENCE_HURRIED;
    }
    return wait;
}

bool tmu_wait_over(struct tmu_unit *unit, struct tmu_wait *wait) {
    u64 now;
    if (!time_after(jiffies, wait->end)) {
        return false;
    }
    if (!wait->patient || time_after(jiffies, wait->last)) {
        return true;
    }
    now = clocks_read(unit);
    if (now == wait->seen || now >= wait->clocks) {
        return true;
    }
    wait->seen = now;
    wait->end = jiffies + msecs_to_jiffies(LOOK_MS);
    return false;
}

/* Waits until `mask` of a register reads as `value`; ETIME, and nothing is marked. */
static int wait_ms(struct tmu_unit *unit, u32 offset, u32 mask, u32 value, u32 ms) {
    struct tmu_wait wait = tmu_wait_begin(unit, ms);
    for (;;) {
        bool late = tmu_wait_over(unit, &wait);
        u32 now = tmu_read(unit, offset);
        if ((now & mask) == value && now != U32_MAX) {
            return 0;
        }
        if (late || pci_channel_offline(unit->pdev)) {
            return -ETIME;
        }
        usleep_range(10, 50);
    }
}

void tmu_hurry(struct tmu_unit *unit, bool hurry) {
    tmu_write(unit, TMU_REG_RING_PATIENCE,
              hurry ? RING_PATIENCE_HURRIED : TMU_RING_PATIENCE_INITIAL);
}

static int wait_for(struct tmu_unit *unit, u32 offset, u32 mask, u32 value, const char *what) {
    return wait_ms(unit, offset, mask, value, TMU_PATIENCE_MS) == 0 ? 0 : tmu_fail(unit, what);
}

/* Reads the discovery registers; the query keeps 0 for one that the unit lacks. */
static void discover(struct tmu_unit *unit, struct tmu_ioctl_query *info, u32 minor) {
    static const struct {
        size_t member;
        u32 offset;
        u32 since;
        u32 needs;
    } rows[] = {
#define ROW(member, offset, since, needs, older)                                                   \
    {offsetof(struct tmu_ioctl_query, member), offset, since, needs},
        TMU_DISCOVERY_TABLE(ROW)
#undef ROW
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (minor >= rows[i].since && (rows[i].needs & ~info->capabilities) == 0) {
            *(u32 *)((char *)info + rows[i].member) = tmu_read(unit, rows[i].offset);
        }
    }
}

int tmu_identify(struct tmu_unit *unit) {
    struct device *dev = &unit->pdev->dev;
    struct tmu_ioctl_query *info = &unit->info;
    u32 magic = tmu_read(unit, TMU_REG_MAGIC);
    u32 version = tmu_read(unit, TMU_REG_INTERFACE_VERSION);
    u32 major = TMU_GET(version, TMU_INTERFACE_VERSION_MAJOR);
    if (magic != TMU_MAGIC) {
        dev_err(dev, "no tag-matching unit: magic is 0x%08x, expected 0x%08x\n", magic, TMU_MAGIC);
        return -ENODEV;
    }
    if (major != TMU_INTERFACE_MAJOR) {
        dev_err(dev,
                "the unit speaks interface %u.%u, this module %d.%d: the major versions must be "
                "equal; load the module that came with the unit\n",
                major, TMU_GET(version, TMU_INTERFACE_VERSION_MINOR), TMU_INTERFACE_MAJOR,
                TMU_INTERFACE_MINOR);
        return -ENODEV;
    }
    *info = (struct tmu_ioctl_query){
        .size = sizeof *info,
        .version = TMU_IOCTL_VERSION,
        .interface_version = version,
    };
    discover(unit, info, TMU_GET(version, TMU_INTERFACE_VERSION_MINOR));
    /* Sizes of the module's own tables: what no unit can have would be memory for nothing. */
    if (info->endpoints < 1 || info->endpoints > 1 << 20 || info->queues < 1 ||
        info->queues > 1 << 20 || info->command_slots < 2 || info->command_slots > 1 << 20 ||
        info->match_bits < 1 || info->match_bits > 64 || info->source_bits < 1 ||
        info->source_bits > 32) {
        dev_err(dev,
                "the discovery block makes no sense: %u endpoints, %u queues, %u command slots, "
                "%u match bits, %u source bits\n",
                info->endpoints, info->queues, info->command_slots, info->match_bits,
                info->source_bits);
        return -ENODEV;
    }
    return 0;
}

/* Registers the memory that there is with the unit, in the same order each time. */
static int register_segments(struct tmu_unit *unit) {
    for (u32 i = 0; i < unit->segment_count; i++) {
        dma_addr_t address = unit->segments[i].address;
        u32 status;
        tmu_write(unit, TMU_REG_SPILL_BASE_LO, lower_32_bits(address));
        tmu_write(unit, TMU_REG_SPILL_BASE_HI, upper_32_bits(address));
        tmu_write(unit, TMU_REG_SPILL_COMMIT, TMU_BITS(TMU_SPILL_COMMIT_ADD, 1));
        status = tmu_read(unit, TMU_REG_SPILL_STATUS);
        if (TMU_GET(status, TMU_SPILL_STATUS_ERROR) != 0 ||
            TMU_GET(status, TMU_SPILL_STATUS_SEGMENTS) != i + 1) {
            return tmu_fail(unit, "it did not take a segment of memory");
        }
    }
    return 0;
}

static int reset(struct tmu_unit *unit) {
    u32 ready = TMU_BITS(TMU_STATUS_READY, 1);
    tmu_write(unit, TMU_REG_CONTROL, TMU_BITS(TMU_CONTROL_RESET, 1));
    return wait_for(unit, TMU_REG_STATUS, ready, ready, "its reset does not end");
}

/* The windows of the filter are of no session: those of MPI, as after power-on. */
static void filter_set(struct tmu_unit *unit) {
    tmu_write(unit, TMU_REG_FILTER_SOURCE, TMU_FILTER_SOURCE_INITIAL);
    tmu_write(unit, TMU_REG_FILTER_LOW_LO, TMU_FILTER_LOW_LO_INITIAL);
    tmu_write(unit, TMU_REG_FILTER_LOW_HI, 0);
    tmu_write(unit, TMU_REG_FILTER_HIGH_LO, 0);
    tmu_write(unit, TMU_REG_FILTER_HIGH_HI, TMU_FILTER_HIGH_HI_INITIAL);
}

/* Empties the unit and sets it up for sessions; there is none. */
int tmu_start(struct tmu_unit *unit) {
    int error;
    unit->failed = false;
    WRITE_ONCE(unit->state->failed, 0); /* no session has it mapped */
    error = reset(unit);
    if (error) {
        return error;
    }
    for (u32 i = 0; i < unit->info.endpoints; i++) {
        unit->endpoints[i] = (struct tmu_endpoint){0};
    }
    unit->reserved = (struct tmu_entries){0};
    filter_set(unit);
    tmu_hurry(unit, false);
    pci_set_master(unit->pdev);
    error = register_segments(unit);
    return error ? error : tmu_privileged_open(unit);
}

/* The unit lets go of all memory. */
void tmu_stop(struct tmu_unit *unit) {
    if (!unit->failed) {
        (void)reset(unit);
    }
    pci_clear_master(unit->pdev);
}

int tmu_page_set(struct tmu_unit *unit, const struct tmu_page *page) {
    u32 busy = TMU_BITS(TMU_PAGE_STATUS_BUSY, 1);
    int error;
    if (unit->failed) {
        return -EIO;
    }
    tmu_write(unit, TMU_REG_PAGE_SELECT, page->number);
    tmu_write(unit, TMU_REG_RING_BASE_LO, lower_32_bits(page->ring));
    tmu_write(unit, TMU_REG_RING_BASE_HI, upper_32_bits(page->ring));
    tmu_write(unit, TMU_REG_RING_CONFIG,
              TMU_BITS(TMU_RING_CONFIG_LOG2, page->ring_log2) |
                  TMU_BITS(TMU_RING_CONFIG_ENABLE, page->enable));
    tmu_write(unit, TMU_REG_PAGE_ENDPOINT, page->endpoint);
    tmu_write(unit, TMU_REG_QUEUE_CONFIG,
              TMU_BITS(TMU_QUEUE_CONFIG_FIRST, page->first) |
                  TMU_BITS(TMU_QUEUE_CONFIG_LOG2, page->commands_log2));
    tmu_write(unit, TMU_REG_PAGE_COMMIT, TMU_BITS(TMU_PAGE_COMMIT_COMMIT, 1));
    error = wait_ms(unit, TMU_REG_PAGE_STATUS, busy, 0, TMU_RING_WAIT_MS);
    if (error) {
        tmu_hurry(unit, true);
        error = wait_for(unit, TMU_REG_PAGE_STATUS, busy, 0, "a page is not taken over");
        tmu_hurry(unit, false);
    }
    if (!error && TMU_GET(tmu_read(unit, TMU_REG_PAGE_STATUS), TMU_PAGE_STATUS_ERROR) != 0) {
        error = tmu_fail(unit, "it does not take the configuration of a page");
    }
    return error;
}

static int endpoint_command(struct tmu_unit *unit, u32 endpoint, u32 command) {
    u32 busy = TMU_BITS(TMU_ENDPOINT_STATUS_BUSY, 1);
    int error;
    if (unit->failed) {
        return -EIO;
    }
    tmu_write(unit, TMU_REG_ENDPOINT_SELECT, endpoint);
    tmu_write(unit, TMU_REG_ENDPOINT_COMMAND, command);
    error = wait_for(unit, TMU_REG_ENDPOINT_STATUS, busy, 0, "an endpoint's command does not end");
    if (!error &&
        TMU_GET(tmu_read(unit, TMU_REG_ENDPOINT_STATUS), TMU_ENDPOINT_STATUS_ERROR) != 0) {
        error = tmu_fail(unit, "it does not know an endpoint that it has");
    }
    return error;
}

int tmu_limits_set(struct tmu_unit *unit, u32 endpoint, struct tmu_entries quota,
                   struct tmu_entries reserve) {
    tmu_write(unit, TMU_REG_QUOTA_POSTED, quota.posted);
    tmu_write(unit, TMU_REG_QUOTA_UNEXPECTED, quota.unexpected);
    if (TMU_GET(unit->info.capabilities, TMU_CAPABILITIES_RESERVE) != 0) {
        tmu_write(unit, TMU_REG_RESERVE_POSTED, reserve.posted);
        tmu_write(unit, TMU_REG_RESERVE_UNEXPECTED, reserve.unexpected);
    }
    return endpoint_command(unit, endpoint, TMU_BITS(TMU_ENDPOINT_COMMAND_SET_QUOTA, 1));
}

int tmu_depth_read(struct tmu_unit *unit, u32 endpoint, struct tmu_entries *depth_p) {
    int error = endpoint_command(unit, endpoint, TMU_BITS(TMU_ENDPOINT_COMMAND_READ_DEPTH, 1));
    if (!error) {
        depth_p->posted = tmu_read(unit, TMU_REG_DEPTH_POSTED);
        depth_p->unexpected = tmu_read(unit, TMU_REG_DEPTH_UNEXPECTED);
    }
    return error;
}

u32 tmu_counters_read(struct tmu_unit *unit, u64 *values, u32 room) {
    static const u32 offsets[] = {
#define ROW(name, offset) offset,
        TMU_COUNTER_TABLE(ROW)
#undef ROW
    };
    tmu_write(unit, TMU_REG_CONTROL, TMU_BITS(TMU_CONTROL_SNAPSHOT, 1));
    for (u32 i = 0; i < room && i < ARRAY_SIZE(offsets); i++) {
        u64 high = tmu_read(unit, offsets[i] + 4);
        values[i] = high << 32 | tmu_read(unit, offsets[i]);
    }
    return ARRAY_SIZE(offsets);
}
