# SPDX-License-Identifier: Apache-2.0
"""RequestBuilder: packets with their payload as frames, judged by the codec of `sim/wire`."""

from collections.abc import Sequence
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.frame_judge import ACCEPTED, judge, require_no_byte_more
from opentmu.bench.frame_stream import BEAT, FrameTaker
from opentmu.bench.frames import Settings, random_envelope, vector
from opentmu.bench.handshake import Source, Values, reset, start_clock

CONTROL, ROD, RUD, ROD_CC = 11, 3, 2, 14
NONE, MEDIUM, STANDARD = 0, 2, 3
TAGGED, RENDEZVOUS = 9, 10
FIRST, LAST = 1, 2
# P1 to P20 that an initiator sends; the others are answers.
EXAMPLES = ("p01", "p03", "p04", "p05", "p06", "p12", "p13", "p15", "p17", "p18", "p19")
DELIVERY = {"offset": 16, "psn": 32, "spdcid": 16, "dpdcid": 16, "payload": 32}
SEMANTIC = {
    "version": 2,
    "flags": 6,
    "messageId": 16,
    "generation": 8,
    "job": 24,
    "pid": 12,
    "index": 12,
    "bufferOffset": 64,
    "initiator": 32,
    "matchBits": 64,
    "headerData": 64,
    "payloadLength": 14,
    "messageOffset": 32,
    "requestLength": 32,
}
EXTENSION = {"eagerLength": 32, "generation": 8, "pid": 12, "index": 12, "offset": 64, "key": 64}


def draw(random: Random, settings: Settings) -> tuple[Values, bytes]:
    """A packet of any kind that the card sends, and its payload."""
    kind = random.choice((ROD, ROD, ROD, RUD, ROD_CC, CONTROL))
    following = random.choice((STANDARD, STANDARD, MEDIUM, NONE))
    near = BEAT * random.randrange(1, 9) + random.randrange(-8, 9)
    size = random.choice((0, 1, 8, random.randrange(200), near, near))
    payload = b"" if kind == CONTROL else random.randbytes(size)
    values = {
        **random_envelope(random, settings),
        "pds_kind": kind,
        "pds_next": following,
        "pds_flags": random.getrandbits(7),
        "ses_opcode": random.choice((TAGGED, TAGGED, RENDEZVOUS)),
        "payloadBytes": len(payload),
    }
    values |= {f"pds_{name}": random.getrandbits(width) for name, width in DELIVERY.items()}
    values |= {f"ses_{name}": random.getrandbits(width) for name, width in SEMANTIC.items()}
    values |= {f"rendezvous_{name}": random.getrandbits(bits) for name, bits in EXTENSION.items()}
    return values, payload


class Bench:
    """The builder with sources of packets and payload and a taker of frames."""

    def __init__(self, dut: Any, settings: Settings | None = None, *, pausing: bool = True) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        self.settings = settings or Settings()
        random = self.random if pausing else None
        self.source = Source(dut, "io_request", random)
        self.payload = Source(dut, "io_payload", random)
        self.taker = FrameTaker(dut, "io_stream", random)

    async def start(self) -> None:
        """Settings and reset."""
        self.settings.drive(self.dut, "native")
        start_clock(self.dut)
        await reset(self.dut)

    async def send(self, sent: Sequence[tuple[Values, bytes]]) -> None:
        """Offer packets and, beside them, their payload; the rest of a last beat is noise."""

        async def beats() -> None:
            for _, payload in sent:
                for at in range(0, len(payload), BEAT):
                    piece = payload[at : at + BEAT]
                    piece += self.random.randbytes(BEAT - len(piece))
                    await self.payload.send(**{"": int.from_bytes(piece, "little")})

        task = cocotb.start_soon(beats())
        for values, _ in sent:
            await self.source.send(**values)
        await task

    async def frames(self, count: int) -> list[bytes]:
        """The next frames."""
        for _ in range(100 * count + 1000):
            if len(self.taker.frames) >= count:
                return [self.taker.frames.popleft() for _ in range(count)]
            await RisingEdge(self.dut.clock)
        raise TimeoutError(f"{len(self.taker.frames)} of {count} frames came")


def expected(values: Values, found: Values) -> Values:
    """The fields of a packet that its frame has, by the names of the record."""
    fields = {name: value for name, value in values.items() if name in found}
    standard = values["pds_kind"] != CONTROL and values["pds_next"] == STANDARD
    first = values["ses_flags"] & FIRST
    if not (standard and first and values["ses_opcode"] == RENDEZVOUS):
        fields |= {name: 0 for name in fields if name.startswith("rendezvous_")}
    if values["pds_kind"] == CONTROL or values["pds_next"] == NONE:
        assert not any(name in found for name in ("ses_opcode", "ses_matchBits"))
    elif values["pds_next"] == MEDIUM:
        fields["ses_messageId"] = 0
        fields["ses_requestLength"] &= 0x3FFF
    return fields


async def judge_packets(bench: Bench, count: int) -> None:
    """So many packets at random: each frame says what was asked for, and no byte more."""
    await bench.start()
    sent = [draw(bench.random, bench.settings) for _ in range(count)]
    task = cocotb.start_soon(bench.send(sent))
    built = await bench.frames(count)
    await task
    compared = 0
    for (values, payload), frame, judged in zip(
        sent, built, judge(built, bench.settings), strict=True
    ):
        assert judged.verdict == ACCEPTED, f"{frame.hex()}: verdict {judged.verdict}"
        wanted = expected(values, judged.fields)
        wrong = {n: (judged.fields[n], v) for n, v in wanted.items() if judged.fields[n] != v}
        assert not wrong, f"found and expected: {wrong} in {frame.hex()}"
        compared += len(wanted)
        assert judged.payload == payload
        require_no_byte_more(frame, judged)
    assert compared > 20 * count, f"{compared} fields of {count} packets"


@cocotb.test()
async def random_packets(dut: Any) -> None:
    """Requests and control packets of every form and length, with pauses on all sides."""
    await judge_packets(Bench(dut), 600)


@cocotb.test()
async def without_crc(dut: Any) -> None:
    """No CRC behind them."""
    await judge_packets(Bench(dut, Settings(crc=0)), 150)


@cocotb.test()
async def other_crc_and_native_form(dut: Any) -> None:
    """A CRC over what follows UDP, most significant byte first; entropy header; another port."""
    settings = Settings(crc=2, big_endian=True, port=49150, native=253)
    await judge_packets(Bench(dut, settings), 150)


@cocotb.test()
async def crc_behind_udp(dut: Any) -> None:
    """A CRC whose first byte may lie in the second beat."""
    await judge_packets(Bench(dut, Settings(crc=2)), 150)


@cocotb.test()
async def example_packets(dut: Any) -> None:
    """The requests and control packets among P1 to P20, byte by byte."""
    bench = Bench(dut)
    await bench.start()
    for name in EXAMPLES:
        example = vector(name)
        judged = judge([example], bench.settings)[0]
        port = dict.fromkeys(bench.source.fields, 0)
        values = port | {n: v for n, v in judged.fields.items() if n in port}
        await bench.send([(values, judged.payload)])
        (frame,) = await bench.frames(1)
        assert frame == example, f"{name}: {frame.hex()}"


async def beats_of(bench: Bench, payload: int, clocks: int) -> int:
    """Beats that leave in so many clocks, of packets with so many bytes."""
    await bench.start()
    values, _ = draw(bench.random, bench.settings)
    values |= {"ethernet_tags": 0, "internet_ipv6": 0, "pds_kind": ROD, "pds_next": STANDARD}
    values |= {"ses_flags": FIRST | LAST, "ses_opcode": TAGGED, "payloadBytes": payload}
    data = bench.random.randbytes(payload)

    async def requests() -> None:
        while True:
            await bench.source.send(**values)

    async def beats() -> None:
        while True:
            for at in range(0, payload, BEAT):
                word = int.from_bytes(data[at : at + BEAT], "little")
                await bench.payload.send(**{"": word})

    cocotb.start_soon(requests())
    cocotb.start_soon(beats())
    await ClockCycles(bench.dut.clock, 100)
    before = bench.taker.beats
    await ClockCycles(bench.dut.clock, clocks)
    return bench.taker.beats - before


@cocotb.test()
async def a_message_every_two_clocks(dut: Any) -> None:
    """Messages of 8 bytes, two beats each: the port has no pause."""
    assert await beats_of(Bench(dut, pausing=False), 8, 200) == 200


@cocotb.test()
async def a_beat_every_clock(dut: Any) -> None:
    """Packets of 1,000 bytes: the port has no pause."""
    assert await beats_of(Bench(dut, pausing=False), 1000, 400) == 400
