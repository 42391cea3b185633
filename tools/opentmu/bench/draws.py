# SPDX-License-Identifier: Apache-2.0
"""The next operation of each stream of a race, drawn from the state of the law's queues."""

from dataclasses import replace

from opentmu.bench.match_unit import Draw
from opentmu.bench.meetings import ARRIVAL, POST
from opentmu.bench.records import Operation
from opentmu.bench.traffic import SOME_WILD, Mix, Traffic
from opentmu.model import Queue
from opentmu.regs import Opcode


def at_random(traffic: Traffic, keys: int, mixes: tuple[Mix, Mix], ends: list[int]) -> Draw:
    """Operations of each stream at random, inspects among them, and some aimed at the other's.

    Aimed are an arrival with the key of the last post, a cancel of it, and the mirror.
    """
    preset = traffic.preset
    streams = [traffic.draws(keys, SOME_WILD, mix, ends) for mix in mixes]
    last: list[Operation | None] = [None, None]

    def draw(stream: int) -> Operation:
        drawn = last[stream] = aimed(stream, last[1 - stream]) or at_random(stream)
        return drawn

    def aimed(stream: int, other: Operation | None) -> Operation | None:
        chance = traffic.random.random()
        if other is None or chance > 1 / 5 or other.opcode not in (Opcode.POST, Opcode.ARRIVE):
            return None
        end, key = other.target(preset), {"match": other.match, "source": other.source}
        if end not in traffic.endpoints:
            return None
        if stream == POST:
            return traffic.post(end, **key)
        if chance < 1 / 15:
            return traffic.make(Opcode.CANCEL, end, receive_id=other.receive_id)
        return traffic.arrive(end, **key)

    def at_random(stream: int) -> Operation:
        if traffic.random.random() < 1 / 40:
            queue = Queue.UNEXPECTED if stream == POST else Queue.POSTED
            return traffic.inspect(queue, traffic.random.randrange(preset.posted_entries + 2))
        return next(streams[stream])

    return draw


def around_border(traffic: Traffic) -> Draw:
    """Entries around the border between rows, each wanted twice, while others push them on."""
    preset = traffic.preset
    again: list[Operation | None] = [None, None]

    def draw(stream: int) -> Operation:
        twice, again[stream] = again[stream], None
        if twice is not None:
            return replace(twice, handle=traffic.handle())
        searched = traffic.law.tables[Queue.UNEXPECTED if stream == POST else Queue.POSTED]
        fills = traffic.law.tables[Queue.POSTED if stream == POST else Queue.UNEXPECTED]
        at = len(searched) - preset.lanes + traffic.random.randrange(-3, 3)
        if len(fills) < preset.array_entries - 4 and traffic.random.random() < 1 / 2:
            key = {"match": traffic.random.getrandbits(24), "source": 1}
            return (traffic.post if stream == POST else traffic.arrive)(0, **key)
        held = searched[max(0, min(at, len(searched) - 1))].operation if searched else None
        if stream == POST:
            key = {"match": held.match, "source": 1} if held else {}
            again[POST] = traffic.make(Opcode.CLAIM, 0, **key)
        else:
            ident = held.receive_id if held else 0
            again[ARRIVAL] = traffic.make(Opcode.CANCEL, 0, receive_id=ident)
        return again[stream] or traffic.cancel(0)

    return draw
