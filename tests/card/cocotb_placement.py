# SPDX-License-Identifier: Apache-2.0
"""Placement: every byte where it belongs and nowhere else (W2), then the completion (W3, R12)."""

from collections import deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.bench.placement import BEAT, GAP, MESSAGES, Memory, Message, beats

LENGTHS = (0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 500, 1024, 2500, 4096, 5000)
LATENCY = 60


class Bench:
    """Payload, orders and destinations go in; completions are held against memory."""

    def __init__(
        self, dut: Any, *, pausing: bool = True, broken: float = 0.0, numbers: int = MESSAGES
    ) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        random = self.random if pausing else None
        self.memory = Memory(dut, random, broken=broken)
        self.payload = Source(dut, "io_payload", random)
        self.order = Source(dut, "io_order", random)
        self.destination = Source(dut, "io_destination", random)
        self.placed = Sink(dut, "io_placed", random, self._check)
        self.free = self.random.sample(range(MESSAGES), numbers)
        self.due: list[tuple[int, Message]] = []
        self.last: deque[Message] = deque()
        self.statuses: list[tuple[bool, bool, bool]] = []
        self.at = 0x1000

    async def start(self) -> None:
        """Reset, and the sweep behind it."""
        start_clock(self.dut)
        await reset(self.dut)
        await ClockCycles(self.dut.clock, MESSAGES + 10)
        cocotb.start_soon(self._give_destinations())

    async def message(self, length: int, room: int, mtu: int, shift: int) -> Message:
        """A message with a receive of its own, `shift` bytes behind a beat's first byte."""
        while not self.free:
            await RisingEdge(self.dut.clock)
        address = -(-self.at // BEAT) * BEAT + shift
        self.at = address + max(room, length) + GAP
        data = self.random.randbytes(length)
        packets = [data[at : at + mtu] for at in range(0, max(1, length), mtu)]
        message = Message(self.free.pop(), address, room, length, packets)
        self.memory.live.append(message)
        return message

    async def _give_destinations(self) -> None:
        """The verdicts of the unit, each when its time has come."""
        while True:
            ready = [one for one in self.due if one[0] <= 0]
            self.due = [(wait - 1, message) for wait, message in self.due if wait > 0]
            for _, message in ready:
                await self.destination.send(
                    message=message.number, address=message.address, room=message.room
                )
            await RisingEdge(self.dut.clock)

    def give_destination(self, message: Message, wait: int = 0) -> None:
        """The verdict on a message comes after some clocks."""
        self.due.append((wait, message))

    async def give(self, order: Values, packet: bytes) -> None:
        """A packet: its beats, and its order behind them."""
        for at in range(0, len(packet), BEAT):
            await self.payload.send(**{"": int.from_bytes(packet[at : at + BEAT], "little")})
        await self.order.send(**order)

    async def give_all(self, message: Message) -> None:
        """All packets of a message, one after the other."""
        for order, packet in message.orders():
            if order["last"]:
                self.last.append(message)
            await self.give(order, packet)

    def _check(self, placed: Values) -> None:
        """W3 and R12: the completion is the oldest one's, and all that it announces is there."""
        message = self.last.popleft()
        assert placed["message"] == message.number
        assert (placed["length"], placed["room"]) == (message.length, message.room)
        assert placed["aborted"] == message.aborted
        assert placed["failed"] == message.failed
        if not message.failed:
            expected = message.expected()
            assert self.memory.read(message.address, len(expected)) == expected
        self.memory.live.remove(message)
        self.free.insert(0, message.number)
        truncated = message.room < message.length
        self.statuses.append((truncated, message.aborted, message.failed))

    async def drain(self) -> None:
        """Until all is placed, and nothing is left to write."""
        for _ in range(200_000):
            if not self.memory.live:
                break
            await RisingEdge(self.dut.clock)
        assert not self.memory.live, f"{len(self.memory.live)} messages are not placed"
        await ClockCycles(self.dut.clock, LATENCY)
        assert self.dut.io_idle.value
        assert not self.memory.bursts and not self.memory.unanswered


def drop(random: Random) -> tuple[Values, bytes]:
    """A packet that belongs to no message: its other fields mean nothing."""
    packet = random.randbytes(random.choice((0, 1, 64, 200, 1024)))
    wide = {"message": 8, "offset": 32, "bytes": 16, "length": 32, "last": 1, "aborted": 1}
    drawn = {name: random.getrandbits(bits) for name, bits in wide.items()}
    return {"beats": beats(packet), "belongs": 0, **drawn}, packet


def shape(random: Random) -> tuple[int, int, int, int]:
    """Length, room, bytes of a packet, and alignment of a message."""
    length = random.choice((*LENGTHS, random.randrange(3000)))
    more, less = length + random.randrange(99), random.randrange(length + 1)
    room = random.choice((length, length, more, less))
    shift = random.choice((0, random.randrange(BEAT)))
    return length, room, random.choice((64, 100, 256, 1024, 4096)), shift


async def mixed(bench: Bench, count: int) -> None:
    """Messages of several peers at a time, packets of theirs in turn, some that are dropped."""
    open_now: list[tuple[Message, deque[tuple[Values, bytes]]]] = []
    random = bench.random
    begun = 0
    while begun < count or open_now:
        if begun < count and len(open_now) < 4:
            message = await bench.message(*shape(random))
            orders = deque(message.orders())
            if random.random() < 0.1:
                cut(message, orders)
            begun += 1
            open_now.append((message, orders))
            bench.give_destination(message, random.choice((0, 10, 14, 200)))
            if random.random() < 0.2:
                await bench.give(*drop(random))
        chosen = random.randrange(len(open_now))
        message, orders = open_now[chosen]
        order, packet = orders.popleft()
        if order["last"]:
            del open_now[chosen]
            bench.last.append(message)
        await bench.give(order, packet)


def cut(message: Message, orders: deque[tuple[Values, bytes]]) -> None:
    """W7: the peer is lost behind one of its packets: an order without payload is the last."""
    keep = min(1, len(orders) - 1)
    while len(orders) > keep:
        orders.pop()
    message.aborted = True
    message.packets = message.packets[:keep]
    fields = {"beats": 0, "belongs": 1, "message": message.number, "bytes": 0}
    fields |= {"offset": 0, "length": message.length, "last": 1, "aborted": 1}
    orders.append((fields, b""))


@cocotb.test()
async def w2_w3_random_messages(dut: Any) -> None:
    """W2, W3, R12: lengths, rooms, alignments, packets, order, pauses at random."""
    bench = Bench(dut, numbers=9)
    await bench.start()
    await mixed(bench, 250)
    await bench.drain()
    assert sum(truncated for truncated, _, _ in bench.statuses) > 20
    assert sum(aborted for _, aborted, _ in bench.statuses) > 5


@cocotb.test()
async def w3_an_error_of_memory_ends_in_the_completion(dut: Any) -> None:
    """Each message with a write that memory refused is completed as failed, and no other."""
    bench = Bench(dut, broken=0.2, numbers=9)
    await bench.start()
    await mixed(bench, 150)
    await bench.drain()
    assert 15 < sum(failed for _, _, failed in bench.statuses) < 135


@cocotb.test()
async def w2_every_alignment(dut: Any) -> None:
    """Every first byte in a beat, with lengths around a beat, and one behind a page."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    for shift in range(BEAT):
        for length in (1, 63, 64, 65, 4096):
            message = await bench.message(length, length, 4096, shift)
            bench.give_destination(message)
            await bench.give_all(message)
    await bench.drain()


async def rate(bench: Bench, count: int, length: int, mtu: int) -> int:
    """Clocks for some messages whose payload and orders are all there when the first may go."""
    messages = [await bench.message(length, length, mtu, 0) for _ in range(count)]
    for message in messages[1:]:
        bench.give_destination(message)
    for message in messages:
        await bench.give_all(message)
    await ClockCycles(bench.dut.clock, LATENCY)
    assert bench.memory.written == 0 and bench.dut.io_waits.value
    bench.give_destination(messages[0])
    clocks = 0
    while bench.memory.live:
        await RisingEdge(bench.dut.clock)
        clocks += 1
    return clocks


@cocotb.test()
async def a_beat_in_every_clock(dut: Any) -> None:
    """Payload of 1,024-byte packets at the rate of the memory port; payload waits until then."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    clocks = await rate(bench, 7, 8192, 1024)
    dut._log.info(f"7 messages of 8,192 bytes: {7 * 128} beats in {clocks} clocks")
    assert clocks <= 7 * 128 + 30


@cocotb.test()
async def a_small_message_in_every_other_clock(dut: Any) -> None:
    """8-byte messages: a write and a completion each, at twice the rate of their frames."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    clocks = await rate(bench, 60, 8, 1024)
    dut._log.info(f"60 messages of 8 bytes: {clocks} clocks")
    assert clocks <= 2 * 60 + 30


@cocotb.test()
async def more_than_32_bursts_are_outstanding(dut: Any) -> None:
    """Memory that does not answer gets at least 32 bursts, then no more, and no completion."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    bench.memory.holds = True
    task = cocotb.start_soon(_many(bench, 100))
    await ClockCycles(dut.clock, 3000)
    assert 32 <= bench.memory.most <= 63
    assert not bench.statuses
    bench.memory.holds = False
    await task
    await bench.drain()
    assert len(bench.statuses) == 100


async def _many(bench: Bench, count: int) -> None:
    for _ in range(count):
        message = await bench.message(100, 100, 1024, 20)
        bench.give_destination(message)
        await bench.give_all(message)
