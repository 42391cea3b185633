# SPDX-License-Identifier: Apache-2.0
"""DoorbellPort: which accesses mean something, and which are errors (R13)."""

from collections import deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, pauses, reset, start_clock

PRESET = regs.PRESETS["tiny"]
BEAT = regs.DOORBELL_COMMAND_BYTES
PAGE = regs.DOORBELL_PAGE_BYTES
CONSUMER = regs.DOORBELL_CONSUMER_OFFSET
ASK = regs.DOORBELL_ASK_OFFSET
WHOLE = (1 << BEAT) - 1
OKAY, SLAVE_ERROR = 0, 2
FIXED, INCREMENT, WRAP = 0, 1, 2


class Writes:
    """The write channels of the port, and what comes out behind it."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = Random(seed.current())
        self.commands = Sink(dut, "io_command", None)
        self.consumers = Sink(dut, "io_consumer", None)
        self.errors = 0
        self.answers: deque[tuple[int, int]] = deque()
        dut.io_axi_awvalid.value = dut.io_axi_wvalid.value = dut.io_axi_arvalid.value = 0
        dut.io_axi_rready.value = dut.io_now.value = dut.io_hold.value = 0
        dut.io_look_number.value = 0
        self.asks = 0
        cocotb.start_soon(self._answers())

    async def start(self) -> None:
        """Reset."""
        start_clock(self.dut)
        await reset(self.dut)

    async def burst(
        self, address: int, beats: list[tuple[int, int]], ident: int = 0, kind: int = INCREMENT
    ) -> int:
        """Write a burst of (data, strobes); the response."""
        cocotb.start_soon(self._head(address, ident, kind))
        for at, (data, strobes) in enumerate(beats):
            await self._rest()
            values = {"wdata": data, "wstrb": strobes, "wlast": int(at == len(beats) - 1)}
            await self._offer("w", values)
        while not self.answers:
            await RisingEdge(self.dut.clock)
        found_id, response = self.answers.popleft()
        assert found_id == ident
        return response

    async def _head(self, address: int, ident: int, kind: int) -> None:
        await self._rest()
        size = BEAT.bit_length() - 1
        await self._offer("aw", {"awaddr": address, "awid": ident, "awsize": size, "awburst": kind})

    async def _offer(self, channel: str, values: dict[str, int]) -> None:
        for name, value in values.items():
            getattr(self.dut, f"io_axi_{name}").value = value
        valid = getattr(self.dut, f"io_axi_{channel}valid")
        ready = getattr(self.dut, f"io_axi_{channel}ready")
        valid.value = 1
        await RisingEdge(self.dut.clock)
        while not ready.value:
            await RisingEdge(self.dut.clock)
        valid.value = 0

    async def _rest(self) -> None:
        for _ in range(self.random.choice([0, 0, 0, 1, 5])):
            await RisingEdge(self.dut.clock)

    async def _answers(self) -> None:
        rest = pauses(self.random)
        while True:
            ready = not next(rest)
            self.dut.io_axi_bready.value = int(ready)
            await RisingEdge(self.dut.clock)
            if self.dut.reset.value:
                continue
            self.errors += int(self.dut.io_errors_0.value) + int(self.dut.io_errors_1.value)
            self.asks += int(self.dut.io_ask.value)
            if ready and self.dut.io_axi_bvalid.value:
                self.answers.append(
                    (int(self.dut.io_axi_bid.value), int(self.dut.io_axi_bresp.value))
                )


@cocotb.test()
async def r13_the_page_comes_from_the_address_alone(dut: Any) -> None:
    """R13: every slot of every page; the record passes unchanged."""
    port = Writes(dut)
    await port.start()
    for page in range(PRESET.endpoints + 1):
        for offset in range(0, regs.DOORBELL_COMMAND_WINDOW_BYTES, 5 * BEAT):
            record = port.random.getrandbits(8 * BEAT)
            ident = port.random.randrange(16)
            assert await port.burst(page * PAGE + offset, [(record, WHOLE)], ident) == OKAY
            command = await port.commands.get()
            assert (command["page"], command["record"]) == (page, record)
    assert port.errors == 0


@cocotb.test()
async def bursts_carry_several_commands(dut: Any) -> None:
    """Beats of a burst are commands in order; a wrong beat fails the burst, the others count."""
    port = Writes(dut)
    await port.start()
    for kind in (INCREMENT, FIXED):
        records = [port.random.getrandbits(8 * BEAT) for _ in range(6)]
        beats = [(record, WHOLE) for record in records]
        assert await port.burst(2 * PAGE, beats, kind=kind) == OKAY
        assert [(await port.commands.get())["record"] for _ in records] == records
    beats[2] = (records[2], WHOLE >> 1)
    assert await port.burst(PAGE, beats) == SLAVE_ERROR
    del records[2]
    assert [(await port.commands.get())["record"] for _ in records] == records
    assert port.errors == 1
    # From the last slot on a burst runs out of the command window.
    last = regs.DOORBELL_COMMAND_WINDOW_BYTES - BEAT
    assert await port.burst(PAGE + last, [(1, WHOLE), (2, WHOLE)]) == SLAVE_ERROR
    assert (await port.commands.get())["record"] == 1
    assert await port.burst(PAGE, [(3, WHOLE)]) == OKAY
    assert (await port.commands.get())["record"] == 3


@cocotb.test()
async def consumer_indices_pass(dut: Any) -> None:
    """Four bytes at the consumer offset, on every page."""
    port = Writes(dut)
    await port.start()
    for page in range(PRESET.endpoints + 1):
        index = port.random.getrandbits(32)
        noise = port.random.getrandbits(64) << 32
        assert await port.burst(page * PAGE + CONSUMER, [(noise | index, 0b1111)]) == OKAY
        update = await port.consumers.get()
        assert (update["page"], update["index"]) == (page, index)
    assert port.errors == 0 and not port.commands.taken


@cocotb.test()
async def r13_wrong_writes_are_errors(dut: Any) -> None:
    """R13: strobes, offsets and pages that mean nothing reach nobody."""
    port = Writes(dut)
    await port.start()
    beyond = (PRESET.queues + 1) * PAGE
    wrong = [
        *((0, WHOLE ^ (1 << port.random.randrange(BEAT))) for _ in range(5)),
        (0, 0),
        (CONSUMER, WHOLE),
        (CONSUMER, 0b0111),
        (CONSUMER, 0b11111),
        (CONSUMER, 0b11110000),
        (ASK, 0b1111),
        (ASK, WHOLE),
        (ASK + 4, 0b11110000),
        (CONSUMER + BEAT, WHOLE),
        (PAGE - BEAT, WHOLE),
        (8, WHOLE),
        (beyond, WHOLE),
        (beyond + CONSUMER, 0b1111),
    ]
    for address, strobes in wrong:
        response = await port.burst(address, [(1, strobes)])
        assert response == SLAVE_ERROR, f"{strobes:#x} at {address:#x} answered {response}"
    assert port.errors == len(wrong)
    assert not port.commands.taken and not port.consumers.taken and port.asks == 0
    assert await port.burst(0, [(7, WHOLE)]) == OKAY
    assert (await port.commands.get())["record"] == 7


@cocotb.test()
async def wishes_for_a_snapshot_pass(dut: Any) -> None:
    """Four bytes at the address for it, on every page, whatever they say."""
    port = Writes(dut)
    await port.start()
    for page in range(PRESET.endpoints + 1):
        noise = port.random.getrandbits(8 * BEAT)
        assert await port.burst(page * PAGE + ASK, [(noise, 0b11110000)]) == OKAY
        assert port.asks == page + 1
    assert port.errors == 0 and not port.commands.taken and not port.consumers.taken


@cocotb.test()
async def r11_a_hold_of_the_port_loses_nothing(dut: Any) -> None:
    """R11: nothing comes out while a page is configured, and all of it afterwards, in order."""
    port = Writes(dut)
    await port.start()
    dut.io_hold.value = 1
    task = cocotb.start_soon(port.burst(0, [(n, WHOLE) for n in range(4)]))
    for _ in range(100):
        await RisingEdge(dut.clock)
    assert not task.done() and not port.commands.taken
    dut.io_hold.value = 0
    assert await task == OKAY
    assert [(await port.commands.get())["record"] for _ in range(4)] == [0, 1, 2, 3]


@cocotb.test()
async def r13_wrapping_bursts_are_refused(dut: Any) -> None:
    """R13: commands and consumer indices in a burst that wraps are dropped, each counted."""
    port = Writes(dut)
    await port.start()
    assert await port.burst(0, [(1, WHOLE), (2, WHOLE)], kind=WRAP) == SLAVE_ERROR
    assert await port.burst(CONSUMER, [(1, 0b1111)], kind=WRAP) == SLAVE_ERROR
    assert port.errors == 3 and not port.commands.taken and not port.consumers.taken
    assert await port.burst(0, [(7, WHOLE)]) == OKAY


@cocotb.test()
async def reads_are_refused_beat_by_beat(dut: Any) -> None:
    """R13: commands are not readable; each beat says so and counts, the last one is marked."""
    port = Writes(dut)
    await port.start()
    for beats in (1, 3):
        dut.io_axi_araddr.value = 0
        dut.io_axi_arsize.value = 3
        dut.io_axi_arburst.value = INCREMENT
        dut.io_axi_arid.value = 9
        dut.io_axi_arlen.value = beats - 1
        dut.io_axi_arvalid.value = 1
        await RisingEdge(dut.clock)
        while not dut.io_axi_arready.value:
            await RisingEdge(dut.clock)
        dut.io_axi_arvalid.value = 0
        dut.io_axi_rready.value = 1
        seen: list[int] = []
        while len(seen) < beats:
            await RisingEdge(dut.clock)
            if dut.io_axi_rvalid.value:
                assert int(dut.io_axi_rid.value) == 9
                assert int(dut.io_axi_rresp.value) == SLAVE_ERROR and not dut.io_axi_rdata.value
                seen.append(int(dut.io_axi_rlast.value))
        assert seen == [0] * (beats - 1) + [1]
    dut.io_axi_rready.value = 0
    await RisingEdge(dut.clock)
    assert not dut.io_axi_rvalid.value and port.errors == 4
