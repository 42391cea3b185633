# SPDX-License-Identifier: Apache-2.0
"""AnswerBuilder: acknowledgements and refusals as frames, judged by the codec of `sim/wire`."""

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.frame_judge import ACCEPTED, judge, require_no_byte_more
from opentmu.bench.frame_stream import FrameTaker
from opentmu.bench.frames import Settings, random_envelope, vector
from opentmu.bench.handshake import Source, Values, reset, start_clock

DSCP = 46
ACK, NACK, RESPONSE = 7, 10, 4
# Members of a record that an answer sends back the other way round.
SWAPPED = {
    "ethernet_destinationMac": "ethernet_sourceMac",
    "ethernet_sourceMac": "ethernet_destinationMac",
    "internet_source": "internet_destination",
    "internet_destination": "internet_source",
}
RESPONSES = ("list", "opcode", "messageId", "generation", "job", "modifiedLength")


class Bench:
    """The builder with a source of answers and a taker of frames."""

    def __init__(self, dut: Any, settings: Settings | None = None, *, pausing: bool = True) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        self.settings = settings or Settings()
        random = self.random if pausing else None
        self.source = Source(dut, "io_request", random)
        self.taker = FrameTaker(dut, "io_stream", random)

    async def start(self) -> None:
        """Settings and reset."""
        self.settings.drive(self.dut, "native")
        self.dut.io_dscp.value = DSCP
        start_clock(self.dut)
        await reset(self.dut)

    async def frame(self) -> bytes:
        """The next frame."""
        for _ in range(1000):
            if self.taker.frames:
                return self.taker.frames.popleft()
            await RisingEdge(self.dut.clock)
        raise TimeoutError("no frame came")

    def draw(self) -> Values:
        """An answer to a packet from anywhere."""
        random = self.random
        kind = random.choice((ACK, ACK, NACK))
        values = {
            **random_envelope(random, self.settings),
            "pds_kind": kind,
            "pds_next": random.choice((0, RESPONSE)) if kind == ACK else 0,
            "pds_flags": random.getrandbits(7),
            "response_returnCode": random.getrandbits(6),
        }
        bits = {"offset": 16, "psn": 32, "spdcid": 16, "dpdcid": 16, "payload": 32}
        values |= {f"pds_{name}": random.getrandbits(width) for name, width in bits.items()}
        widths = (2, 6, 16, 8, 24, 32)
        for name, width in zip(RESPONSES, widths, strict=True):
            values[f"response_{name}"] = random.getrandbits(width)
        return values


def expected(request: Values) -> Values:
    """The record of the frame that an answer has to become."""
    fields = {
        SWAPPED.get(name, name): value
        for name, value in request.items()
        if not name.startswith("response_")
    }
    fields |= {"internet_dscp": DSCP, "internet_ecn": 0, "ses_next": request["pds_next"]}
    if request["pds_kind"] == ACK:
        del fields["pds_payload"]
    if request["pds_next"] == RESPONSE:
        fields |= {f"ses_{name}": request[f"response_{name}"] for name in RESPONSES}
        fields |= {"ses_flags": request["response_returnCode"], "ses_version": 0}
    for tag in range(request["ethernet_tags"], 2):
        del fields[f"ethernet_tag_{tag}"]
    return fields


async def judge_answers(bench: Bench, count: int) -> None:
    """So many answers at random: each frame says what was asked for, and no byte more."""
    await bench.start()
    sent = [bench.draw() for _ in range(count)]

    async def send() -> None:
        for one in sent:
            await bench.source.send(**one)

    task = cocotb.start_soon(send())
    built = [await bench.frame() for _ in sent]
    await task
    for request, frame, judged in zip(sent, built, judge(built, bench.settings), strict=True):
        assert judged.verdict == ACCEPTED, f"{frame.hex()}: verdict {judged.verdict}"
        wanted = expected(request)
        found = {name: judged.fields.get(name) for name in wanted}
        assert found == wanted, frame.hex()
        assert judged.payload == b""
        require_no_byte_more(frame, judged)


@cocotb.test()
async def random_answers(dut: Any) -> None:
    """Acknowledgements and refusals of every form, with pauses on both sides."""
    await judge_answers(Bench(dut), 400)


@cocotb.test()
async def without_crc(dut: Any) -> None:
    """No CRC behind them."""
    await judge_answers(Bench(dut, Settings(crc=0)), 100)


@cocotb.test()
async def other_crc_and_native_form(dut: Any) -> None:
    """A CRC over what follows UDP, most significant byte first; entropy header; another port."""
    settings = Settings(crc=2, big_endian=True, port=49150, native=253)
    await judge_answers(Bench(dut, settings), 100)


@cocotb.test()
async def example_packets(dut: Any) -> None:
    """The answers among P1 to P20, byte by byte."""
    bench = Bench(dut)
    await bench.start()
    for name in ("p02", "p08", "p09", "p10", "p11", "p16", "p20"):
        example = vector(name)
        fields = judge([example], bench.settings)[0].fields
        request = {
            SWAPPED.get(field, field): value
            for field, value in fields.items()
            if field.startswith(("ethernet_", "internet_", "pds_"))
        }
        request.setdefault("pds_payload", 0)
        for field in RESPONSES:
            request[f"response_{field}"] = fields.get(f"ses_{field}", 0)
        request["response_returnCode"] = fields.get("ses_flags", 0)
        await bench.source.send(**request)
        frame = await bench.frame()
        assert frame == example, f"{name}: {frame.hex()}"


@cocotb.test()
async def an_answer_every_two_clocks(dut: Any) -> None:
    """The port has no pause, and the longest answer takes two beats."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    request = bench.draw() | {"ethernet_tags": 2, "internet_ipv6": 1}
    request |= {"pds_kind": ACK, "pds_next": RESPONSE}

    async def send() -> None:
        while True:
            await bench.source.send(**request)

    cocotb.start_soon(send())
    await ClockCycles(dut.clock, 60)
    before = bench.taker.beats
    await ClockCycles(dut.clock, 200)
    assert bench.taker.beats - before == 200
    assert len(bench.taker.frames[-1]) == 98
