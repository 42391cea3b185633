# SPDX-License-Identifier: Apache-2.0
"""ResponseStore: what CACK covers was answered by default, what comes again is answered as it was
(W4)."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, set_all, start_clock

PDCS, RESPONSES, NUMBERS = 4, 8, 1 << 32
ACK, NACK, RESPONSE, WANTS_CLEAR, PROBED = 7, 10, 4, 2, 8
SAID = ("opcode", "returnCode", "list", "messageId", "generation", "modifiedLength")


def behind(a: int, b: int) -> bool:
    """Whether one sequence number is before another."""
    return (a - b) % NUMBERS >= NUMBERS // 2


@dataclass
class Connection:
    """A connection, and what of it an initiator may still read."""

    index: int
    next: int
    decided: int
    kept: dict[int, Values] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    @property
    def cack(self) -> int:
        """Up to here nothing needs to be read, and all is decided."""
        return (next(iter(self.kept)) if self.kept else self.decided) - 1


class Bench:
    """The store, and connections whose packets are delivered, decided, cleared and repeated."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.random = dut, Random(seed.choose())
        self.handled = Source(dut, "io_handled", self.random)
        self.answer = Source(dut, "io_answer", self.random)
        self.out = Sink(dut, "io_out", self.random)
        self.connections: list[Connection] = []
        self.seen: Counter[str] = Counter()

    async def start(self) -> None:
        """Reset, and the connections."""
        self.dut.io_events_valid.value = 0
        start_clock(self.dut)
        await reset(self.dut)
        for index in range(PDCS):
            await self.open(index)

    async def event(self, index: int, **fields: int) -> None:
        """An event of a connection."""
        names = ("opens", "clears", "delivers")
        set_all(self.dut, "io_events_bits", {"index": index} | dict.fromkeys(names, 0) | fields)
        self.dut.io_events_valid.value = 1
        await RisingEdge(self.dut.clock)
        self.dut.io_events_valid.value = 0

    async def open(self, index: int) -> None:
        """A connection begins."""
        first = self.random.choice((0, 5, NUMBERS - 3))
        await self.event(index, opens=1, start=first)
        self.connections[index : index + 1] = [Connection(index, first, first)]

    async def deliver(self, one: Connection) -> None:
        """A packet is delivered, if there is room for its response."""
        await ClockCycles(self.dut.clock, 2)
        room = len(one.kept) + len(one.waiting) < RESPONSES
        assert int(self.dut.io_room.value) >> one.index & 1 == room
        if room:
            await self.event(one.index, delivers=1)
            one.waiting.append(one.next)
            one.next = (one.next + 1) % NUMBERS
        self.seen["delivered" if room else "full"] += 1

    def _pds(self, one: Connection, **fields: int) -> Values:
        usual = {"pds_kind": ACK, "pds_next": RESPONSE, "pds_flags": 0, "pds_payload": 7}
        return usual | {"pds_spdcid": 5 * PDCS + one.index, "pds_offset": 0} | fields

    async def decide(self, one: Connection) -> None:
        """The oldest packet that was delivered is decided, and answered perhaps."""
        psn = one.waiting.pop(0)
        said = {name: self.random.getrandbits(6) for name in SAID} | {"list": 1}
        said["opcode"] = int(self.random.random() < 0.4)
        sends = said["opcode"] or self.random.random() < 0.5
        response = {f"response_{name}": value for name, value in said.items()}
        fields = self._pds(one, pds_psn=psn, pds_flags=WANTS_CLEAR * said["opcode"], sends=sends)
        await self.handled.send(**fields | response)
        one.decided = (psn + 1) % NUMBERS
        if said["opcode"]:
            one.kept[psn] = response
        if sends:
            await self.check(one, psn, response | {"pds_flags": fields["pds_flags"]})

    async def check(self, one: Connection, psn: int, wanted: Values) -> None:
        """The answer says this, of this number, and acknowledges no more than it may."""
        found = await self.out.get()
        cack = one.cack % NUMBERS
        expected = {"pds_psn": cack, "pds_offset": (psn - cack) % 0x10000} | wanted
        assert {name: found[name] for name in expected} == expected, f"{one}: {psn} {found}"
        self.seen["kept" if one.kept else "free"] += 1

    async def again(self, one: Connection) -> None:
        """A packet that was delivered comes again, or is asked for."""
        last = (one.next - 1) % NUMBERS
        psn = (last - self.random.randrange(12)) % NUMBERS
        asked = self.random.random() < 0.3
        answer = self._pds(one, pds_psn=last, pds_next=0 if asked else RESPONSE, repeats=1)
        answer |= {"pds_offset": (psn - last) % 0x10000}
        delivered = one.waiting[-1] if one.waiting else (one.decided - 1) % NUMBERS
        task = cocotb.start_soon(self.answer.send(**answer | {"delivered": delivered}))
        if one.waiting:  # not before all of them are decided
            await ClockCycles(self.dut.clock, self.random.randrange(100))
            assert not task.done() and not self.out.taken
            self.seen["waits"] += 1
        while one.waiting:
            await self.decide(one)
        await task
        if psn in one.kept:
            self.seen["repeated"] += 1
            kept = one.kept[psn] | {"pds_flags": WANTS_CLEAR, "pds_next": RESPONSE}
            await self.check(one, psn, kept)
        else:
            await self.check(one, psn, {"pds_flags": 0, "pds_next": answer["pds_next"]})

    async def pass_by(self, one: Connection) -> None:
        """A refusal is as it was; a probe has its value and this connection's CACK."""
        probe = self.random.random() < 0.5
        fields = {"pds_kind": NACK, "pds_next": 0, "pds_psn": 77, "pds_offset": 0xD00}
        if probe:
            last = (one.next - 1) % NUMBERS
            fields |= {"pds_kind": ACK, "pds_psn": last, "pds_flags": PROBED}
            while one.waiting:
                await self.decide(one)
        delivered = (one.decided - 1) % NUMBERS
        await self.answer.send(**self._pds(one) | fields | {"repeats": 0, "delivered": delivered})
        found = await self.out.get()
        wanted = fields | ({"pds_psn": one.cack % NUMBERS} if probe else {})
        assert {name: found[name] for name in wanted} == wanted, f"{found}"

    async def clear(self, one: Connection) -> None:
        """The initiator has all up to a number, or says again that it has."""
        back = self.random.randrange(-1, 12)
        clear = (one.decided - 1 - back) % NUMBERS
        if behind(clear, one.decided):
            await self.event(one.index, clears=1, clear=clear)
            for psn in [psn for psn in one.kept if not behind(clear, psn)]:
                del one.kept[psn]
            self.seen["cleared"] += 1
            await ClockCycles(self.dut.clock, RESPONSES + 3)


@cocotb.test()
async def w4_responses_are_kept(dut: Any) -> None:
    """W4: packets of four connections, delivered, decided, repeated and cleared at random."""
    bench = Bench(dut)
    await bench.start()
    does = (bench.deliver, bench.deliver, bench.decide, bench.again, bench.clear, bench.pass_by)
    for _ in range(3000):
        one = bench.random.choice(bench.connections)
        what = bench.random.choice(does)
        if what == bench.decide and not one.waiting:
            continue
        if bench.random.random() < 0.01 and not one.waiting:
            await bench.open(one.index)
            continue
        await what(one)
    names = ("delivered", "full", "waits", "repeated", "cleared", "kept", "free")
    assert all(bench.seen[name] > 20 for name in names), f"{bench.seen}"


@cocotb.test()
async def w4_cleared_ahead(dut: Any) -> None:
    """A response that is cleared before it is decided is not kept."""
    bench = Bench(dut)
    await bench.start()
    one = bench.connections[0]
    for _ in range(3 * RESPONSES):
        await bench.deliver(one)
        await bench.event(0, clears=1, clear=one.waiting[0])
        psn = one.waiting.pop()
        fields = bench._pds(one, pds_psn=psn, sends=1, response_opcode=1)
        await bench.handled.send(**fields)
        found = await bench.out.get()
        assert found["pds_psn"] == psn and found["pds_offset"] == 0
        one.decided = one.next
