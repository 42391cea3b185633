# SPDX-License-Identifier: Apache-2.0
"""The registers of the whole unit by their names, and waits for what they tell."""

from typing import Any

from cocotb.triggers import with_timeout
from cocotbext.axi import AxiResp

from opentmu import regs

PATIENCE = 20_000
REGISTER_BYTES = 4
TIMEOUT_US = 5000


class RegisterPort:
    """The AXI4-Lite port."""

    def __init__(self, registers: Any) -> None:
        self.registers = registers

    async def read(self, name: str) -> int:
        """A register by name."""
        answer = await soon(self.registers.read(regs.REGISTERS[name], REGISTER_BYTES))
        assert answer.resp == AxiResp.OKAY, f"reading {name} answered {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int) -> None:
        """Write a register by name."""
        resp = await self.write_raw(regs.REGISTERS[name], value.to_bytes(REGISTER_BYTES, "little"))
        assert resp == AxiResp.OKAY, f"writing {name} answered {resp!r}"

    async def read_raw(self, offset: int) -> tuple[Any, int]:
        """Response and data of any offset."""
        answer = await soon(self.registers.read(offset, REGISTER_BYTES))
        return answer.resp, int.from_bytes(answer.data, "little")

    async def write_raw(self, offset: int, data: bytes) -> Any:
        """Response of any register write."""
        return (await soon(self.registers.write(offset, data))).resp

    async def counters(self) -> dict[str, int]:
        """All counters as of one clock."""
        await self.write("CONTROL", bit("CONTROL", "SNAPSHOT"))
        result = {}
        for name, offset in regs.COUNTERS.items():
            data = await soon(self.registers.read(offset, 2 * REGISTER_BYTES))
            assert data.resp == AxiResp.OKAY
            result[name] = int.from_bytes(data.data, "little")
        return result

    async def until_ready(self) -> None:
        """Wait for the end of a reset (R14)."""
        await self.until("STATUS", "READY")

    async def until_idle(self) -> None:
        """Wait until nothing is on its way any more."""
        await self.until("STATUS", "IDLE")

    async def endpoint_command(self, name: str) -> int:
        """Run an endpoint command to its end; the status register as it is then."""
        await self.write("ENDPOINT_COMMAND", bit("ENDPOINT_COMMAND", name))
        return await self.until("ENDPOINT_STATUS", "BUSY", on=False)

    async def depths(self, endpoint: int) -> tuple[int, int]:
        """The depths of an endpoint's queues, as software reads them."""
        await self.write("ENDPOINT_SELECT", endpoint)
        await self.endpoint_command("READ_DEPTH")
        return await self.read("DEPTH_POSTED"), await self.read("DEPTH_UNEXPECTED")

    async def until(self, name: str, field: str, *, on: bool = True) -> int:
        """Wait until a field of a register is on, or off; the register as it is then."""
        for _ in range(PATIENCE):
            value = await self.read(name)
            if bool(value & bit(name, field)) == on:
                return value
        raise TimeoutError(f"{field} of {name} does not become {int(on)}")


async def soon(awaitable: Any) -> Any:
    """An answer of a port, which comes in time."""
    return await with_timeout(awaitable, TIMEOUT_US, "us")


def bit(register: str, field: str) -> int:
    """A register field's mask."""
    low, width = regs.REGISTER_FIELDS[register][field]
    return ((1 << width) - 1) << low
