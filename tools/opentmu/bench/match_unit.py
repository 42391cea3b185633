# SPDX-License-Identifier: Apache-2.0
"""Drives both streams of a MatchUnit that stands alone, and feeds the scoreboard.

The order of the law is the order of slots, and in a slot the post comes before the arrival (R7).
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from cocotb.triggers import RisingEdge

from opentmu import regs
from opentmu.bench.handshake import Sink, Source, Values, pauses, reset, start_clock
from opentmu.bench.law import Quota
from opentmu.bench.meetings import ARRIVAL, POST, Accepted
from opentmu.bench.records import Answer, Operation
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import Item, Walk
from opentmu.regs import Opcode, Status

PATIENCE = 5000
STREAMS = ("post", "arrival")

# Fields of commands that memory beyond the tables injects, and never the host.
SPILL_FIELDS = ("refills", "releases", "first", "deferrals", "retries", "sure")
INJECTED = tuple(f"spill_{name}" for name in SPILL_FIELDS)
Draw = Callable[[int], Operation]


def stream_of(operation: Operation) -> int:
    """The stream whose searches are this one's: of receives the arrivals', all else the posts'."""
    if operation.opcode == Opcode.INSPECT:
        of_messages, _ = operation.inspected
        return POST if of_messages else ARRIVAL
    return ARRIVAL if operation.opcode in (Opcode.ARRIVE, Opcode.CANCEL) else POST


def early_status(operation: Operation, preset: regs.Preset) -> Status | None:
    """R10, R13: the answer to a command that searches nothing."""
    refusal = operation.refusal(preset)
    if refusal is not None:
        return refusal
    none = (1 << preset.id_bits) - 1
    if operation.opcode == Opcode.CANCEL and operation.receive_id >= none:
        return Status.LATE
    return Status.EMPTY if operation.is_beyond(preset) else None


def signals(operation: Operation, preset: regs.Preset, stamp: int) -> Values:
    """A decoded command: what the decoder in front of the unit would make of the record."""
    none = (1 << preset.id_bits) - 1
    ident = operation.receive_id
    early = early_status(operation, preset)
    of_messages, position = operation.inspected
    return {
        "opcode": operation.opcode,
        "malformed": int(early is Status.MALFORMED),
        "privileged": int(operation.page == preset.queues),
        "flushes": int(operation.opcode == Opcode.FLUSH and early is None),
        "searches": int(early is None),
        "status": early or 0,
        "page": operation.page,
        "endpoint": operation.target(preset),
        **{f"key_{signal}": getattr(operation, value) for value, _, _, signal in regs.KEY},
        **{f"ignore_{signal}": getattr(operation, mask) for _, mask, _, signal in regs.KEY},
        "handle": operation.handle,
        "address": operation.address,
        "length": operation.length,
        "id": min(ident, none),
        "position": position,
        "inspectUnexpected": int(of_messages),
        "stamp": stamp,
        **dict.fromkeys(INJECTED, 0),
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
        **{value: verdict[f"key_{signal}"] for value, _, _, signal in regs.KEY},
        message_length=length if entry else verdict["messageLength"],
        receive_length=0 if entry else verdict["receiveLength"],
        address=verdict["address"],
        truncated=verdict["truncated"],
        unexpected=verdict["unexpected"],
        **{m: verdict[f"ignore_{signal}"] if entry else 0 for _, m, _, signal in regs.KEY},
    )


class MatchUnitBench:
    """Operations into both streams, verdicts to the scoreboard, quotas and walks between."""

    def __init__(
        self, dut: Any, scoreboard: Scoreboard, seed: int, *, with_pauses: bool = True
    ) -> None:
        self.dut = dut
        self.scoreboard = scoreboard
        self.preset = scoreboard.law.preset
        draw = Random(seed) if with_pauses else None
        self.rests = [None if draw is None else pauses(draw) for _ in STREAMS]
        self.quotas = Source(dut, "io_endpoint", draw)
        self.verdicts = Sink(dut, "io_verdicts", draw, self._verdicts)
        self.latencies: list[int] = []
        self.accepted: list[Accepted] = []
        self.answers: list[Answer] = []
        self.clock = 0
        self._sent = 0
        for stream in STREAMS:
            getattr(dut, f"io_{stream}_valid").value = 0
        # No memory is registered: tables refuse when they are full, and nothing is deferred.
        dut.io_spill_registered.value = 0
        dut.io_windows_source.value = (1 << self.preset.source_bits) - 1
        half = self.preset.match_bits // 2
        dut.io_windows_low.value = (1 << half) - 1
        dut.io_windows_high.value = (1 << self.preset.match_bits) - (1 << half)

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
        """Send everything in this order and wait for the last answer.

        A post and the arrival behind it go into one slot, unless either stream pauses.
        """
        source, held = iter(items), None
        while (item := held or next(source, None)) is not None:
            held = None
            if isinstance(item, Quota):
                await self.set_quota(item)
            elif isinstance(item, Walk):
                await self.walk(item)
            else:
                held = await self._slot(item, source)
        await self.drain()

    async def _slot(self, first: Operation, source: Iterator[Item]) -> Item | None:
        """Send an operation, and the next if it may share the slot; else return that one."""
        while self._rests(stream_of(first)):
            await self._tick()
        self.scoreboard.sent(first)
        second = None if self._rests(ARRIVAL) else next(source, None)
        shares = (
            isinstance(second, Operation)
            and stream_of(first) == POST
            and stream_of(second) == ARRIVAL
        )
        offered: list[Operation | None] = [None, None]
        offered[stream_of(first)] = first
        if shares and isinstance(second, Operation):
            self.scoreboard.sent(second)
            offered[ARRIVAL] = second
        while any(offered):
            taken = await self._offer(offered)
            offered = [None if taken[s] else offered[s] for s in (POST, ARRIVAL)]
        return None if shares else second

    async def race(self, draw: Draw, clocks: int) -> None:
        """Two independent streams: each draws its next operation when its last was taken.

        The order of the law is read off the unit's acceptances.
        """
        waiting: list[Operation | None] = [None, None]
        for _ in range(clocks):
            for stream in (POST, ARRIVAL):
                if waiting[stream] is None and not self._rests(stream):
                    waiting[stream] = draw(stream)
            await self._send(waiting, waiting)
        await self.drain()
        left = [operation for operation in waiting if operation is not None]
        await self.run(left)

    async def race_planned(self, draw: Draw, clocks: list[int]) -> None:
        """One operation of each stream, offered from the given clock of the run on."""
        waiting: list[Operation | None] = [draw(stream) for stream in (POST, ARRIVAL)]
        while any(waiting):
            now = [o if self.clock >= clocks[s] else None for s, o in enumerate(waiting)]
            await self._send(waiting, now)
        await self.drain()

    async def _send(self, waiting: list[Operation | None], offered: list[Operation | None]) -> None:
        """One clock with `offered` at the ports; what was taken waits no longer."""
        taken = await self._offer(offered)
        for stream, operation in enumerate(waiting):
            if operation is not None and taken[stream]:
                self.scoreboard.sent(operation)
                waiting[stream] = None

    def _rests(self, stream: int) -> bool:
        rest = self.rests[stream]
        return rest is not None and next(rest)

    async def _offer(self, operations: list[Operation | None]) -> list[bool]:
        """One clock with these at the ports; which of them were taken."""
        dut = self.dut
        for stream, operation in enumerate(operations):
            port = f"io_{STREAMS[stream]}"
            getattr(dut, f"{port}_valid").value = int(operation is not None)
            if operation is not None:
                for name, value in signals(operation, self.preset, self._sent).items():
                    if (signal := getattr(dut, f"{port}_bits_{name}", None)) is not None:
                        signal.value = value
        await self._tick()
        taken = []
        for stream, operation in enumerate(operations):
            port = f"io_{STREAMS[stream]}"
            yes = operation is not None and bool(getattr(dut, f"{port}_ready").value)
            if yes and operation is not None:
                self.accepted.append(Accepted(operation, stream, self.clock))
                self._sent += 1
            getattr(dut, f"{port}_valid").value = 0
            taken.append(yes)
        return taken

    async def _tick(self) -> None:
        await RisingEdge(self.dut.clock)
        self.clock += 1

    async def walk(self, walk: Walk) -> None:
        """Look at every position of a queue while nothing else is going on."""
        await self.drain()
        self.scoreboard.start_walk()
        for position in range(2 * self.preset.posted_entries):
            operation = walk.inspect(position)
            self.scoreboard.sent(operation)
            offered: list[Operation | None] = [None, None]
            offered[stream_of(operation)] = operation
            while not any(await self._offer(offered)):
                pass
            if self.scoreboard.walk_ended:
                break
        await self.drain()
        self.scoreboard.end_walk(walk.queue)

    async def set_quota(self, quota: Quota) -> None:
        """Change quotas behind the commands that were sent."""
        await self.drain()
        self.scoreboard.law.set_quota(quota)
        values = {
            "quotaPosted": quota.posted,
            "quotaUnexpected": quota.unexpected,
            "reservePosted": quota.reserve_posted,
            "reserveUnexpected": quota.reserve_unexpected,
        }
        await self.quotas.send(endpoint=quota.endpoint, setQuota=1, **values)

    async def drain(self) -> None:
        """Wait until all answers are there and the unit rests; fails when they stop coming."""
        waited, before = 0, -1
        while self.scoreboard.outstanding or not self.dut.io_idle.value:
            waited = 0 if self.scoreboard.compared != before else waited + 1
            before = self.scoreboard.compared
            if waited > PATIENCE:
                self.scoreboard.finish()
                raise TimeoutError("the unit answered everything and does not get idle")
            await self._tick()

    def _verdicts(self, slot: Values) -> None:
        for stream in STREAMS:
            if slot[f"{stream}_valid"]:
                start = f"{stream}_bits_"
                names = (n for n in slot if n.startswith(start))
                self._verdict({name.removeprefix(start): slot[name] for name in names})

    def _verdict(self, verdict: Values) -> None:
        found = answer(verdict)
        self.answers.append(found)
        if found.opcode != Opcode.FLUSH:
            self.latencies.append(verdict["latency"])
        self.scoreboard.received(verdict["page"], found)
