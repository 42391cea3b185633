# SPDX-License-Identifier: Apache-2.0
"""ControlRegisters: the AXI4-Lite port, the register file, and what writing does."""

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, pauses, reset, start_clock

PRESET = regs.PRESETS["tiny"]
OKAY, SLAVE_ERROR = 0, 2


class Registers:
    """The block's AXI4-Lite port by hand, so that every illegal access can be made."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = Random(seed.current())
        self.errors = 0
        self.triggers: list[str] = []
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
            getattr(dut, f"io_axi_{name}").value = 0
        inputs = ("endpointState_valid", "idle", "counting", "counterValue", "look_busy")
        for name in (*inputs, "segments", "spareChunks", "spilled_0", "spilled_1"):
            getattr(dut, f"io_{name}").value = 0
        dut.io_ready.value = 1
        self.pages = Sink(dut, "io_page", None)
        self.endpoints = Sink(dut, "io_endpoint", None)
        cocotb.start_soon(self._watch())

    async def start(self) -> None:
        """Reset."""
        start_clock(self.dut)
        await reset(self.dut)

    async def write(self, address: int, data: int, strobes: int = 0b1111) -> int:
        """Write any bytes anywhere; the response."""
        self.dut.io_axi_awaddr.value = address
        self.dut.io_axi_wdata.value = data
        self.dut.io_axi_wstrb.value = strobes
        address_task = cocotb.start_soon(self._offer("aw"))
        await self._offer("w")
        await address_task
        return (await self._answer("b"))["bresp"]

    async def read(self, address: int) -> tuple[int, int]:
        """Response and data."""
        self.dut.io_axi_araddr.value = address
        await self._offer("ar")
        answer = await self._answer("r")
        return answer["rresp"], answer["rdata"]

    async def set(self, name: str, value: int) -> None:
        """Write a register by name."""
        assert await self.write(regs.REGISTERS[name], value) == OKAY

    async def get(self, name: str) -> int:
        """Read a register by name."""
        response, data = await self.read(regs.REGISTERS[name])
        assert response == OKAY
        return data

    async def _offer(self, channel: str) -> None:
        for _ in range(self.random.choice([0, 0, 1, 4])):
            await RisingEdge(self.dut.clock)
        valid = getattr(self.dut, f"io_axi_{channel}valid")
        ready = getattr(self.dut, f"io_axi_{channel}ready")
        valid.value = 1
        await RisingEdge(self.dut.clock)
        while not ready.value:
            await RisingEdge(self.dut.clock)
        valid.value = 0

    async def _answer(self, channel: str) -> dict[str, int]:
        valid = getattr(self.dut, f"io_axi_{channel}valid")
        ready = getattr(self.dut, f"io_axi_{channel}ready")
        for pause in pauses(self.random):
            ready.value = int(not pause)
            await RisingEdge(self.dut.clock)
            if not pause and valid.value:
                break
        ready.value = 0
        names = ("bresp",) if channel == "b" else ("rresp", "rdata")
        return {name: int(getattr(self.dut, f"io_axi_{name}").value) for name in names}

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clock)
            if not self.dut.reset.value:
                self.errors += int(self.dut.io_error.value)
                for name in ("reset", "snapshot"):
                    if getattr(self.dut, f"io_{name}").value:
                        self.triggers.append(name)


def mapped() -> set[int]:
    """Every offset that is a register."""
    pairs = {at + word for at in regs.COUNTERS.values() for word in (0, 4)}
    return pairs | set(regs.REGISTERS.values())


@cocotb.test()
async def every_offset_answers_as_documented(dut: Any) -> None:
    """R13: all of the space: mapped words answer, everything else is an error and counted."""
    port = Registers(dut)
    await port.start()
    known, errors = mapped(), 0
    for word in range(0, regs.REGISTER_BYTES, 4):
        response, data = await port.read(word)
        assert (response == OKAY) == (word in known), hex(word)
        assert word in known or data == 0
        errors += word not in known
    for word in sorted(known):
        for byte in (1, 2, 3):
            assert await port.read(word + byte) == (SLAVE_ERROR, 0), hex(word + byte)
            assert await port.write(word + byte, 0xFFFFFFFF) == SLAVE_ERROR
            errors += 2
    assert port.errors == errors
    assert port.triggers == [] and not port.pages.taken and not port.endpoints.taken


@cocotb.test()
async def partial_and_read_only_writes_change_nothing(dut: Any) -> None:
    """R13: every strobe but all four, and every read-only register."""
    port = Registers(dut)
    await port.start()
    for name, access in regs.REGISTER_ACCESS.items():
        offset = regs.REGISTERS[name]
        if access == "r":
            assert await port.write(offset, 0xFFFFFFFF) == SLAVE_ERROR, name
            continue
        before = await port.get(name)
        for strobes in range(15):
            assert await port.write(offset, ~before & 0xFFFFFFFF, strobes) == SLAVE_ERROR, name
        assert await port.get(name) == before
    assert port.triggers == [] and not port.pages.taken and not port.endpoints.taken


@cocotb.test()
async def triggers_fire_once(dut: Any) -> None:
    """One clock for each write of 1; other bits do nothing; reset cancels nothing else."""
    port = Registers(dut)
    await port.start()
    fields = regs.REGISTER_FIELDS["CONTROL"]
    for name in ("reset", "snapshot"):
        await port.set("CONTROL", 1 << fields[name.upper()][0])
    await port.set("CONTROL", 0xFFFFFFFF & ~sum(1 << low for low, _ in fields.values()))
    await ClockCycles(dut.clock, 5)
    assert port.triggers == ["reset", "snapshot"]


@cocotb.test()
async def page_commit_hands_the_ring_on(dut: Any) -> None:
    """A page's ring and queue as they were at the commit; a page that is not there is refused."""
    port = Registers(dut)
    await port.start()
    share, _ = regs.REGISTER_FIELDS["QUEUE_CONFIG"]["LOG2"]
    await port.set("PAGE_ENDPOINT", 3)
    await port.set("QUEUE_CONFIG", 4 << share | 48)
    for page in (0, PRESET.queues, PRESET.queues + 1, 2**32 - 1):
        base = port.random.getrandbits(64)
        await port.set("PAGE_SELECT", page)
        await port.set("RING_BASE_LO", base & 0xFFFFFFFF)
        await port.set("RING_BASE_HI", base >> 32)
        low, _ = regs.REGISTER_FIELDS["RING_CONFIG"]["ENABLE"]
        await port.set("RING_CONFIG", 9 | 1 << low)
        await port.set("PAGE_COMMIT", 1)
        await port.set("PAGE_SELECT", 1)
        if page > PRESET.queues:
            await ClockCycles(dut.clock, 10)
            assert not port.pages.taken and await port.get("PAGE_STATUS") == 0b10
            continue
        expected = {"page": page, "ring_enable": 1, "ring_log2": 9, "ring_base": base >> 6}
        expected |= {"queue_endpoint": 3, "queue_first": 48, "queue_log2": 4}
        assert await port.pages.get() == expected
        assert await port.get("PAGE_STATUS") == 0


@cocotb.test()
async def r14_an_endpoint_command_waits_for_the_end_of_a_reset(dut: Any) -> None:
    """R14: while the unit is not ready nobody hears the request, so it must not be made."""
    port = Registers(dut)
    await port.start()
    dut.io_ready.value = 0
    await port.set("ENDPOINT_SELECT", 2)
    await port.set("QUOTA_POSTED", 7)
    await port.set("ENDPOINT_COMMAND", 3)
    await ClockCycles(dut.clock, 20)
    assert not port.endpoints.taken, "an endpoint request was made during a reset"
    assert await port.get("ENDPOINT_STATUS") & 1
    dut.io_ready.value = 1
    request = await port.endpoints.get()
    assert (request["endpoint"], request["quotaPosted"]) == (2, 7)
    dut.io_endpointState_bits_posted.value = 5
    dut.io_endpointState_bits_unexpected.value = 6
    dut.io_endpointState_valid.value = 1
    await RisingEdge(dut.clock)
    dut.io_endpointState_valid.value = 0
    assert await port.get("ENDPOINT_STATUS") == 0
    assert [await port.get("DEPTH_POSTED"), await port.get("DEPTH_UNEXPECTED")] == [5, 6]
