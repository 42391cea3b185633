# SPDX-License-Identifier: Apache-2.0
"""Does what nobody may do: appends to a full array.  Only an assertion can notice (R11)."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu import regs
from opentmu.bench.handshake import reset, start_clock


@cocotb.test()
async def append_beyond_the_last_slot(dut: Any) -> None:
    """One append more than the array has lanes."""
    dut.io_ask_searches.value = dut.io_append_valid.value = 0
    start_clock(dut)
    await reset(dut)
    for n in range(regs.PRESETS["tiny"].array_entries + 1):
        dut.io_append_bits_slot.value = n
        dut.io_append_valid.value = 1
        await RisingEdge(dut.clock)
    dut.io_append_valid.value = 0
    await ClockCycles(dut.clock, 4)
