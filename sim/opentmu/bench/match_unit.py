# SPDX-License-Identifier: Apache-2.0
"""Drives a MatchUnit that stands alone, and feeds the scoreboard."""

from collections.abc import Iterable
from random import Random
from typing import Any

from cocotb.triggers import RisingEdge

from opentmu import regs
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.bench.records import Answer, Operation
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import Item, Quota
from opentmu.regs import Opcode, Status

PATIENCE = 5000


def signals(operation: Operation, preset: regs.Preset, stamp: int) -> Values:
    """A decoded command: what the decoder in front of the unit would make of the record."""
    none = (1 << preset.id_bits) - 1
    ident = operation.receive_id
    _, low, _ = regs.COMMAND_FIELDS["inspect_queue"]
    return {
        "opcode": operation.opcode,
        "malformed": int(operation.is_malformed(preset)),
        "privileged": int(operation.page == preset.endpoints),
        "page": operation.page,
        "endpoint": operation.target(preset),
        "key_bits": operation.match,
        "key_source": operation.source,
        "ignore_bits": operation.ignore,
        "ignore_source": operation.source_ignore,
        "handle": operation.handle,
        "address": operation.address,
        "length": operation.length,
        "id": min(ident, none),
        "position": operation.address & (1 << low) - 1,
        "inspectUnexpected": operation.address >> low & 1,
        "stamp": stamp,
    }


def answer(verdict: Values) -> Answer:
    """A verdict's signals as the bench's answer."""
    entry = verdict["status"] == Status.ENTRY
    length = verdict["messageLength"] if verdict["unexpected"] else verdict["receiveLength"]
    return Answer(
        opcode=verdict["opcode"],
        status=verdict["status"],
        handle=verdict["handle"],
        endpoint=verdict["endpoint"],
        serial=verdict["serial"],
        other=verdict["other"],
        match=verdict["key_bits"],
        source=verdict["key_source"],
        message_length=length if entry else verdict["messageLength"],
        receive_length=0 if entry else verdict["receiveLength"],
        address=verdict["address"],
        truncated=verdict["truncated"],
        unexpected=verdict["unexpected"],
        ignore=verdict["ignore_bits"] if entry else 0,
        source_ignore=verdict["ignore_source"] if entry else 0,
    )


class MatchUnitBench:
    """Commands in, verdicts to the scoreboard, quotas between commands."""

    def __init__(
        self, dut: Any, scoreboard: Scoreboard, seed: int, *, with_pauses: bool = True
    ) -> None:
        self.dut = dut
        self.scoreboard = scoreboard
        self.preset = scoreboard.law.preset
        draw = Random(seed) if with_pauses else None
        self.commands = Source(dut, "io_command", draw)
        self.quotas = Source(dut, "io_endpoint", draw)
        self.verdicts = Sink(dut, "io_verdict", draw, self._verdict)
        self.stamps: dict[int, int] = {}
        self.latencies: list[int] = []
        self._sent = 0

    async def start(self) -> None:
        """Reset, and wait until the unit says that it is ready (R14)."""
        start_clock(self.dut)
        await reset(self.dut)
        for _ in range(PATIENCE):
            if self.dut.io_ready.value:
                return
            await RisingEdge(self.dut.clock)
        raise TimeoutError("the unit did not get ready after reset")

    async def run(self, items: Iterable[Item]) -> None:
        """Send everything and wait for the last answer."""
        for item in items:
            if isinstance(item, Quota):
                await self.set_quota(item)
            else:
                self.scoreboard.sent(item)
                await self.commands.send(**signals(item, self.preset, self._sent))
                self._sent += 1
        await self.drain()

    async def set_quota(self, quota: Quota) -> None:
        """Change quotas behind the commands that were sent."""
        await self.drain()
        self.scoreboard.law.set_quota(quota.endpoint, quota.posted, quota.unexpected)
        values = {"quotaPosted": quota.posted, "quotaUnexpected": quota.unexpected}
        await self.quotas.send(endpoint=quota.endpoint, setQuota=1, **values)

    async def drain(self) -> None:
        """Wait until all answers are there; fails when they stop coming."""
        waited, before = 0, -1
        while self.scoreboard.outstanding:
            waited = 0 if self.scoreboard.compared != before else waited + 1
            before = self.scoreboard.compared
            if waited > PATIENCE:
                self.scoreboard.finish()
            await RisingEdge(self.dut.clock)

    def _verdict(self, verdict: Values) -> None:
        found = answer(verdict)
        if found.opcode != Opcode.FLUSH:
            self.latencies.append(verdict["latency"])
        self.scoreboard.received(verdict["page"], found)
