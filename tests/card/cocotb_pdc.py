# SPDX-License-Identifier: Apache-2.0
"""PdcStage: each packet in order and once (W1), judged by a model in Python."""

from collections import Counter, deque
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, count_events, reset, start_clock
from opentmu.bench.pdc_model import (
    ACK_REQ,
    AR,
    CLEAR,
    CLOSE,
    CONTROL,
    NOOP,
    NUMBERS,
    PROBE,
    RETX,
    STANDARD,
    SYN,
    Nack,
    Outcome,
    PdcModel,
)

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
        self.model = PdcModel()
        self.counts: Counter[int] = Counter()
        self.expected: Counter[int] = Counter()
        self.initiators: list[Initiator] = []
        self.closed: deque[Initiator] = deque(maxlen=20)
        dut.io_messageRoom.value = 1

    async def start(self) -> None:
        """Reset, and the count of outcomes."""
        start_clock(self.dut)
        await reset(self.dut)
        cocotb.start_soon(count_events(self.dut, self.counts))

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

    async def packet(self, record: Values, *, room: bool = True) -> Outcome:
        """Give a packet to both; what goes on, what answers and what is counted is the same."""
        result = self.model.packet(record, room=room)
        self.dut.io_messageRoom.value = int(room)
        await self.source.send(**record)
        out = await self.out.get()
        assert out["deliver"] == (result.outcome == Outcome.DELIVERED), f"{record}: {result}"
        if result.pdcid is not None:
            assert out["pdcid"] == result.pdcid
        carried = {name: out[f"record_{name}"] for name in record if f"record_{name}" in out}
        assert carried.items() <= record.items() and len(carried) > 20
        if result.answer is not None:
            answer = await self.answers.get()
            wanted = {n: v for n, v in result.answer.items() if n in answer}
            assert {name: answer[name] for name in wanted} == wanted, f"{record}: {result}"
            assert len(wanted) > 15
        self.expected[result.outcome] += 1
        return result.outcome

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


async def step(bench: Bench) -> None:
    """One packet at random: half of them right ones of a connection that there is."""
    random = bench.random
    if not bench.initiators or random.random() < 0.08:
        bench.initiators.append(bench.new_initiator())
    one = random.choice(bench.initiators)
    room = random.random() < 0.9
    draw = random.random()
    if draw < 0.55:
        flags = random.choice((0, AR, RETX, RETX | AR))
        record = bench.record(one)
        record["pds_flags"] |= flags
        if await bench.packet(record, room=room) == Outcome.DELIVERED:
            one.next = (one.next + 1) % NUMBERS
        if random.random() < 0.7:
            bench.opened(one)
    elif draw < 0.72:
        away = random.choice((-1, -2, 1, 2, 60, 127, 128, 129, 4000, -100, -32769, -32770, 1 << 31))
        flags = random.choice((0, RETX, AR | RETX))
        record = bench.record(one, pds_psn=(one.next + away) % NUMBERS)
        record["pds_flags"] |= flags
        await bench.packet(record, room=room)
    elif draw < 0.86:
        await control(bench, one)
    elif draw < 0.9 and bench.closed:
        await bench.packet(bench.record(bench.closed[0]))
    else:
        record = bench.record(one)
        name = random.choice(
            ("pds_kind", "pds_next", "pds_flags", "pds_spdcid", "pds_dpdcid", "internet_source")
        )
        bits = {"pds_kind": 5, "pds_next": 4, "pds_flags": 7, "pds_spdcid": 3}.get(name, 16)
        record[name] = random.getrandbits(bits)
        if random.random() < 0.2:
            record["verdict"] = random.randrange(1, 14)
        before = bench.model.pdcs[:]
        await bench.packet(record, room=room)
        # Its initiator must not go on from a connection that the packet may have moved.
        if len(before) != len(bench.model.pdcs) or one.dpdcid is not None:
            resynchronise(bench, one)


def resynchronise(bench: Bench, one: Initiator) -> None:
    """The initiator goes on where the connection is."""
    for pdc in bench.model.pdcs:
        if one.dpdcid is not None and bench.model.pdcid(pdc) == one.dpdcid:
            one.next = pdc.expected


async def control(bench: Bench, one: Initiator) -> None:
    """A control packet of an initiator; it may end the connection."""
    kind = bench.random.choice((NOOP, NOOP, ACK_REQ, CLEAR, CLOSE, CLOSE, PROBE, 5, 9))
    flags = bench.random.choice((AR, AR, 0, RETX | AR, SYN, SYN | AR))
    psn = (one.next + bench.random.choice((0, 0, 0, -1, 1))) % NUMBERS
    record = bench.record(
        one, pds_kind=CONTROL, pds_next=kind, pds_flags=flags, pds_psn=psn, ses_next=0
    )
    before = len(bench.model.pdcs)
    await bench.packet(record)
    resynchronise(bench, one)
    if len(bench.model.pdcs) < before:
        bench.initiators.remove(one)
        bench.closed.append(one)


@cocotb.test()
async def w1_random_packets(dut: Any) -> None:
    """W1: packets in order, repeated, missing, foreign, for connections that come and go."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(4000):
        await step(bench)
    await bench.end()
    assert all(bench.counts[outcome] > 20 for outcome in Outcome), bench.counts


@cocotb.test()
async def w1_a_table_that_is_full(dut: Any) -> None:
    """One connection more than there is room for is refused; when one closes there is room."""
    bench = Bench(dut)
    await bench.start()
    peers = [Initiator(0x0B000000 + n, 7, 100 * n, 100 * n) for n in range(17)]
    for peer in peers[:16]:
        assert await bench.packet(bench.record(peer)) == Outcome.DELIVERED
        bench.opened(peer)
    assert await bench.packet(bench.record(peers[16])) == Outcome.REFUSED
    close = bench.record(
        peers[3], pds_kind=CONTROL, pds_next=CLOSE, pds_flags=AR, pds_psn=peers[3].start + 1
    )
    assert await bench.packet(close) == Outcome.CONTROL
    assert await bench.packet(close) == Outcome.REFUSED
    assert await bench.packet(bench.record(peers[16])) == Outcome.DELIVERED
    await bench.end()


@cocotb.test()
async def a_packet_every_two_clocks(dut: Any) -> None:
    """No pause: an 8-byte message has two beats, and takes no longer here."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    peer = Initiator(1, 1, 9, 9)
    await bench.packet(bench.record(peer))
    bench.opened(peer)
    record = bench.record(peer)

    async def send() -> None:
        for number in range(100):
            await bench.source.send(**record | {"pds_psn": 10 + number})

    task = cocotb.start_soon(send())
    await ClockCycles(dut.clock, 210)
    assert task.done() and len(bench.out.taken) == 100
    assert all(one["deliver"] for one in bench.out.taken)
    assert not bench.answers.taken
    assert Nack.ROD_OOO not in bench.counts
