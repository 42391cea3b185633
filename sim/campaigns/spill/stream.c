/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

#define RING_LOG2 10
#define SOURCES 61
#define SPREAD 256 /* operations that may overtake one in flight, in windows of the stream */

static uint32_t log2_up(uint64_t value) {
    uint32_t log2 = 0;
    while (UINT64_C(1) << log2 < value) {
        log2++;
    }
    return log2;
}

int stream_open(stream_t *stream, tmu_t *device, uint32_t endpoint, uint32_t window) {
    const uint32_t share = log2_up(window);
    *stream = (stream_t){.endpoint = endpoint, .window = window, .lot = {endpoint + 1}};
    stream->expected_room = (size_t)SPREAD << share;
    stream->expected = calloc(stream->expected_room, sizeof *stream->expected);
    const tmu_queue_attr_t attr = {endpoint, RING_LOG2, share ? share : 1};
    if (!stream->expected || tmu_queue_open(device, &attr, &stream->queue) != TMU_OK) {
        return -1;
    }
    return 0;
}

tmu_result_t stream_close(stream_t *stream) {
    const tmu_result_t result = tmu_queue_close(stream->queue);
    free(stream->expected);
    free(stream->entries);
    free(stream->takes.host);
    free(stream->takes.unit);
    free(stream->appends.host);
    free(stream->appends.unit);
    *stream = (stream_t){0};
    return result;
}

void stream_forget(stream_t *stream, bool unexpected, bool takes_first) {
    stream->unexpected = unexpected;
    stream->takes_first = takes_first;
    stream->first = stream->count = 0;
    stream->submitted = stream->completed = 0;
    stream->second = false;
    stream->serial_known = false; /* serial numbers outlive a reset */
}

static bool reserve_latencies(latencies_t *latencies, size_t room) {
    uint16_t *host = realloc(latencies->host, room * sizeof *host);
    if (host) {
        latencies->host = host;
    }
    uint16_t *unit = realloc(latencies->unit, room * sizeof *unit);
    if (unit) {
        latencies->unit = unit;
    }
    latencies->room = room;
    latencies->count = 0;
    return host && unit;
}

bool stream_reserve(stream_t *stream, size_t entries, size_t latencies) {
    const size_t room = 2 * entries + 2;
    if (room > stream->room) {
        uint64_t *grown = realloc(stream->entries, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        stream->entries = grown;
        stream->room = room;
    }
    return reserve_latencies(&stream->takes, latencies) &&
           reserve_latencies(&stream->appends, latencies);
}

static void put(stream_t *stream, uint64_t handle) {
    if (stream->first + stream->count == stream->room) {
        memmove(stream->entries, stream->entries + stream->first,
                stream->count * sizeof *stream->entries);
        stream->first = 0;
    }
    stream->entries[stream->first + stream->count++] = handle;
}

/* Position of the entry for the next take, the oldest at 0. */
static size_t choose(stream_t *stream) {
    /* The entry that this step appended is already there, and is not meant. */
    const size_t there = stream->count - (stream->takes_first ? 0 : 1);
    switch (stream->position) {
    case POSITION_YOUNGEST:
        return there - 1;
    case POSITION_RANDOM:
        return (size_t)(lot_draw(&stream->lot) % there);
    default:
        return 0;
    }
}

static void take_out(stream_t *stream, size_t position) {
    uint64_t *at = stream->entries + stream->first + position;
    if (position == 0) {
        stream->first++;
    } else {
        memmove(at, at + 1, (stream->count - position - 1) * sizeof *at);
    }
    stream->count--;
}

/* An operation with the key of the entry that has the handle `key`. */
static tmu_result_t submit(stream_t *stream, bool posts, uint64_t key) {
    const uint64_t handle = stream->submitted;
    const uint32_t source = (uint32_t)(key % SOURCES);
    if (posts) {
        const tmu_receive_t receive = {
            .key = {.match = key, .source = source}, .handle = handle, .length = 64};
        return tmu_post(stream->queue, stream->endpoint, &receive, NULL);
    }
    const tmu_message_t message = {.match = key, .source = source, .handle = handle, .length = 64};
    return tmu_arrive(stream->queue, stream->endpoint, &message);
}

/* Too many younger ones were answered before an operation that is still expected. */
static bool crowded(const stream_t *stream) {
    return stream->expected[stream->submitted & (stream->expected_room - 1)].pending ||
           stream->submitted - stream->completed >= stream->window;
}

static void expect(stream_t *stream, bool takes, uint64_t other) {
    stream->expected[stream->submitted & (stream->expected_room - 1)] =
        (expected_t){true, takes, stream->submitted, other};
    stream->submitted++;
}

static tmu_result_t append_one(stream_t *stream) {
    const tmu_result_t result = submit(stream, !stream->unexpected, stream->submitted);
    if (result == TMU_OK) {
        put(stream, stream->submitted);
        expect(stream, false, 0);
    }
    return result;
}

static tmu_result_t take_one(stream_t *stream) {
    const lot_t lot = stream->lot;
    const size_t position = choose(stream);
    const uint64_t other = stream->entries[stream->first + position];
    const tmu_result_t result = submit(stream, stream->unexpected, other);
    if (result == TMU_OK) {
        take_out(stream, position);
        expect(stream, true, other);
    } else {
        stream->lot = lot;
    }
    return result;
}

tmu_result_t stream_work(stream_t *stream, uint64_t limit) {
    tmu_result_t result = TMU_OK;
    while (result == TMU_OK && stream->submitted < limit && !crowded(stream)) {
        const bool takes = stream->second != stream->takes_first;
        result = takes ? take_one(stream) : append_one(stream);
        if (result == TMU_OK) {
            stream->second = !stream->second;
        }
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

tmu_result_t stream_fill(stream_t *stream, uint64_t depth) {
    tmu_result_t result = TMU_OK;
    while (result == TMU_OK && stream->count < depth && !crowded(stream)) {
        result = append_one(stream);
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

/* Whether a completion is what the law says about its operation. */
static bool right(const stream_t *stream, const expected_t *expected, const tmu_completion_t *c) {
    if (!expected->pending || expected->handle != c->handle || c->endpoint != stream->endpoint) {
        return false; /* R13, R15 */
    }
    if (c->unit_latency > c->host_latency) {
        return false; /* a part that takes longer than the whole */
    }
    if (c->serial - stream->serial != (uint32_t)expected->handle) {
        return false; /* R7: matched in the order of submission, in whichever they are answered */
    }
    if (!expected->takes) {
        return c->status == TMU_STATUS_QUEUED; /* R5, R6 */
    }
    return c->status == TMU_STATUS_MATCHED && c->other == expected->other; /* R3, R4 */
}

static void keep(latencies_t *latencies, const tmu_completion_t *c) {
    if (latencies->count < latencies->room) {
        latencies->host[latencies->count] = c->host_latency;
        latencies->unit[latencies->count++] = c->unit_latency;
    }
}

tmu_result_t stream_collect(stream_t *stream) {
    tmu_completion_t completions[16];
    size_t count = 0;
    do {
        const tmu_result_t result = tmu_poll(stream->queue, completions,
                                             sizeof completions / sizeof completions[0], &count);
        if (result != TMU_OK) {
            return result;
        }
        for (size_t i = 0; i < count; i++) {
            const tmu_completion_t *c = &completions[i];
            if (!stream->serial_known) {
                stream->serial = c->serial - (uint32_t)c->handle;
            }
            stream->serial_known = true;
            expected_t *expected = &stream->expected[c->handle & (stream->expected_room - 1)];
            stream->wrong += !right(stream, expected, c);
            expected->pending = false;
            stream->completed++;
            if (stream->measures) {
                keep(expected->takes ? &stream->takes : &stream->appends, c);
            }
        }
    } while (count > 0);
    return TMU_OK;
}
