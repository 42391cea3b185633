# SPDX-License-Identifier: Apache-2.0
"""PoolCopy: payload from the pool to receives, every byte and no other (W2, W3, R12)."""

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiReadBus, AxiSlaveRead, AxiSlaveWrite, AxiWriteBus
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, pauses, reset, start_clock
from opentmu.bench.memory import BrokenMemory

MESSAGES, LOG2, POOL, RECEIVES = 32, 14, 5 << 40, 1 << 33
LENGTHS = (0, 1, 8, 63, 64, 65, 700, 4095, 4096, 4097, 8192, 16384)


@dataclass
class Job:
    """A message in the pool and its receive."""

    number: int
    payload: bytes
    address: int
    room: int
    lost: bool = False

    @property
    def fits(self) -> int:
        """Bytes that are moved."""
        return min(self.room, len(self.payload))


class Bench:
    """Jobs go in; what is done is held against memory."""

    def __init__(self, dut: Any, *, pausing: bool = True, broken: float = 0.0) -> None:
        self.dut = dut
        self.random = random = Random(seed.choose())
        self.broken = broken
        self.bytes: dict[int, int] = {}
        self.jobs: deque[Job] = deque()
        self.free = list(range(MESSAGES))
        self.failure: BaseException | None = None
        self.at = RECEIVES
        self.statuses: list[bool] = []
        spell = random if pausing else None
        self.job = Source(dut, "io_job", spell)
        self.done = Sink(dut, "io_done", spell, self._done)
        ends = (dut.clock, dut.reset)
        reads = AxiSlaveRead(AxiReadBus.from_prefix(dut, "io_read"), *ends, target=self)
        writes = AxiSlaveWrite(AxiWriteBus.from_prefix(dut, "io_write"), *ends, target=self)
        channels = [reads.ar_channel, reads.r_channel]
        channels += [writes.aw_channel, writes.w_channel, writes.b_channel]
        for channel in channels if pausing else []:
            channel.set_pause_generator(pauses(Random(random.random())))

    async def start(self) -> None:
        """Reset, and the sweep behind it."""
        start_clock(self.dut)
        await reset(self.dut)
        await ClockCycles(self.dut.clock, MESSAGES + 10)

    async def read(self, address: int, length: int) -> bytes:
        """A beat of the pool; what lies behind a message is anything."""
        number, offset = divmod(address - POOL, 1 << LOG2)
        job = next((one for one in self.jobs if one.number == number), None)
        if job is None or offset >= job.fits:
            self.failure = self.failure or AssertionError(f"a read at {address:#x}")
            raise BrokenMemory("nothing is to be read there")
        if self.random.random() < self.broken:
            job.lost = True
            raise BrokenMemory(f"memory at {address:#x} is broken")
        return job.payload[offset : offset + length].ljust(length, b"?")

    async def write(self, address: int, data: bytes) -> None:
        """W2: inside the receive of a message that is moved."""
        end = address + len(data)
        if not any(one.address <= address and end <= one.address + one.fits for one in self.jobs):
            self.failure = self.failure or AssertionError(f"W2: bytes {address:#x} to {end:#x}")
        self.bytes |= zip(range(address, end), data, strict=True)

    async def move(self, length: int, room: int) -> None:
        """A message of some length to a receive of some room, at any address."""
        while not self.free:
            await RisingEdge(self.dut.clock)
        number = self.free.pop(self.random.randrange(len(self.free)))
        address = self.at + self.random.randrange(64)
        self.at = address + room + 100
        self.jobs.append(Job(number, self.random.randbytes(length), address, room))
        await self.job.send(
            **{"message": number, "from": POOL + (number << LOG2), "address": address},
            room=room,
            length=length,
        )

    def _done(self, found: Values) -> None:
        """W3: the oldest, and all that fits is there."""
        job = self.jobs.popleft()
        assert found["message"] == job.number and bool(found["failed"]) == job.lost
        there = bytes(self.bytes.get(job.address + at, 0) for at in range(job.fits))
        assert job.lost or there == job.payload[: job.fits], f"{job.fits} bytes at {job.address:#x}"
        self.free.append(job.number)
        self.statuses.append(job.lost)

    async def drain(self) -> None:
        """Until all is done."""
        for _ in range(100_000):
            if self.failure is not None:
                raise self.failure
            if not self.jobs:
                break
            await RisingEdge(self.dut.clock)
        await ClockCycles(self.dut.clock, 50)
        assert not self.jobs and self.dut.io_idle.value


@cocotb.test()
async def w2_w3_every_length_room_and_alignment(dut: Any) -> None:
    """Each byte that fits is in the receive, and no other is written or read."""
    bench = Bench(dut)
    await bench.start()
    random = bench.random
    for length in (
        *LENGTHS,
        *(random.choice((*LENGTHS, random.randrange(3000))) for _ in "x" * 60),
    ):
        await bench.move(length, random.choice((length, length + 9, random.randrange(length + 1))))
    await bench.drain()
    assert not any(bench.statuses)


@cocotb.test()
async def memory_that_fails(dut: Any) -> None:
    """W7: a message with a read that fails is told so, and no other."""
    bench = Bench(dut, broken=0.02)
    await bench.start()
    for _ in range(60):
        length = bench.random.randrange(3000)
        await bench.move(length, length)
    await bench.drain()
    assert any(bench.statuses) and not all(bench.statuses)


@cocotb.test()
async def a_beat_a_clock(dut: Any) -> None:
    """Long messages, memory that does not pause."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    begun = cocotb.utils.get_sim_time("ns")
    for _ in range(7):
        await bench.move(8192, 8192)
    await bench.drain()
    clocks = (cocotb.utils.get_sim_time("ns") - begun) / 10 - 50
    dut._log.info(f"7 messages of 8,192 bytes, 896 beats: {clocks:.0f} clocks")
    assert clocks < 2 * 896
