# SPDX-License-Identifier: Apache-2.0
"""Aimed traffic: each generator drives the unit into one corner of the law and out again."""

from collections.abc import Iterator

from opentmu import regs
from opentmu.bench.coverage import ALL_SOURCE, ANY_TAG, TAG_SIGN
from opentmu.bench.law import Quota
from opentmu.bench.records import Operation
from opentmu.bench.traffic import ALL_WILD, CONTEXT_SHIFT, EXACT, Item, Traffic
from opentmu.model import Queue
from opentmu.regs import Opcode

NAMED_MASKS = ((0, 0), (0, ALL_SOURCE), (ANY_TAG, 0), (ANY_TAG, ALL_SOURCE), (0b11, 0b1))


def deep_receives(traffic: Traffic, depth: int) -> Iterator[Operation]:
    """A deep queue of receives, met oldest first, then youngest first, then anywhere (R3, R10)."""
    yield from traffic.empty_all()
    for order in ("oldest", "youngest", "inside", "cancel"):
        tags = list(range(depth))
        ends = [traffic.random.choice(traffic.endpoints) for _ in tags]
        for tag in tags:
            masks = NAMED_MASKS[1 if tag % 3 == 0 else 0]
            wild = {"ignore": masks[0], "source_ignore": masks[1]}
            yield traffic.post(ends[tag], match=tag, source=tag, **wild)
        for tag in _ordered(traffic, tags, order):
            if order == "cancel":
                ids = {h.operation.match: h.operation for h in traffic.law.tables[Queue.POSTED]}
                ident = ids[tag].receive_id
                yield traffic.make(Opcode.CANCEL, ends[tag], receive_id=ident)
            else:
                yield traffic.arrive(ends[tag], match=tag, source=tag)


def deep_messages(traffic: Traffic, depth: int) -> Iterator[Operation]:
    """A deep queue of messages, taken by posts and claims in every order (R4, R8, R9)."""
    yield from traffic.empty_all()
    for order in ("oldest", "youngest", "inside"):
        for opcode in (Opcode.POST, Opcode.CLAIM):
            tags = list(range(depth))
            ends = [traffic.random.choice(traffic.endpoints) for _ in tags]
            for tag in tags:
                yield traffic.arrive(ends[tag], match=tag, source=tag)
            for tag in _ordered(traffic, tags, order):
                key = {"match": tag, "source": tag}
                yield traffic.make(Opcode.PROBE, ends[tag], **key)
                if opcode == Opcode.POST:
                    yield traffic.post(ends[tag], **key)
                else:
                    yield traffic.make(opcode, ends[tag], **key)


def _ordered(traffic: Traffic, tags: list[int], order: str) -> list[int]:
    if order == "oldest":
        return tags
    if order == "youngest":
        return tags[::-1]
    # Cancels take the youngest, one inside and the oldest while the queue is still deep.
    first = (
        [tags[-1], tags[len(tags) // 2], tags[0]] if order == "cancel" else [tags[len(tags) // 2]]
    )
    rest = [tag for tag in tags if tag not in first]
    traffic.random.shuffle(rest)
    return first + rest


def equal_keys(traffic: Traffic, count: int) -> Iterator[Operation]:
    """One key, back to back: order alone decides who meets whom (R3, R4, R7)."""
    yield from traffic.empty_all()
    key = {"match": 7 << CONTEXT_SHIFT | 1, "source": 3}
    for endpoint in traffic.endpoints:
        for _ in range(count):
            yield traffic.post(endpoint, **key)
        for _ in range(2 * count):
            yield traffic.arrive(endpoint, **key)
        for _ in range(count):
            yield traffic.post(endpoint, **key)


def every_mask(traffic: Traffic) -> Iterator[Operation]:
    """Each kind of wildcard in each search, and the tag's sign, which ANY_TAG compares (R2)."""
    yield from traffic.empty_all()
    key = {"match": 1 << CONTEXT_SHIFT | 0x15, "source": 9}
    for endpoint in traffic.endpoints:
        for ignore, source_ignore in NAMED_MASKS:
            wild = {"ignore": ignore, "source_ignore": source_ignore}
            other = {"match": key["match"] ^ ignore, "source": key["source"] ^ source_ignore}
            yield traffic.post(endpoint, **key, **wild)
            yield traffic.arrive(endpoint, **other)
            for opcode in (Opcode.PROBE, Opcode.CLAIM, Opcode.POST):
                yield traffic.arrive(endpoint, **other)
                if opcode == Opcode.POST:
                    yield traffic.post(endpoint, **key, **wild)
                else:
                    yield traffic.make(opcode, endpoint, **key, **wild)
            yield traffic.flush(endpoint)
        yield traffic.post(endpoint, **key, ignore=ANY_TAG)
        yield traffic.arrive(endpoint, match=key["match"] ^ TAG_SIGN, source=key["source"])
        yield traffic.flush(endpoint)


def endpoints_apart(traffic: Traffic) -> Iterator[Operation]:
    """An entry matches at its own endpoint alone, and handle 0 is a handle (R13, R15)."""
    yield from traffic.empty_all()
    key = {"match": 5, "source": 5}
    for endpoint in traffic.endpoints:
        other = (endpoint + 1) % len(traffic.endpoints)
        yield traffic.post(endpoint, **key)
        yield traffic.arrive(other, **key)
        yield traffic.arrive(endpoint, **key)
        yield traffic.flush(other)
        yield traffic.post(endpoint, **key, handle=0)
        yield traffic.arrive(endpoint, **key)


def cancels(traffic: Traffic, count: int) -> Iterator[Operation]:
    """Cancels just before and just after the message that wants the receive (R10)."""
    yield from traffic.empty_all()
    for _ in range(count):
        endpoint = traffic.random.choice(traffic.endpoints)
        key = traffic.key(2)
        post = traffic.post(endpoint, **key)
        cancel = traffic.make(Opcode.CANCEL, endpoint, receive_id=post.receive_id)
        again = traffic.make(Opcode.CANCEL, endpoint, receive_id=post.receive_id)
        arrive = traffic.arrive(endpoint, **key)
        yield from (
            [post, cancel, arrive, again]
            if traffic.random.random() < 1 / 2
            else [post, arrive, cancel, again]
        )


def lengths(traffic: Traffic) -> Iterator[Operation]:
    """Messages shorter than, as long as and longer than their receives (R12)."""
    yield from traffic.empty_all()
    for endpoint in traffic.endpoints:
        for message, receive in ((1, 2), (2, 2), (3, 2), ((1 << 48) - 1, 0), (1 << 47, 1)):
            post = traffic.post(endpoint, match=1, source=1, length=receive)
            yield post
            yield traffic.arrive(endpoint, match=1, source=1, length=message)
            yield traffic.arrive(endpoint, match=1, source=1, length=message)
            yield traffic.post(endpoint, match=1, source=1, length=receive)


def full_tables(traffic: Traffic) -> Iterator[Operation]:
    """Both tables full, refusals, and hits that need no room (R11)."""
    yield from traffic.empty_all()
    preset = traffic.preset
    for n in range(preset.posted_entries + 3):
        yield traffic.post(n % preset.endpoints, match=n, source=1)
    for n in range(preset.unexpected_entries + 3):
        yield traffic.arrive(n % preset.endpoints, match=n, source=2)
    # The oldest, the youngest and one inside, each made room for and then filled again.
    last = preset.unexpected_entries - 1
    for n in (last, last // 2, 0):
        end = n % preset.endpoints
        key = {"match": n, "source": 2}
        yield traffic.make(Opcode.PROBE, end, **key)
        yield traffic.post(end, **key)
        yield traffic.arrive(end, **key)
    table = traffic.law.tables[Queue.UNEXPECTED]
    for at in (len(table) - 1, len(table) // 2, 0):
        held = table[at]
        key = {"match": held.operation.match, "source": held.operation.source}
        yield traffic.make(Opcode.CLAIM, held.endpoint, **key)
        yield traffic.arrive(held.endpoint, **key)
    posted = traffic.law.tables[Queue.POSTED]
    for at in (len(posted) - 1, len(posted) // 2, 0):
        held = posted[at]
        key = {"match": held.operation.match, "source": held.operation.source}
        yield traffic.arrive(held.endpoint, **key)
        yield traffic.post(held.endpoint, **key)
        held = posted[at]
        key = {"match": held.operation.match, "source": held.operation.source}
        yield traffic.make(Opcode.CANCEL, held.endpoint, receive_id=held.operation.receive_id)
        yield traffic.post(held.endpoint, **key)
    yield from traffic.mixed(60, keys=2, wild=ALL_WILD)


def quotas(traffic: Traffic, count: int) -> Iterator[Item]:
    """Small quotas, different in each endpoint and queue, then none again (R11)."""
    yield from traffic.empty_all()
    for endpoint in traffic.endpoints:
        yield Quota(endpoint, 1 + endpoint % 2, 1 + (endpoint + 1) % 3)
    yield from traffic.mixed(count, keys=3, wild=EXACT)
    for endpoint in traffic.endpoints:
        yield Quota(endpoint, 0, 0)


def flushes(traffic: Traffic) -> Iterator[Operation]:
    """One context, one queue, both queues, nothing (R14)."""
    yield from traffic.empty_all()
    for endpoint in traffic.endpoints:
        for n in range(10):
            yield traffic.post(endpoint, match=(n % 3) << CONTEXT_SHIFT, source=n)
            yield traffic.arrive(endpoint, match=(n % 3) << CONTEXT_SHIFT | 1, source=n)
        yield traffic.flush_context(endpoint, 9)
        yield traffic.flush_context(endpoint, 1)
    for endpoint in traffic.endpoints:
        yield traffic.flush(endpoint)
        yield traffic.post(endpoint, match=1)
        yield traffic.flush(endpoint)
        yield traffic.arrive(endpoint, match=1)
        yield traffic.flush(endpoint)


def bad_commands(traffic: Traffic) -> Iterator[Operation]:
    """Each kind of bad input, with good entries around that it must not change (R13)."""
    yield from traffic.mixed(30)
    random, preset = traffic.random, traffic.preset
    none = (1 << preset.id_bits) - 1
    reserved = [name for name in regs.COMMAND_FIELDS if name.startswith("reserved")]
    for opcode in Opcode:
        for name in reserved:
            width = regs.COMMAND_FIELDS[name][2]
            bit = {name: 1 << random.randrange(width)}
            yield traffic.make(opcode, random.choice(traffic.endpoints), extra=bit)
        for endpoint in (preset.endpoints, 2**31, 2**32 - 1):
            yield Operation(opcode, traffic.privileged, endpoint, handle=traffic.handle())
    for unknown in (0, 8, 128, 255, random.randrange(8, 256)):
        yield traffic.make(unknown, random.choice(traffic.endpoints))
    for field in ("ignore", "source_ignore", "receive_id"):
        yield traffic.make(Opcode.ARRIVE, 0, **{field: 1})
    for field in ("match", "source", "address", "length"):
        yield traffic.make(Opcode.CANCEL, 1, **{field: 1})
    yield traffic.make(Opcode.PROBE, 0, length=1)
    for ident in (none, none + 1, 2**32 - 1):
        yield traffic.make(Opcode.POST, 1, receive_id=ident)
    queue_bit = regs.COMMAND_FIELDS["inspect_queue"][1]
    handle = traffic.handle()
    yield Operation(Opcode.INSPECT, traffic.privileged, handle=handle, address=2 << queue_bit)
    for endpoint in traffic.endpoints:
        yield Operation(Opcode.INSPECT, endpoint, handle=traffic.handle())


def walk(traffic: Traffic) -> Iterator[Item]:
    """Every entry of both tables in its order, and what lies far behind the last position."""
    for queue in Queue:
        yield traffic.walk(queue)
        yield traffic.inspect(queue, 2**32 - 1)


def everything(traffic: Traffic, size: int = 1) -> Iterator[Item]:
    """All corners, with random traffic between; `size` multiplies the random part."""
    preset = traffic.preset
    yield from traffic.mixed(120 * size)
    yield from walk(traffic)
    for depth in (preset.lanes, 2 * preset.lanes + 3, preset.posted_entries):
        yield from deep_receives(traffic, depth)
        yield from deep_messages(traffic, depth)
    yield from equal_keys(traffic, 5)
    yield from every_mask(traffic)
    yield from traffic.mixed(120 * size, keys=2, wild=ALL_WILD)
    yield from endpoints_apart(traffic)
    yield from cancels(traffic, 20 * size)
    yield from lengths(traffic)
    yield from full_tables(traffic)
    yield from walk(traffic)
    yield from quotas(traffic, 120 * size)
    yield from flushes(traffic)
    yield from bad_commands(traffic)
    yield from traffic.empty_all()
