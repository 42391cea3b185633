# SPDX-License-Identifier: Apache-2.0
"""ReadJoin: three readers on one port of memory, each with its answers in its order."""

from random import Random
from typing import Any

import cocotb
from cocotbext.axi import AxiMasterRead, AxiReadBus, AxiResp, AxiSlaveRead
from opentmu.bench import seed
from opentmu.bench.handshake import pauses, reset, start_clock
from opentmu.bench.registers import soon

AREA, READERS = 1 << 20, 3


class Memory:
    """Bytes that tell where they lie."""

    async def read(self, address: int, length: int) -> bytes:
        """Bytes from there on."""
        return what(address, length)


def what(address: int, length: int) -> bytes:
    """Bytes of memory from an address on."""
    return bytes((at ^ at >> 8 ^ at >> 16) & 0xFF for at in range(address, address + length))


@cocotb.test()
async def each_reader_has_its_own(dut: Any) -> None:
    """Bursts of all lengths to all, with pauses everywhere."""
    random = Random(seed.choose())
    ends = (dut.clock, dut.reset)
    readers = [
        AxiMasterRead(AxiReadBus.from_prefix(dut, f"io_in_{number}"), *ends)
        for number in range(READERS)
    ]
    slave = AxiSlaveRead(AxiReadBus.from_prefix(dut, "io_out"), *ends, target=Memory())
    for port in (*readers, slave):
        for channel in (port.ar_channel, port.r_channel):
            channel.set_pause_generator(pauses(Random(random.random())))
    start_clock(dut)
    await reset(dut)

    async def read(number: int) -> None:
        at, under_way = number * AREA, []
        for _ in range(150):
            at += random.randrange(200)
            size = random.choice((1, 8, 64, 64, 100, 1000, 4096))
            under_way.append((at, size, readers[number].init_read(at, size, arid=0)))
            at += size
            while len(under_way) > random.randrange(6):
                address, length, event = under_way.pop(0)
                await soon(event.wait())
                assert event.data.resp == AxiResp.OKAY
                assert event.data.data == what(address, length)

    tasks = [cocotb.start_soon(read(number)) for number in range(READERS)]
    for task in tasks:
        await task
