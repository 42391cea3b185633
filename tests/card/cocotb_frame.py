# SPDX-License-Identifier: Apache-2.0
"""FrameParser: records and payloads of frames, judged by the codec of `sim/wire`."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import frames, seed
from opentmu.bench.frame_judge import ACCEPTED, BAD_FRAME, Judged, judge
from opentmu.bench.frame_stream import BEAT, FrameSource, beats
from opentmu.bench.frames import Settings, vector
from opentmu.bench.handshake import Sink, Values, count_events, reset, start_clock

# Clocks from the last beat of a frame to its record.
LATENCY = 40


class Bench:
    """The parser with a source of frames, and takers of records and payload beats."""

    def __init__(self, dut: Any, settings: Settings | None = None, *, pausing: bool = True) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        self.settings = settings or Settings()
        random = self.random if pausing else None
        self.source = FrameSource(dut, "io_stream", random)
        self.records = Sink(dut, "io_record", random)
        self.payload = Sink(dut, "io_payload", random)
        self.counts: Counter[int] = Counter()

    async def start(self) -> None:
        """Settings, reset, and the count of verdicts."""
        self.settings.drive(self.dut)
        start_clock(self.dut)
        await reset(self.dut)
        cocotb.start_soon(count_events(self.dut, self.counts))

    def take_payload(self, number: int, length: int) -> bytes:
        """The payload of the oldest frame: so many beats, the last of them marked."""
        taken = [self.payload.taken.popleft() for _ in range(number)]
        assert [beat["last"] for beat in taken] == [0] * (number - 1) + [1] * (number > 0)
        return b"".join(beat["data"].to_bytes(BEAT, "little") for beat in taken)[:length]

    async def check(self, frame: bytes, judged: Judged) -> None:
        """The next record is this frame's, and its payload has come before it."""
        record = await self.records.get()
        assert record["verdict"] == judged.verdict, f"{frame.hex()}: {record}"
        found = differences(record, judged.fields)
        assert not found, f"{frame.hex()}: found, expected {found}"
        await self._beats_there(record["beats"])
        payload = self.take_payload(record["beats"], len(judged.payload))
        if judged.verdict == ACCEPTED:
            assert record["beats"] == -(-len(judged.payload) // BEAT)
            assert payload == judged.payload, f"{frame.hex()}: payload {payload.hex()}"

    async def _beats_there(self, number: int) -> None:
        for _ in range(2000):
            if len(self.payload.taken) >= number:
                return
            await RisingEdge(self.dut.clock)
        raise TimeoutError(f"{len(self.payload.taken)} of {number} beats of payload came")

    async def judge_all(self, sent: Sequence[bytes]) -> None:
        """Send the frames and hold record, payload and counter of each against the codec."""
        judged = judge(sent, self.settings)
        task = cocotb.start_soon(self._send(sent))
        for frame, one in zip(sent, judged, strict=True):
            await self.check(frame, one)
        await task
        await ClockCycles(self.dut.clock, LATENCY)
        assert not self.records.taken and not self.payload.taken
        # W6: each frame in one counter.
        assert self.counts == Counter(one.verdict for one in judged)

    async def _send(self, sent: Sequence[bytes]) -> None:
        for frame in sent:
            await self.source.send(frame)


def differences(record: Values, expected: Values) -> dict[str, tuple[int, int]]:
    """Fields that are not as expected: found and expected."""
    return {
        name: (record[name], value) for name, value in expected.items() if record[name] != value
    }


@cocotb.test()
async def example_packets(dut: Any) -> None:
    """P1 to P20: every field of every header, and the payload."""
    bench = Bench(dut)
    await bench.start()
    await bench.judge_all([vector(f"p{number:02}") for number in range(1, 21)])
    assert bench.counts == Counter({ACCEPTED: 20})


@cocotb.test()
async def random_frames(dut: Any) -> None:
    """Frames of every shape, half of them with a defect; all kinds of verdict come up."""
    bench = Bench(dut)
    await bench.start()
    await bench.judge_all([frames.random_frame(bench.random, bench.settings) for _ in range(1500)])
    assert bench.counts[ACCEPTED] > 300
    # The two rarest of nine come up four to eight times.
    assert len(bench.counts) > 6, f"few kinds of verdict: {bench.counts}"


@cocotb.test()
async def every_bit_and_every_length(dut: Any) -> None:
    """Each bit of P1 flipped, each length of P1 and P3 up to more than all: nothing slips in."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    whole = vector("p01")
    flipped = []
    for bit in range(8 * len(whole)):
        bad = bytearray(whole)
        bad[bit // 8] ^= 1 << bit % 8
        flipped.append(bytes(bad))
    cut = [frame[:length] for frame in (whole, vector("p03")) for length in range(len(frame))]
    grown = [whole + bytes(more) for more in range(100)]
    await bench.judge_all([*flipped, *cut, *grown])
    # The Ethernet addresses are under no check of the packet's own.
    assert bench.counts[ACCEPTED] == 8 * 12 + len(grown)


async def settled(dut: Any, settings: Settings) -> None:
    """Random frames, right ones and wrong ones, with other settings."""
    bench = Bench(dut, settings, pausing=False)
    await bench.start()
    await bench.judge_all([frames.random_frame(bench.random, settings) for _ in range(300)])
    assert bench.counts[ACCEPTED] > 60


@cocotb.test()
async def without_crc(dut: Any) -> None:
    """No CRC: the payload ends where IP does."""
    await settled(dut, Settings(crc=0))


@cocotb.test()
async def crc_behind_udp(dut: Any) -> None:
    """A CRC over what follows the UDP header, most significant byte first, on another port."""
    await settled(dut, Settings(crc=2, big_endian=True, port=49150))


@cocotb.test()
async def native_form(dut: Any) -> None:
    """An entropy header in place of UDP."""
    await settled(dut, Settings(native=253))


@cocotb.test()
async def bad_frames_are_bad_whatever_is_in_them(dut: Any) -> None:
    """W6: frames that the port calls bad, and frames with holes."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    good = vector("p04")
    for number in range(60):
        if number % 3 == 0:
            await bench.source.send(good, bad=True)
        else:
            at = bench.random.randrange(len(good) // BEAT)
            for index, (data, keep, last) in enumerate(beats(good)):
                gap = 1 << bench.random.randrange(BEAT - 1) if index == at else 0
                await bench.source.beat(data, keep & ~gap, last)
        record = await bench.records.get()
        assert record["verdict"] == BAD_FRAME
        bench.take_payload(record["beats"], 0)
    await ClockCycles(dut.clock, LATENCY)
    assert bench.counts.pop(BAD_FRAME) == 60
    await bench.judge_all([good])


@cocotb.test()
async def a_beat_in_every_clock(dut: Any) -> None:
    """No mix of sizes makes the port wait: frames of one beat and of many, back to back."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    sizes = [*range(0, 140), *(bench.random.randrange(1500) for _ in range(40)), *([8] * 40)]
    head = vector("p01")[42:98]
    sent = []
    for size in sizes:
        shape = frames.random_shape(bench.random, bench.settings)
        sent.append(frames.frame(head + bench.random.randbytes(size), shape, bench.random))
        sent.append(bench.random.choice((vector("p18"), vector("p02"), bytes(60))))
    await bench.judge_all(sent)
    assert bench.source.waits <= 1


@cocotb.test()
async def a_taker_that_stops_loses_nothing(dut: Any) -> None:
    """Records or payload are not taken for long: the port waits, then all come, in order."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    for sink in (bench.records, bench.payload):
        sink.blocked = True
        # Frames of one beat fill the records, long ones the payload.
        sent = [vector("p18")] * 120
        if sink is bench.payload:
            sent = [frames.random_packet(bench.random, bench.settings) for _ in sent]
        task = cocotb.start_soon(bench.judge_all(sent))
        await ClockCycles(dut.clock, 1500)
        assert bench.source.waits > 500
        sink.blocked = False
        await task
        bench.counts.clear()
        bench.source.waits = 0
