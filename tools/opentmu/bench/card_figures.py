# SPDX-License-Identifier: Apache-2.0
"""Clocks of messages that a card receives, at its ports: `tmu wire bench`.

Memory and links never pause; completions are seen at the address channel of host memory.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from opentmu.bench import seed
from opentmu.bench.card import MTU, Card, Peer, packets
from opentmu.bench.card_messages import KEY, exchange, expect, learn, message
from opentmu.bench.frame_stream import beats
from opentmu.regs import Opcode, Status

SIZES = (8, 64, 256, 1024, 4096)
STREAM = 24
# Address id of the completion writer.
COMPLETIONS = 0
MARK = "FIGURES "
# Stages of a message that arrives, each with the module and the output by which it is done.
SEAMS = {
    "frame": ("parser", "record"),
    "pdc": ("connections", "out"),
    "message": ("messages", "arrival"),
    "unit": ("completions", "destination"),  # its answer names the receive
    "placement": ("placement", "placed"),
}
LAST = "complete"
LEAST_ID = 100


@dataclass(frozen=True)
class Row:
    """Figures of one size of a message, in clocks."""

    bytes: int
    beats: int  # of its frames
    expected: int  # from its last beat to its completion, to a receive that waits
    unexpected: int  # from the doorbell of the post that meets it to its completion
    stream: float  # a message, back to back, receives waiting
    held_up: int  # beats of that stream that the card did not take at once
    stages: dict[str, int]  # parts of `expected`, from one stage's output to the next one's


class Watch:
    """Counts clocks, and notes when stages are done and when completions go to memory."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.clock = 0
        self.seen: list[int] = []
        self.done = dict.fromkeys(SEAMS, 0)
        self.outputs = {stage: list(_handshake(dut, *seam)) for stage, seam in SEAMS.items()}
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        port = self.dut
        while True:
            await RisingEdge(port.clock)
            self.clock += 1
            for stage, signals in self.outputs.items():
                if all(signal.value for signal in signals):
                    self.done[stage] = self.clock
            taken = port.m_axi_awvalid.value and port.m_axi_awready.value
            if taken and int(port.m_axi_awid.value) == COMPLETIONS:
                self.seen.append(self.clock)

    def stages(self, start: int, end: int) -> dict[str, int]:
        """Clocks of each stage from `start` to a completion at `end`; 0 of one done before."""
        at, found = start, {}
        for stage, done in {**self.done, LAST: end}.items():
            found[stage] = max(0, done - at)
            at = max(at, done)
        return found

    async def next(self) -> int:
        """The clock of the next completion."""
        before = len(self.seen)
        while len(self.seen) == before:
            await RisingEdge(self.dut.clock)
        return self.seen[before]


def _handshake(dut: Any, module: str, port: str) -> Iterator[Any]:
    """The signals of a module's output that are all set when it is taken."""
    stage = getattr(dut, module)
    yield getattr(stage, f"io_{port}_valid")
    if hasattr(stage, f"io_{port}_ready"):
        yield getattr(stage, f"io_{port}_ready")


async def expected(
    card: Card, watch: Watch, peer: Peer, send: dict[str, int]
) -> tuple[int, dict[str, int]]:
    """Clocks from the last beat of a message to its completion, and of each stage."""
    handle, _ = await card.post(0, send["length"], **KEY)
    await expect(card, 0, status=Status.QUEUED, handle=handle)
    await card.send(peer, send, card.random.randbytes(send["length"]))
    last = watch.clock
    end = await watch.next()
    stages = watch.stages(last, end)
    await expect(card, 0, opcode=Opcode.ARRIVE, other=handle)
    await answered(card, send)
    return end - last, stages


async def unexpected(card: Card, watch: Watch, peer: Peer, send: dict[str, int]) -> int:
    """Clocks from the doorbell of a post to its completion, when its message has waited."""
    await card.send(peer, send, card.random.randbytes(send["length"]))
    await learn(card, peer, send)
    start = watch.clock
    handle, _ = await card.post(0, send["length"], **KEY)
    while not watch.seen or watch.seen[-1] < start:
        await RisingEdge(watch.dut.clock)
    clocks = watch.seen[-1] - start
    await expect(card, 0, opcode=Opcode.POST, status=Status.MATCHED, handle=handle)
    return clocks


async def answered(card: Card, send: dict[str, int]) -> None:
    """Takes the answers to the packets of a message."""
    for _ in range(-(-send["length"] // MTU)):
        await card.answer()


async def stream(card: Card, watch: Watch, peer: Peer, size: int) -> tuple[float, int, int]:
    """Clocks and beats of a message of many that come back to back, and beats that had to wait."""
    for _ in range(STREAM):
        handle, _ = await card.post(0, size, **KEY)
        await expect(card, 0, status=Status.QUEUED, handle=handle)
    sends = [message(size, LEAST_ID + number) for number in range(STREAM)]
    frames = [
        card.frame(peer, packet)
        for send in sends
        for packet in packets(peer, send, card.random.randbytes(size))
    ]
    before, waits = len(watch.seen), card.rx.waits
    for frame in frames:
        await card.rx.send(frame)
    for send in sends:
        await expect(card, 0, opcode=Opcode.ARRIVE)
        await answered(card, send)
    seen = watch.seen[before:]
    assert len(seen) == STREAM
    total = sum(len(list(beats(frame))) for frame in frames)
    return (seen[-1] - seen[0]) / (STREAM - 1), total // STREAM, card.rx.waits - waits


@cocotb.test()
async def figures(dut: Any) -> None:
    """All sizes, printed as one line of JSON."""
    card = Card(dut, seed.choose(), with_pauses=False)
    await card.start()
    watch, peer, rows = Watch(dut), Peer(), []
    await exchange(card, peer, message(8, 1), 8)
    for number, size in enumerate(SIZES, 2):
        clocks, stages = await expected(card, watch, peer, message(size, number))
        waited = await unexpected(card, watch, peer, message(size, number + len(SIZES)))
        each, total, held_up = await stream(card, watch, peer, size)
        rows.append(Row(size, total, clocks, waited, round(each, 2), held_up, stages))
    dut._log.info(MARK + json.dumps([asdict(row) for row in rows]))
