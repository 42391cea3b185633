/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a session: the kernel driver's calls, with its errors (kernel/tmu_session.c).
 */
#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "share.h"

/* After a question the unit runs a little: a session may ask again and again until something has
 * changed. */
#define LINGER_CLOCKS 256

/* Every structure fits; all begin with their size. */
typedef union arguments {
    uint32_t size;
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
    struct tmu_share_read read;
} arguments_t;

/* A question on its way to its answer. */
typedef struct call {
    share_t *share;
    share_session_t *session;
    arguments_t *arguments;
    int error;
    int file; /* goes with the answer, or -1 */
    uint64_t values[TMU_SHARE_COUNTERS_MAX];
    size_t value_count;
} call_t;

static tmu_result_t refuse(call_t *call, int error) {
    call->error = error;
    return TMU_OK;
}

static tmu_result_t query(call_t *call) {
    tmu_t *device = call->share->device;
    const tmu_info_t *info = &device->info;
    tmu_spill_stats_t spill = {0};
    if (call->arguments->query.tag_bits != 0) {
        return refuse(call, EINVAL);
    }
    tmu_result_t result = device->control->spill_stats(device, &spill);
    call->arguments->query = (struct tmu_ioctl_query){
        .size = sizeof call->arguments->query,
        .version = TMU_IOCTL_VERSION,
        .interface_version = TMU_REGISTER_BITS(TMU_INTERFACE_VERSION_MAJOR, info->interface_major) |
                             TMU_REGISTER_BITS(TMU_INTERFACE_VERSION_MINOR, info->interface_minor),
#define TELL(member, offset, since, needs, older) .member = info->member,
        TMU_DISCOVERY_TABLE(TELL)
#undef TELL
            .vectors = 0, /* clients are woken by memory */
        .spill_free = spill.chunks_free,
    };
    call->arguments->query.spill_segments = spill.segments; /* that are registered */
    return result;
}

static tmu_result_t take(call_t *call) {
    struct tmu_ioctl_take *asked = &call->arguments->take;
    if (asked->reserved != 0 || asked->quota_posted > TMU_IOCTL_QUOTA_MAX ||
        asked->quota_unexpected > TMU_IOCTL_QUOTA_MAX) {
        return refuse(call, EINVAL);
    }
    return share_endpoint_take(call->share, call->session, asked, &call->error);
}

static tmu_result_t give(call_t *call) {
    uint32_t number = call->arguments->give.endpoint;
    if (!share_endpoint_find(call->share, call->session, number)) {
        return refuse(call, ENOENT);
    }
    for (const share_queue_t *queue = call->session->queues; queue; queue = queue->next) {
        if (queue->unit->endpoint == number) {
            return refuse(call, EBUSY);
        }
    }
    return share_endpoint_give(call->share, number);
}

static tmu_result_t quota(call_t *call) {
    const struct tmu_ioctl_quota *asked = &call->arguments->quota;
    const tmu_depth_t wanted = {asked->posted, asked->unexpected};
    tmu_t *device = call->share->device;
    const share_endpoint_t *endpoint =
        share_endpoint_find(call->share, call->session, asked->endpoint);
    if (wanted.posted > TMU_IOCTL_QUOTA_MAX || wanted.unexpected > TMU_IOCTL_QUOTA_MAX) {
        return refuse(call, EINVAL);
    }
    return endpoint ? device->control->limits(device, asked->endpoint, wanted, endpoint->reserve)
                    : refuse(call, ENOENT);
}

static tmu_result_t depth(call_t *call) {
    struct tmu_ioctl_depth *answer = &call->arguments->depth;
    tmu_t *device = call->share->device;
    const share_endpoint_t *endpoint =
        share_endpoint_find(call->share, call->session, answer->endpoint);
    tmu_depth_t found = {0};
    if (answer->reserved != 0) {
        return refuse(call, EINVAL);
    }
    if (!endpoint) {
        return refuse(call, ENOENT);
    }
    tmu_result_t result = device->control->depth(device, answer->endpoint, &found);
    answer->posted = found.posted;
    answer->unexpected = found.unexpected;
    answer->serial = endpoint->first;
    return result;
}

static tmu_result_t open_queue(call_t *call) {
    struct tmu_ioctl_open *open = &call->arguments->open;
    uint32_t slots = call->share->device->info.command_slots;
    if (open->reserved != 0 || open->memory != 0 || open->ring_log2 < TMU_RING_LOG2_MIN ||
        open->ring_log2 > TMU_RING_LOG2_MAX || open->commands_log2 >= 32 ||
        slots >> open->commands_log2 == 0) {
        return refuse(call, EINVAL);
    }
    if (!share_endpoint_find(call->share, call->session, open->endpoint)) {
        return refuse(call, ENOENT);
    }
    return share_queue_open(call->share, call->session, open, &call->file, &call->error);
}

static tmu_result_t close_queue(call_t *call) {
    share_queue_t *queue = share_queue_find(call->session, call->arguments->close.queue);
    if (call->arguments->close.reserved != 0) {
        return refuse(call, EINVAL);
    }
    return queue ? share_queue_close(call->share, queue) : refuse(call, ENOENT);
}

/* There are no interrupts; who waits is woken all the same (TMU_SHARE_WAKE, `written`). */
static tmu_result_t set_event(call_t *call) {
    const share_queue_t *queue = share_queue_find(call->session, call->arguments->event.queue);
    return refuse(call, queue ? ENOSPC : ENOENT);
}

static tmu_result_t reset(call_t *call) {
    share_t *share = call->share;
    tmu_result_t result = TMU_OK;
    if (call->arguments->reset.reserved != 0) {
        return refuse(call, EINVAL);
    }
    for (share_queue_t *queue = call->session->queues; queue && result == TMU_OK;
         queue = queue->next) {
        result = share_queue_enable(queue, false);
    }
    for (uint32_t i = 0; i < share->device->info.endpoints && result == TMU_OK; i++) {
        if (share->endpoints[i].session == call->session) {
            result = share_endpoint_empty(share, i);
        }
    }
    for (share_queue_t *queue = call->session->queues; queue && result == TMU_OK;
         queue = queue->next) {
        result = share_queue_enable(queue, true);
    }
    return result;
}

static tmu_result_t counters(call_t *call) {
    struct tmu_ioctl_counters *asked = &call->arguments->counters;
    tmu_counter_t found[TMU_SHARE_COUNTERS_MAX];
    size_t count = 0;
    tmu_result_t result = tmu_counters(call->share->device, found, TMU_SHARE_COUNTERS_MAX, &count);
    call->value_count = asked->count < count ? asked->count : count;
    for (size_t i = 0; i < call->value_count && result == TMU_OK; i++) {
        call->values[i] = found[i].value;
    }
    asked->count = (uint32_t)count;
    return result;
}

/* Words that a page has to read; another read is an error of the device, which ends all. */
static bool is_readable(uint32_t offset) {
    return offset % sizeof(uint64_t) == 0 && offset < TMU_DOORBELL_PAGE_BYTES &&
           (offset == TMU_DOORBELL_PICTURE_OFFSET || offset >= TMU_DOORBELL_COUNTERS_OFFSET);
}

static tmu_result_t read_page(call_t *call) {
    struct tmu_share_read *asked = &call->arguments->read;
    share_t *share = call->share;
    share_queue_t *queue = share_queue_find(call->session, asked->queue);
    if (!queue) {
        return refuse(call, ENOENT);
    }
    if (!is_readable(asked->offset)) {
        return refuse(call, EINVAL);
    }
    tmu_result_t result = share_move_bells_all(share, queue);
    uint64_t page = (uint64_t)queue->unit->page.number * TMU_DOORBELL_PAGE_BYTES;
    return result == TMU_OK
               ? share->ops->page_read64(share->backend, page + asked->offset, &asked->value)
               : result;
}

static const struct {
    uint32_t call;
    tmu_result_t (*answer)(call_t *call);
} calls[] = {
    {TMU_IOCTL_QUERY, query},       {TMU_IOCTL_TAKE, take},       {TMU_IOCTL_GIVE, give},
    {TMU_IOCTL_QUOTA, quota},       {TMU_IOCTL_DEPTH, depth},     {TMU_IOCTL_OPEN, open_queue},
    {TMU_IOCTL_CLOSE, close_queue}, {TMU_IOCTL_EVENT, set_event}, {TMU_IOCTL_RESET, reset},
    {TMU_IOCTL_COUNTERS, counters}, {TMU_SHARE_READ, read_page},
};

static tmu_result_t dispatch(call_t *call, uint32_t number) {
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].call == number) {
            return call->arguments->size == _IOC_SIZE(number) ? calls[i].answer(call)
                                                              : refuse(call, EINVAL);
        }
    }
    return refuse(call, ENOTTY);
}

/* Sends the answer, with a file where there is one, without ever waiting for the session. */
static void send_answer(const call_t *call, size_t size) {
    const struct tmu_share_answer answer = {.error = call->error};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec parts[] = {
        {.iov_base = (void *)&answer, .iov_len = sizeof answer},
        {.iov_base = call->arguments, .iov_len = size},
        {.iov_base = (void *)call->values, .iov_len = call->value_count * sizeof(uint64_t)},
    };
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = call->error == 0 ? 3 : 1};
    if (call->file >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &call->file, sizeof call->file);
    }
    if (sendmsg(call->session->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        call->session->wrong = "it does not take answers";
    }
}

/* Whether an answer waits in the socket, maybe with a file: a user may have only so many of those
 * on their way, in all sockets together. */
static bool unread(const share_session_t *session) {
    int bytes = 0;
    return ioctl(session->socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

tmu_result_t share_answer(share_t *share, share_session_t *session, const void *bytes,
                          size_t length) {
    struct tmu_share_question question;
    arguments_t arguments = {0};
    call_t call = {.share = share, .session = session, .arguments = &arguments, .file = -1};
    if (length < sizeof question) {
        session->wrong = "it sent a message that is no question";
        return TMU_OK;
    }
    memcpy(&question, bytes, sizeof question);
    size_t size = length - sizeof question;
    if (question.reserved != 0 || size != _IOC_SIZE(question.call) || size > sizeof arguments) {
        session->wrong = "it sent a question of another length than it says";
        return TMU_OK;
    }
    if (question.call == TMU_SHARE_WAKE) {
        return TMU_OK;
    }
    if (unread(session)) {
        session->wrong = "it asks before it has taken the last answer";
        return TMU_OK;
    }
    share->linger = LINGER_CLOCKS;
    memcpy(&arguments, (const char *)bytes + sizeof question, size);
    tmu_result_t result = dispatch(&call, question.call);
    if (result == TMU_OK) {
        send_answer(&call, size);
    }
    if (call.file >= 0) {
        (void)close(call.file);
    }
    return result;
}
