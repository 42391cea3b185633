# SPDX-License-Identifier: Apache-2.0
"""SendOrder: messages to targets that are short of something at times stay in their order (W5)."""

from collections import Counter, deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock

PEERS, MESSAGES, COUNT, WAIT_US = 16, 32, 1500, 3
OK, BAD_GENERATION, DISABLED_GEN, NO_MATCH, VIOLATION = 1, 2, 4, 5, 0x18
BUSY = (0, 1, 2, 5)  # peers that there are messages to


@dataclass
class Target:
    """Takes messages while it is on; refuses others, and those of an earlier generation."""

    on: bool = True
    generation: int = 0
    taken: list[int] = field(default_factory=list)
    answers: deque[int] = field(default_factory=deque)


class Bench:
    """The order of sends between what starts messages and targets that take them."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.random = dut, Random(seed.choose())
        self.message = Source(dut, "io_message", self.random)
        self.end = Source(dut, "io_end", None)
        Sink(dut, "io_out", self.random, self._out)
        Sink(dut, "io_ended", self.random, self._ended)
        self.targets = {peer: Target() for peer in BUSY}
        self.free = list(range(MESSAGES))
        self.serial: dict[int, tuple[int, int]] = {}  # by number: peer, serial
        self.sent: dict[int, list[int]] = {peer: [] for peer in BUSY}
        self.lost: set[int] = set()
        self.seen: Counter[str] = Counter()

    async def start(self) -> None:
        """Reset, and the sweep behind it."""
        self.dut.io_patience.value = WAIT_US
        start_clock(self.dut)
        await reset(self.dut)
        await ClockCycles(self.dut.clock, PEERS + 5)
        cocotb.start_soon(self._answer())

    def _out(self, found: Values) -> None:
        """A message goes to its target, which takes it or not; the answer comes later."""
        number = found["message"]
        peer, serial = self.serial[number]
        assert found["length"] == serial and found["key_job"] == peer
        self.targets[peer].answers.append(number)

    def judge(self, number: int, generation: int) -> Values:
        """The answer of a target to a message with this generation."""
        peer, serial = self.serial[number]
        target, random = self.targets[peer], self.random
        if target.on and target.generation == generation and random.random() < 0.1:
            target.on = False
        if not target.on or target.generation != generation:
            code = BAD_GENERATION if target.on else random.choice((DISABLED_GEN, NO_MATCH))
            self.seen[f"code {code}"] += 1
            return {"code": code, "generation": target.generation}
        target.taken.append(serial)
        wrong = random.random() < 0.05
        return {"code": VIOLATION if wrong else OK, "generation": generation}

    async def _answer(self) -> None:
        """Answers in the order of each target, and at times a target that is lost."""
        random = self.random
        while True:
            await RisingEdge(self.dut.clock)
            for target in self.targets.values():
                if not target.on and random.random() < 0.02:
                    target.on, target.generation = True, (target.generation + 1) % 256
            ready = [target for target in self.targets.values() if target.answers]
            if not ready or random.random() < 0.5:
                continue
            target = random.choice(ready)
            dies = random.random() < 0.01
            for _ in range(len(target.answers) if dies else 1):
                number = target.answers.popleft()
                self.dut.io_ask.value = number
                await RisingEdge(self.dut.clock)
                said = self.judge(number, int(self.dut.io_generation.value))
                if dies:
                    self.lost.add(self.serial[number][1])
                    self.seen["lost"] += 1
                await self.end.send(message=number, lost=int(dies), **said)

    def _ended(self, found: Values) -> None:
        """A message has ended: taken, or lost; never refused by generation."""
        peer, serial = self.serial.pop(found["message"])
        self.free.append(found["message"])
        self.seen["ended"] += 1
        assert found["lost"] or found["code"] in (OK, VIOLATION)
        assert found["lost"] or self.targets[peer].taken.count(serial) == 1

    async def send(self, serial: int) -> None:
        """A message to some peer, when there is a number."""
        while not self.free:
            await RisingEdge(self.dut.clock)
        number = self.free.pop(self.random.randrange(len(self.free)))
        peer = self.random.choice(BUSY)
        self.serial[number] = (peer, serial)
        self.sent[peer].append(serial)
        fields = {"out_message": number, "out_length": serial, "out_key_job": peer}
        await self.message.send(peer=peer, **fields)


@cocotb.test()
async def w5_in_order_through_refusals(dut: Any) -> None:
    """W1, W5: each target takes each message once, in their order, whatever it refuses meanwhile;
    and what is lost ends."""
    bench = Bench(dut)
    await bench.start()
    for serial in range(COUNT):
        await bench.send(serial)
    for _ in range(100_000):
        if bench.seen["ended"] == COUNT:
            break
        await RisingEdge(dut.clock)
    assert bench.seen["ended"] == COUNT, f"{bench.serial}"
    for peer, target in bench.targets.items():
        found = [serial for serial in target.taken if serial not in bench.lost]
        assert found == [serial for serial in bench.sent[peer] if serial not in bench.lost]
        assert target.taken == sorted(target.taken)
    assert all(bench.seen[name] > 20 for name in ("code 2", "code 4", "code 5", "lost"))
    await ClockCycles(dut.clock, 3)
    assert dut.io_idle.value
