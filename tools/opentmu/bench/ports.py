# SPDX-License-Identifier: Apache-2.0
"""The other ends of the unit's AXI ports."""

from collections.abc import Iterator
from typing import Any

from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiMaster,
    AxiSlave,
    AxiSlaveWrite,
    AxiWriteBus,
)

from opentmu.bench.memory import HostMemory
from opentmu.bench.spill_memory import SpillMemory


class Ports:
    """Masters and slaves of one TmuTop, or of a card, which reads host memory as well."""

    def __init__(self, dut: Any, memory: HostMemory, spill_memory: SpillMemory) -> None:
        clock_and_reset = (dut.clock, dut.reset)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), *clock_and_reset)
        self.doorbells = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), *clock_and_reset)
        self.completions: Any = None
        self.host: Any = None
        if hasattr(dut, "m_axi_arvalid"):
            bus = AxiBus.from_prefix(dut, "m_axi")
            self.host = AxiSlave(bus, *clock_and_reset, target=memory)
        else:
            bus = AxiWriteBus.from_prefix(dut, "m_axi")
            self.completions = AxiSlaveWrite(bus, *clock_and_reset, target=memory)
        spill = AxiBus.from_prefix(dut, "m_axi_mem")
        self.spill = AxiSlave(spill, *clock_and_reset, target=spill_memory)

    def channels(self) -> Iterator[Any]:
        """Every channel that can pause."""
        for port in filter(None, (self.doorbells, self.registers, self.spill, self.host)):
            write, read = port.write_if, port.read_if
            yield from (write.aw_channel, write.w_channel, write.b_channel)
            yield from (read.ar_channel, read.r_channel)
        if completions := self.completions:
            yield from (completions.aw_channel, completions.w_channel, completions.b_channel)
