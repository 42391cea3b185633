// SPDX-License-Identifier: GPL-2.0-only
/*
 * An open file: what may be asked by it, and how it ends.
 */
#include <linux/fs.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "tmu_kernel.h"

#define COUNTERS_MAX 256

/* Every call's structure fits; all begin with their size. */
union arguments {
    u32 size;
    struct tmu_ioctl_query query;
    struct tmu_ioctl_take take;
    struct tmu_ioctl_give give;
    struct tmu_ioctl_quota quota;
    struct tmu_ioctl_depth depth;
    struct tmu_ioctl_open open;
    struct tmu_ioctl_close close;
    struct tmu_ioctl_event event;
    struct tmu_ioctl_reset reset;
    struct tmu_ioctl_counters counters;
};

/* ---- calls that hold the unit's lock --------------------------------------------------------- */

static int query(struct tmu_session *session, union arguments *arguments) {
    struct tmu_unit *unit = session->unit;
    if (arguments->query.tag_bits != 0) {
        return -EINVAL;
    }
    arguments->query = unit->info;
    arguments->query.spill_segments = unit->segment_count;
    arguments->query.spill_free = unit->segment_count ? tmu_read(unit, TMU_REG_SPILL_FREE) : 0;
    return 0;
}

static int take(struct tmu_session *session, union arguments *arguments) {
    const struct tmu_ioctl_take *take = &arguments->take;
    if (take->reserved != 0 || take->quota_posted > TMU_IOCTL_QUOTA_MAX ||
        take->quota_unexpected > TMU_IOCTL_QUOTA_MAX) {
        return -EINVAL;
    }
    return tmu_endpoint_take(session, &arguments->take);
}

static int give(struct tmu_session *session, union arguments *arguments) {
    u32 number = arguments->give.endpoint;
    const struct tmu_queue *queue;
    if (!tmu_endpoint_find(session, number)) {
        return -ENOENT;
    }
    list_for_each_entry(queue, &session->queues, node) {
        if (queue->endpoint == number) {
            return -EBUSY;
        }
    }
    tmu_endpoint_give(session->unit, number);
    return 0;
}

static int quota(struct tmu_session *session, union arguments *arguments) {
    const struct tmu_ioctl_quota *asked = &arguments->quota;
    const struct tmu_entries quota = {asked->posted, asked->unexpected};
    const struct tmu_endpoint *endpoint = tmu_endpoint_find(session, asked->endpoint);
    if (quota.posted > TMU_IOCTL_QUOTA_MAX || quota.unexpected > TMU_IOCTL_QUOTA_MAX) {
        return -EINVAL;
    }
    return endpoint ? tmu_limits_set(session->unit, asked->endpoint, quota, endpoint->reserve)
                    : -ENOENT;
}

static int depth(struct tmu_session *session, union arguments *arguments) {
    struct tmu_ioctl_depth *answer = &arguments->depth;
    const struct tmu_endpoint *endpoint = tmu_endpoint_find(session, answer->endpoint);
    struct tmu_entries depth;
    int error;
    if (answer->reserved != 0) {
        return -EINVAL;
    }
    if (!endpoint) {
        return -ENOENT;
    }
    error = tmu_depth_read(session->unit, answer->endpoint, &depth);
    if (!error) {
        answer->posted = depth.posted;
        answer->unexpected = depth.unexpected;
        answer->serial = endpoint->first;
    }
    return error;
}

static int close_queue(struct tmu_session *session, union arguments *arguments) {
    struct tmu_queue *queue = tmu_queue_find(session, arguments->close.queue);
    if (arguments->close.reserved != 0) {
        return -EINVAL;
    }
    if (!queue) {
        return -ENOENT;
    }
    tmu_queue_close(queue);
    return 0;
}

static int reset(struct tmu_session *session, union arguments *arguments) {
    struct tmu_unit *unit = session->unit;
    struct tmu_queue *queue;
    int error = 0;
    if (arguments->reset.reserved != 0) {
        return -EINVAL;
    }
    list_for_each_entry(queue, &session->queues, node) {
        error = error ? error : tmu_queue_enable(queue, false);
    }
    for (u32 i = 0; i < unit->info.endpoints && !error; i++) {
        if (unit->endpoints[i].session == session) {
            error = tmu_endpoint_empty(unit, i);
        }
    }
    list_for_each_entry(queue, &session->queues, node) {
        error = error ? error : tmu_queue_enable(queue, true);
    }
    return error;
}

static const struct {
    unsigned int command;
    int (*call)(struct tmu_session *session, union arguments *arguments);
} calls[] = {
    {TMU_IOCTL_QUERY, query}, {TMU_IOCTL_TAKE, take},   {TMU_IOCTL_GIVE, give},
    {TMU_IOCTL_QUOTA, quota}, {TMU_IOCTL_DEPTH, depth}, {TMU_IOCTL_CLOSE, close_queue},
    {TMU_IOCTL_RESET, reset},
};

static int call_locked(struct tmu_session *session, unsigned int command,
                       union arguments *arguments) {
    struct tmu_unit *unit = session->unit;
    int error = -ENOTTY;
    if (mutex_lock_killable(&unit->lock)) {
        return -EINTR;
    }
    for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
        if (calls[i].command == command) {
            /* A unit that has failed is not spoken to; what is closed then needs no word. */
            bool speaks = command != TMU_IOCTL_CLOSE && command != TMU_IOCTL_GIVE;
            error = unit->failed && speaks ? -EIO : calls[i].call(session, arguments);
        }
    }
    mutex_unlock(&unit->lock);
    return error;
}

/* ---- calls that need memory of the process, or memory at all --------------------------------- */

static int open_queue(struct tmu_session *session, struct tmu_ioctl_open *open) {
    struct tmu_unit *unit = session->unit;
    struct tmu_queue *queue;
    struct tmu_ring *ring;
    int error;
    if (open->reserved != 0 || open->ring_log2 < TMU_RING_LOG2_MIN ||
        open->ring_log2 > TMU_RING_LOG2_MAX ||
        open->commands_log2 > ilog2(unit->info.command_slots)) {
        return -EINVAL;
    }
    queue = kzalloc(sizeof *queue, GFP_KERNEL_ACCOUNT);
    ring = queue ? tmu_ring_create(session, open->ring_log2, open->memory) : ERR_PTR(-ENOMEM);
    if (IS_ERR(ring)) {
        kfree(queue);
        return PTR_ERR(ring);
    }
    queue->ring = ring;
    error = mutex_lock_killable(&unit->lock);
    if (!error) {
        error = unit->failed ? -EIO : tmu_queue_open(session, open, queue);
        mutex_unlock(&unit->lock);
    }
    if (error) {
        tmu_ring_put(ring);
        kfree(queue);
    }
    return error;
}

static int set_event(struct tmu_session *session, const struct tmu_ioctl_event *asked) {
    struct tmu_unit *unit = session->unit;
    struct eventfd_ctx *event = asked->fd == -1 ? NULL : eventfd_ctx_fdget(asked->fd);
    struct tmu_queue *queue;
    int error = -ENOENT;
    if (IS_ERR(event)) {
        return PTR_ERR(event);
    }
    if (mutex_lock_killable(&unit->lock)) {
        if (event) {
            eventfd_ctx_put(event);
        }
        return -EINTR;
    }
    queue = tmu_queue_find(session, asked->queue);
    if (queue) {
        error = tmu_queue_event(queue, event);
    } else if (event) {
        eventfd_ctx_put(event);
    }
    mutex_unlock(&unit->lock);
    return error;
}

static int counters(struct tmu_session *session, struct tmu_ioctl_counters *asked) {
    struct tmu_unit *unit = session->unit;
    u32 room = min_t(u32, asked->count, COUNTERS_MAX);
    u64 *values = kcalloc(COUNTERS_MAX, sizeof *values, GFP_KERNEL);
    int error = values ? mutex_lock_killable(&unit->lock) : -ENOMEM;
    if (!error) {
        error = unit->failed ? -EIO : 0;
        asked->count = error ? 0 : tmu_counters_read(unit, values, room);
        mutex_unlock(&unit->lock);
    }
    room = min(room, asked->count);
    if (!error && copy_to_user(u64_to_user_ptr(asked->values), values, room * sizeof *values)) {
        error = -EFAULT;
    }
    kfree(values);
    return error;
}

static long tmu_ioctl(struct file *file, unsigned int command, unsigned long address) {
    struct tmu_session *session = file->private_data;
    void __user *user = (void __user *)address;
    union arguments arguments = {0};
    size_t size = _IOC_SIZE(command);
    int error;
    if (session->mm != current->mm) {
        return -EPERM;
    }
    if (_IOC_TYPE(command) != TMU_IOCTL_TYPE || size < sizeof arguments.size ||
        size > sizeof arguments) {
        return -ENOTTY;
    }
    if (copy_from_user(&arguments, user, size)) {
        return -EFAULT;
    }
    if (arguments.size != size) {
        return -EINVAL;
    }
    switch (command) {
    case TMU_IOCTL_OPEN:
        error = open_queue(session, &arguments.open);
        break;
    case TMU_IOCTL_EVENT:
        error = set_event(session, &arguments.event);
        break;
    case TMU_IOCTL_COUNTERS:
        error = counters(session, &arguments.counters);
        break;
    default:
        error = call_locked(session, command, &arguments);
    }
    return error == 0 && copy_to_user(user, &arguments, size) ? -EFAULT : error;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Counts one more session, if the unit can have one. */
static int join(struct tmu_unit *unit, struct tmu_session *session) {
    if (unit->gone) {
        return -ENODEV;
    }
    /* The unit did not start when the last session ended: maybe it does at this try. */
    if (unit->failed && (unit->sessions > 0 || tmu_start(unit) != 0)) {
        return -EIO;
    }
    unit->sessions++;
    list_add(&session->node, &unit->open);
    return 0;
}

static int tmu_open(struct inode *inode, struct file *file) {
    struct tmu_unit *unit = container_of(inode->i_cdev, struct tmu_unit, cdev);
    struct tmu_session *session;
    int error = current->mm ? 0 : -EINVAL; /* a kernel thread has no memory to map into */
    session = error ? NULL : kzalloc(sizeof *session, GFP_KERNEL_ACCOUNT);
    if (!session) {
        return error ? error : -ENOMEM;
    }
    session->unit = unit;
    session->mm = current->mm;
    session->mapping = file->f_mapping;
    INIT_LIST_HEAD(&session->queues);
    error = mutex_lock_killable(&unit->lock);
    if (!error) {
        error = join(unit, session);
        mutex_unlock(&unit->lock);
    }
    if (error) {
        kfree(session);
        return error;
    }
    mmgrab(session->mm);
    file->private_data = session;
    return nonseekable_open(inode, file);
}

/* Whether something is left that only a reset of the unit mends; no session is open. */
static bool needs_reset(const struct tmu_unit *unit) {
    bool needs = unit->failed;
    for (u32 i = 0; i < unit->info.endpoints; i++) {
        needs = needs || unit->endpoints[i].withheld;
    }
    return needs;
}

/* Lets go of the unit's lock for a moment, so that nobody waits for a whole session's end. */
static void give_way(struct tmu_unit *unit) {
    mutex_unlock(&unit->lock);
    cond_resched();
    mutex_lock(&unit->lock);
}

/* The last reference to the file is gone, those of its mappings as well: nobody can ring any more,
 * and nobody else changes what the session has.
 * First the queues end, so that nothing comes, then what they have left behind is removed. */
static int tmu_release(struct inode *inode, struct file *file) {
    struct tmu_session *session = file->private_data;
    struct tmu_unit *unit = session->unit;
    struct tmu_queue *queue;
    struct tmu_queue *next;
    mutex_lock(&unit->lock);
    list_for_each_entry_safe(queue, next, &session->queues, node) {
        tmu_queue_close(queue);
        give_way(unit);
    }
    for (u32 i = 0; i < unit->info.endpoints; i++) {
        if (unit->endpoints[i].session == session) {
            tmu_endpoint_give(unit, i);
            give_way(unit);
        }
    }
    list_del(&session->node);
    unit->sessions--;
    if (unit->sessions == 0 && !unit->gone && needs_reset(unit)) {
        (void)tmu_start(unit);
    }
    mutex_unlock(&unit->lock);
    mmdrop(session->mm);
    kfree(session);
    wake_up(&unit->closed);
    return 0;
}

const struct file_operations tmu_files = {
    .owner = THIS_MODULE,
    .open = tmu_open,
    .release = tmu_release,
    .unlocked_ioctl = tmu_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
    .mmap = tmu_mmap,
};
