# SPDX-License-Identifier: Apache-2.0
"""The unit's registers by name."""

from typing import Any

from cocotb.triggers import with_timeout
from cocotbext.axi import AxiLiteMaster, AxiResp

from opentmu import regs

PATIENCE = 20_000
REGISTER_BYTES = 4
TIMEOUT_US = 5000


class Registers:
    """Reads and writes through the AXI4-Lite port; whoever inherits brings it."""

    registers: AxiLiteMaster

    async def read(self, name: str) -> int:
        """A register by name."""
        answer = await self._soon(self.registers.read(regs.REGISTERS[name], REGISTER_BYTES))
        assert answer.resp == AxiResp.OKAY, f"reading {name} answered {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int) -> None:
        """Write a register by name."""
        resp = await self.write_raw(regs.REGISTERS[name], value.to_bytes(REGISTER_BYTES, "little"))
        assert resp == AxiResp.OKAY, f"writing {name} answered {resp!r}"

    async def read_raw(self, offset: int) -> tuple[Any, int]:
        """Response and data of any offset."""
        answer = await self._soon(self.registers.read(offset, REGISTER_BYTES))
        return answer.resp, int.from_bytes(answer.data, "little")

    async def write_raw(self, offset: int, data: bytes) -> Any:
        """Response of any register write."""
        return (await self._soon(self.registers.write(offset, data))).resp

    async def counters(self) -> dict[str, int]:
        """All counters as of one clock."""
        await self.write("CONTROL", bit("CONTROL", "SNAPSHOT"))
        result = {}
        for name, offset in regs.COUNTERS.items():
            data = await self._soon(self.registers.read(offset, 2 * REGISTER_BYTES))
            assert data.resp == AxiResp.OKAY
            result[name] = int.from_bytes(data.data, "little")
        return result

    async def until_ready(self) -> None:
        """Wait for the end of a reset (R14)."""
        for _ in range(PATIENCE):
            if await self.read("STATUS") & bit("STATUS", "READY"):
                return
        raise TimeoutError("the unit did not get ready")

    async def _not_busy(self, name: str) -> int:
        for _ in range(PATIENCE):
            status = await self.read(name)
            if not status & bit(name, "BUSY"):
                return status
        raise TimeoutError(f"{name} stays busy")

    async def _soon(self, awaitable: Any) -> Any:
        return await with_timeout(awaitable, TIMEOUT_US, "us")


def bit(register: str, field: str) -> int:
    """A register field's mask."""
    low, width = regs.REGISTER_FIELDS[register][field]
    return ((1 << width) - 1) << low
