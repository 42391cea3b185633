# SPDX-License-Identifier: Apache-2.0
"""Does what nobody may do: appends to a full table.  Only an assertion can notice (R11)."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu import regs
from opentmu.bench.handshake import Sink, Source, reset, start_clock

APPEND = 3


@cocotb.test()
async def append_beyond_the_last_place(dut: Any) -> None:
    """One append more than the table has places."""
    requests = Source(dut, "io_request", None)
    Sink(dut, "io_reply", None)
    start_clock(dut)
    await reset(dut)
    for n in range(regs.PRESETS["tiny"].posted_entries + 1):
        await requests.send(operation=APPEND, slot=n % 64, id=n)
    await ClockCycles(dut.clock, 4)
