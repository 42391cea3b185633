# SPDX-License-Identifier: Apache-2.0
"""WriteJoin: three writers on one port of memory, each with its answers in its order."""

from random import Random
from typing import Any

import cocotb
from cocotbext.axi import AxiMasterWrite, AxiResp, AxiSlaveWrite, AxiWriteBus
from opentmu.bench import seed
from opentmu.bench.handshake import pauses, reset, start_clock
from opentmu.bench.memory import HostMemory
from opentmu.bench.registers import soon

AREA = 1 << 20


class Bench:
    """Three masters and a memory."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = random = Random(seed.choose())
        self.bytes: dict[int, int] = {}
        self.memory = HostMemory(self._written)
        ends = (dut.clock, dut.reset)
        self.writers = [
            AxiMasterWrite(AxiWriteBus.from_prefix(dut, f"io_in_{number}"), *ends)
            for number in range(3)
        ]
        self.slave = AxiSlaveWrite(
            AxiWriteBus.from_prefix(dut, "io_out"), *ends, target=self.memory
        )
        for port in (*self.writers, self.slave):
            for channel in (port.aw_channel, port.w_channel, port.b_channel):
                channel.set_pause_generator(pauses(Random(random.random())))

    def _written(self, address: int, data: bytes) -> None:
        self.bytes |= zip(range(address, address + len(data)), data, strict=True)

    async def write(self, number: int, count: int) -> None:
        """Writes of one master, some of them under way at a time; each is there when answered."""
        random = self.random
        at = number * AREA
        under_way = []
        for _ in range(count):
            at += random.randrange(200)
            data = random.randbytes(random.choice((1, 8, 64, 64, 100, 1000, 4096)))
            under_way.append((at, data, self.writers[number].init_write(at, data, awid=0)))
            at += len(data)
            if len(under_way) > random.randrange(6):
                await self.check(*under_way.pop(0))
        for one in under_way:
            await self.check(*one)

    async def check(self, at: int, data: bytes, event: Any) -> None:
        """A write that is answered has all its bytes in memory."""
        await soon(event.wait())
        assert event.data.resp == AxiResp.OKAY
        found = bytes(self.bytes[at + offset] for offset in range(len(data)))
        assert found == data, f"{len(data)} bytes at {at:#x}"


@cocotb.test()
async def each_writer_has_its_own(dut: Any) -> None:
    """Bursts of all lengths from all, with pauses everywhere."""
    bench = Bench(dut)
    start_clock(dut)
    await reset(dut)
    tasks = [cocotb.start_soon(bench.write(number, 150)) for number in range(3)]
    for task in tasks:
        await task
    assert bench.memory.failure is None
