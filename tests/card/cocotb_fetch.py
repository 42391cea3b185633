# SPDX-License-Identifier: Apache-2.0
"""PayloadFetch: pieces of packets from memory, every byte, and no byte that is not theirs."""

from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiReadBus, AxiSlaveRead
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, pauses, reset, start_clock
from opentmu.bench.memory import BrokenMemory

BEAT, PAGE, AT_HAND, MOST = 64, 4096, 24, 8192
MEMORY = 7 << 40
OUTSTANDING = 32


@dataclass
class Packet:
    """Its bytes, and what was fetched of it; `broken` when memory has failed."""

    payload: bytes
    pieces: list[tuple[int, int]] = field(default_factory=list)
    broken: bool = False
    told: bool = False


class Bench:
    """The stage between a source of pieces and memory."""

    def __init__(self, dut: Any, *, pausing: bool = True, broken: float = 0.0) -> None:
        self.dut = dut
        self.random = random = Random(seed.choose())
        self.broken = broken
        self.failure: BaseException | None = None
        self.bytes: dict[int, tuple[Packet, int]] = {}
        self.untold: deque[Packet] = deque()
        self.unseen: deque[Packet] = deque()
        self.seen = b""
        self.beats = 0
        self.at = MEMORY
        spell = random if pausing else None
        self.piece = Source(dut, "io_piece", spell)
        Sink(dut, "io_fetched", spell, self._fetched)
        self.payload = Sink(dut, "io_payload", spell, self._beat)
        ends = (dut.clock, dut.reset)
        reads = AxiSlaveRead(AxiReadBus.from_prefix(dut, "io_read"), *ends, target=self)
        for channel in (reads.ar_channel, reads.r_channel) if pausing else ():
            channel.set_pause_generator(pauses(Random(random.random())))

    async def start(self) -> None:
        """Reset, and a look at each burst."""
        start_clock(self.dut)
        await reset(self.dut)
        cocotb.start_soon(self._bursts())

    async def _bursts(self) -> None:
        open_now, dut = 0, self.dut
        while True:
            await RisingEdge(dut.clock)
            if dut.io_read_arvalid.value and dut.io_read_arready.value:
                address, beats = int(dut.io_read_araddr.value), int(dut.io_read_arlen.value) + 1
                assert address % BEAT == 0
                assert address // PAGE == (address + beats * BEAT - 1) // PAGE, "a page is crossed"
                open_now += 1
                assert open_now <= OUTSTANDING
            done = dut.io_read_rvalid.value and dut.io_read_rready.value
            open_now -= bool(done and dut.io_read_rlast.value)

    async def read(self, address: int, length: int) -> bytes:
        """A beat of memory: a byte of a piece at least lies in it, all others are anything."""
        found = {a: self.bytes[a] for a in range(address, address + length) if a in self.bytes}
        if not found:
            self.failure = self.failure or AssertionError(f"a read at {address:#x}")
        if self.random.random() < self.broken:
            for packet, _ in found.values():
                packet.broken = True
            raise BrokenMemory(f"memory at {address:#x} is broken")
        return bytes(
            found[a][1] if a in found else self.random.getrandbits(8)
            for a in range(address, address + length)
        )

    async def fetch(
        self, sizes: list[int], *, at_hand: bool = False, aligned: bool = False
    ) -> None:
        """A packet in pieces of these sizes, each in a beat of memory where no other one is."""
        packet = Packet(self.random.randbytes(sum(sizes)))
        self.untold.append(packet)
        self.unseen.append(packet)
        offset = 0
        for number, size in enumerate(sizes):
            data = packet.payload[offset : offset + size]
            offset += size
            if not at_hand:
                self.at += 0 if aligned else self.random.randrange(BEAT)
                for position, byte in enumerate(data):
                    self.bytes[self.at + position] = (packet, byte)
            await self.piece.send(
                address=self.random.getrandbits(64) if at_hand else self.at,
                bytes=size,
                atHand=int(at_hand),
                data=int.from_bytes(data[:AT_HAND], "little"),
                last=int(number == len(sizes) - 1),
            )
            self.at += -(-size // BEAT) * BEAT + (0 if aligned else BEAT)

    def _fetched(self, found: Values) -> None:
        packet = self.untold.popleft()
        packet.told = True
        assert bool(found["failed"]) == packet.broken

    def _beat(self, found: Values) -> None:
        """The next beat of the oldest packet that has bytes to come."""
        while self.unseen and not self.unseen[0].payload:
            self.unseen.popleft()
        packet = self.unseen[0]
        self.beats += 1
        left = packet.payload[len(self.seen) :]
        data = found[""].to_bytes(BEAT, "little")[: len(left)]
        assert packet.broken or data == left[:BEAT], f"{len(self.seen)} of {len(packet.payload)}"
        self.seen += data
        if len(self.seen) == len(packet.payload):
            self.unseen.popleft()
            self.seen = b""

    async def drain(self) -> None:
        """Until all has come."""
        for _ in range(100_000):
            if self.failure is not None:
                raise self.failure
            if not self.untold and not any(packet.payload for packet in self.unseen):
                break
            await RisingEdge(self.dut.clock)
        await ClockCycles(self.dut.clock, 30)
        assert not self.untold and self.dut.io_idle.value


def sizes(random: Random) -> list[int]:
    """Up to four pieces; some are empty, some end near the end of a beat or a page."""
    near = BEAT * random.randrange(1, 9) + random.randrange(-2, 3)
    most = random.choice((8, near, 300, MOST))
    found = [random.choice((0, 1, 8, near, random.randrange(most + 1))) for _ in range(4)]
    found = found[: random.randrange(1, 5)]
    return found if sum(found) <= MOST else [MOST]


async def judge(bench: Bench, count: int) -> None:
    """So many packets at random."""
    await bench.start()
    for _ in range(count):
        if bench.random.random() < 0.2:
            await bench.fetch([bench.random.randrange(AT_HAND + 1)], at_hand=True)
        else:
            await bench.fetch(sizes(bench.random))
    await bench.drain()


@cocotb.test()
async def random_pieces(dut: Any) -> None:
    """Every length and alignment, with pauses on all sides."""
    await judge(Bench(dut), 300)


@cocotb.test()
async def memory_that_fails(dut: Any) -> None:
    """A read that memory refuses is told with its packet, and with no other."""
    bench = Bench(dut, broken=0.02)
    await judge(bench, 300)


@cocotb.test()
async def a_packet_waits_for_its_header(dut: Any) -> None:
    """The longest packets are told though nobody takes their beats, and nothing is lost."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    bench.payload.blocked = True
    await bench.fetch([2048, 2047, 2049, 2048])
    for _ in range(400):
        await RisingEdge(dut.clock)
    assert not bench.untold
    bench.payload.blocked = False
    await bench.drain()


async def clocks_of(dut: Any, count: int, size: int, *, aligned: bool) -> tuple[int, int]:
    """Clocks from the first beat to the last one, and the beats, of packets of some size."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    task = cocotb.start_soon(many(bench, count, size, aligned=aligned))
    while not bench.beats:
        await RisingEdge(dut.clock)
    total, clocks = count * -(-size // BEAT), 0
    while bench.beats < total:
        await RisingEdge(dut.clock)
        clocks += 1
    await task
    return clocks, total


async def many(bench: Bench, count: int, size: int, *, aligned: bool) -> None:
    """Packets of one size."""
    for _ in range(count):
        await bench.fetch([size], aligned=aligned)


@cocotb.test()
async def a_beat_every_clock(dut: Any) -> None:
    """Aligned packets of 4,096 bytes from memory that answers at once: no pause."""
    clocks, beats = await clocks_of(dut, 16, 4096, aligned=True)
    assert clocks <= beats + 4, f"{clocks} clocks for {beats} beats"


@cocotb.test()
async def a_small_packet_every_two_clocks(dut: Any) -> None:
    """Packets of 8 bytes at any address: as fast as frames of two beats."""
    clocks, beats = await clocks_of(dut, 200, 8, aligned=True)
    assert clocks <= 2 * beats + 20, f"{clocks} clocks for {beats} packets"
