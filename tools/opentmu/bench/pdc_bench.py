# SPDX-License-Identifier: Apache-2.0
"""PdcStage in a bench: packets of initiators for it and for the model, and what comes of them."""

from collections import Counter, deque
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.bench.pdc_model import PdcModel
from opentmu.bench.pdc_packet import AR, CLEAR, CONTROL, NUMBERS, STANDARD, SYN, Outcome

ALL = 0xFFFF  # connections
BITS = {
    "ethernet_destinationMac": 48,
    "ethernet_sourceMac": 48,
    "ethernet_tags": 1,
    "ethernet_tag_0": 32,
    "ethernet_tag_1": 32,
    "internet_dscp": 6,
    "internet_ecn": 2,
    "internet_sourcePort": 16,
    "pds_offset": 16,
    "pds_payload": 32,
    "ses_opcode": 6,
    "ses_flags": 6,
    "ses_messageId": 16,
    "ses_generation": 8,
    "ses_job": 24,
    "ses_matchBits": 64,
    "ses_initiator": 32,
    "ses_requestLength": 32,
    "payloadBytes": 16,
    "beats": 11,
}


@dataclass
class Initiator:
    """The other side of a connection, so far that its packets are right ones mostly."""

    address: int
    spdcid: int
    start: int
    next: int
    dpdcid: int | None = None


class Bench:
    """The stage, the model, and some initiators."""

    def __init__(self, dut: Any, *, pausing: bool = True) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        random = self.random if pausing else None
        self.source = Source(dut, "io_record", random)
        self.out = Sink(dut, "io_out", random)
        self.answers = Sink(dut, "io_answer", random)
        self.events = Sink(dut, "io_events", None)
        self.model = PdcModel()
        self.counts: Counter[int] = Counter()
        self.clock = -1
        self.taken_at: deque[int] = deque()
        self.expected: Counter[int] = Counter()
        self.initiators: list[Initiator] = []
        self.closed: deque[Initiator] = deque(maxlen=20)
        dut.io_messageRoom.value = 1
        dut.io_responseRoom.value = ALL

    async def start(self) -> None:
        """Reset, and the count of outcomes."""
        start_clock(self.dut)
        await reset(self.dut)
        self.clock = 0
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        """Clocks since the reset, what is counted, and when its packets were taken."""
        while True:
            await RisingEdge(self.dut.clock)
            self.clock += 1
            if self.dut.io_counted_valid.value:
                self.counts[int(self.dut.io_counted_bits.value)] += 1
                self.taken_at.append(self.clock - 2)

    async def _taken(self) -> int:
        while not self.taken_at:
            await RisingEdge(self.dut.clock)
        return self.taken_at.popleft()

    async def wait(self, clocks: int) -> None:
        """No packet for so long."""
        await ClockCycles(self.dut.clock, clocks)

    def record(self, initiator: Initiator, **values: int) -> Values:
        """A packet of an initiator: a tagged send, if nothing else is said."""
        found = {name: self.random.getrandbits(bits) for name, bits in BITS.items()}
        found |= {
            "verdict": 0,
            "internet_ipv6": 0,
            "internet_native": 0,
            "internet_source": initiator.address,
            "internet_destination": 0x0A000002,
            "pds_kind": 3,
            "pds_next": STANDARD,
            "pds_flags": 0,
            "pds_psn": initiator.next,
            "pds_spdcid": initiator.spdcid,
            "pds_dpdcid": initiator.dpdcid or 0,
            "ses_next": STANDARD,
        }
        if initiator.dpdcid is None and values.get("pds_kind", 3) != CONTROL:
            found["pds_flags"] = SYN | AR
            psn = values.get("pds_psn", initiator.next)
            found["pds_dpdcid"] = (psn - initiator.start) % 0x1000
        return found | values

    async def packet(
        self, record: Values, *, room: bool = True, response_room: bool = True
    ) -> Outcome:
        """Give a packet to both; what goes on, what answers and what is counted is the same."""
        self.dut.io_messageRoom.value = int(room)
        self.dut.io_responseRoom.value = ALL if response_room else 0
        self.model.response_room = response_room
        await self.source.send(**record)
        out = await self.out.get()
        self.model.advance(await self._taken())
        result = self.model.packet(record, room=room)
        assert out["deliver"] == (result.outcome == Outcome.DELIVERED), f"{record}: {result}"
        if result.pdcid is not None:
            assert out["pdcid"] == result.pdcid
        self._check_events(record, result.outcome)
        carried = {name: out[f"record_{name}"] for name in record if f"record_{name}" in out}
        assert carried.items() <= record.items() and len(carried) > 20
        if result.answer is not None:
            answer = await self.answers.get()
            wanted = {n: v for n, v in result.answer.items() if n in answer}
            assert {name: answer[name] for name in wanted} == wanted, f"{record}: {result}"
            assert len(wanted) > 15
        self.expected[result.outcome] += 1
        return result.outcome

    def _check_events(self, record: Values, outcome: Outcome) -> None:
        """Connections that begin, packets that may have a response, and what is cleared."""
        found = [self.events.taken.popleft() for _ in range(len(self.events.taken))]
        opened = self.model.opened
        assert sum(one["opens"] for one in found) == (opened is not None)
        delivers = outcome == Outcome.DELIVERED
        assert sum(one["delivers"] for one in found) == delivers
        if delivers:
            offset = record["pds_offset"] - (record["pds_offset"] >> 15 << 16)
            clear = record["pds_psn"] + offset
            assert found[0]["clears"] == (offset < 0)
            assert offset >= 0 or found[0]["clear"] == clear % NUMBERS
        elif outcome == Outcome.CONTROL and record["pds_next"] == CLEAR:
            assert found[0]["clear"] == record["pds_payload"]

    async def end(self) -> None:
        """Nothing is left, and each packet is in one counter (W6)."""
        await ClockCycles(self.dut.clock, 20)
        assert not self.out.taken and not self.answers.taken
        assert self.counts == self.expected

    def opened(self, initiator: Initiator) -> None:
        """The initiator learns our PDCID, as an answer would tell."""
        for pdc in self.model.pdcs:
            if pdc.key == (0, initiator.address, 0x0A000002, initiator.spdcid):
                initiator.dpdcid = self.model.pdcid(pdc)

    def new_initiator(self) -> Initiator:
        """Few addresses and few numbers, so that some are the same."""
        start = self.random.choice((0, 5, NUMBERS - 3, self.random.getrandbits(32)))
        address = 0x0A000000 + self.random.randrange(1, 4)
        return Initiator(address, self.random.randrange(1, 9), start, start)
