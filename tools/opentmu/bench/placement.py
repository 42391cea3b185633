# SPDX-License-Identifier: Apache-2.0
"""The card's placement in a bench: what memory has to hold, in plain Python, and the memory port.

Memory keeps a burst to itself until it answers it, so what a completion announces too early is
not there yet (W3).
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from opentmu.bench.handshake import Values, pauses

BEAT, PAGE, OKAY, SLAVE_ERROR = 64, 4096, 0, 2
MESSAGES = 256
# Behind a buffer: nothing of it may be written.
GAP = 256


@dataclass
class Message:
    """One message to one receive; `packets` are its pieces of payload, in their order."""

    number: int
    address: int
    room: int
    length: int
    packets: list[bytes]
    aborted: bool = False
    failed: bool = False

    @property
    def writable(self) -> int:
        """W2: no byte from here on is written."""
        return min(self.room, self.length)

    def expected(self) -> bytes:
        """Bytes of the receive that are written once all packets are placed."""
        return b"".join(self.packets)[: self.writable]

    def orders(self) -> Iterator[tuple[Values, bytes]]:
        """An order for each packet, and its payload."""
        offset = 0
        for index, packet in enumerate(self.packets):
            last = index + 1 == len(self.packets)
            yield (
                {
                    "beats": beats(packet),
                    "belongs": 1,
                    "message": self.number,
                    "offset": offset,
                    "bytes": len(packet),
                    "length": self.length,
                    "last": int(last),
                    "aborted": int(last and self.aborted),
                },
                packet,
            )
            offset += len(packet)


def beats(packet: bytes) -> int:
    """Beats of a payload."""
    return -(-len(packet) // BEAT)


@dataclass
class Burst:
    """One write: its first beat, how many, and the bytes that have come."""

    address: int
    count: int
    data: dict[int, int] = field(default_factory=dict)
    done: int = 0


class Memory:
    """The slave of `io_axi`: checks the protocol and W2, and applies a burst when it answers it."""

    def __init__(self, dut: Any, random: Random | None, *, broken: float = 0.0) -> None:
        self.dut = dut
        self.random = random or Random(1)
        self.pauses = [pauses(random) if random else None for _ in range(3)]
        self.broken = broken
        self.holds = False
        self.live: list[Message] = []
        self.bytes: dict[int, int] = {}
        self.bursts: deque[Burst] = deque()
        self.early: deque[tuple[int, int, int]] = deque()
        self.unanswered: deque[Burst] = deque()
        self.most = self.written = 0
        for name in ("awready", "wready", "bvalid", "bresp"):
            getattr(dut, f"io_axi_{name}").value = 0
        cocotb.start_soon(self._take())
        cocotb.start_soon(self._answer())

    def _open(self, channel: int) -> bool:
        spell = self.pauses[channel]
        return spell is None or not next(spell)

    async def _take(self) -> None:
        """Both channels, either of them first."""
        dut = self.dut
        while True:
            aw, w = self._open(0), self._open(1)
            dut.io_axi_awready.value = int(aw)
            dut.io_axi_wready.value = int(w)
            await RisingEdge(dut.clock)
            if dut.reset.value:
                continue
            if aw and dut.io_axi_awvalid.value:
                self._address()
            if w and dut.io_axi_wvalid.value:
                names = ("wdata", "wstrb", "wlast")
                data, strobe, last = (int(getattr(dut, f"io_axi_{n}").value) for n in names)
                self.early.append((data, strobe, last))
                self.written += 1
            while self.early and self.bursts:
                self._beat(*self.early.popleft())

    def _address(self) -> None:
        dut = self.dut
        address, count = int(dut.io_axi_awaddr.value), int(dut.io_axi_awlen.value) + 1
        assert int(dut.io_axi_awsize.value) == 6 and int(dut.io_axi_awburst.value) == 1
        assert address % BEAT == 0
        last = address + count * BEAT - 1
        assert address // PAGE == last // PAGE, f"{count} beats at {address:#x} cross a page"
        self.bursts.append(Burst(address, count))
        self.most = max(self.most, len(self.bursts) + len(self.unanswered))

    def _beat(self, data: int, strobe: int, last: int) -> None:
        burst = self.bursts[0]
        start = burst.address + burst.done * BEAT
        burst.done += 1
        assert last == int(burst.done == burst.count), f"wlast of beat {burst.done} of {burst}"
        assert strobe, f"a beat without a byte at {start:#x}"
        raw = data.to_bytes(BEAT, "little")
        low, high = (strobe & -strobe).bit_length() - 1, strobe.bit_length()
        assert strobe == (1 << high) - (1 << low), f"holes in strobe {strobe:#x}"
        self._check_inside(start + low, start + high)
        burst.data |= zip(range(start + low, start + high), raw[low:high], strict=True)
        if last:
            self.unanswered.append(self.bursts.popleft())

    def _check_inside(self, low: int, high: int) -> None:
        """W2: inside of a receive that is being written."""
        inside = any(m.address <= low and high <= m.address + m.writable for m in self.live)
        assert inside, f"W2: bytes {low:#x} to {high:#x} are in no receive"

    async def _answer(self) -> None:
        dut = self.dut
        while True:
            answers = bool(self.unanswered) and not self.holds and self._open(2)
            bad = answers and self.random.random() < self.broken
            dut.io_axi_bvalid.value = int(answers)
            dut.io_axi_bresp.value = SLAVE_ERROR if bad else OKAY
            if answers:
                self._apply(self.unanswered[0], bad=bad)
            await RisingEdge(dut.clock)
            while answers and not dut.io_axi_bready.value:
                await RisingEdge(dut.clock)
            if answers:
                self.unanswered.popleft()

    def _apply(self, burst: Burst, *, bad: bool) -> None:
        if not bad:
            self.bytes |= burst.data
            return
        for message in self.live:
            if any(0 <= at - message.address < message.writable for at in burst.data):
                message.failed = True

    def read(self, address: int, length: int) -> bytes:
        """Bytes of memory; fails where one was never written."""
        found = [self.bytes.pop(address + at, None) for at in range(length)]
        missing = [at for at, byte in enumerate(found) if byte is None]
        assert not missing, f"W3: of {length} bytes at {address:#x} these are missing: {missing}"
        return bytes(byte for byte in found if byte is not None)
