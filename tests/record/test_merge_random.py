# SPDX-License-Identifier: Apache-2.0
"""The merge against a machine that keeps the law: whatever it did, the trace repeats it.

The machine knows when each message arrived; the logs tell only what a rank can see.
"""

import random
from collections import Counter, deque
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from opentmu.record.check import differences
from opentmu.record.log import CommNote
from opentmu.record.merge import Trace, merge

from .plain_law import fits, replay
from .synthetic import Run

SOURCES = 3
BIG = 1 << 40


@dataclass
class Machine:
    """One receiving rank 0 and its senders; each message has a length of its own."""

    dice: random.Random
    run: Run = field(default_factory=lambda: Run(SOURCES + 1))
    flying: dict[int, deque[tuple[int, str, int, int, int]]] = field(default_factory=dict)
    posted: list[tuple[int, str, str, str, int]] = field(default_factory=list)
    unexpected: list[tuple[int, str, int, int, int]] = field(default_factory=list)
    matched: dict[int, tuple[int, str, int, int, int]] = field(default_factory=dict)
    messages: int = 0
    now: int = 0

    def __post_init__(self) -> None:
        for one in self.run.logs:
            everyone = tuple(range(self.run.size))
            one.comms.append(CommNote(2, "dup", 0, 0, 0, one.rank, everyone, ()))
        self.flying = {source: deque() for source in range(SOURCES + 1)}

    def pattern(self) -> tuple[int | None, int | None, int]:
        source = self.dice.choice([None, 0, 1, 2, 3])
        return source, self.dice.choice([None, 0, 1]), self.dice.choice([0, 2])

    def step(self) -> None:
        self.now += self.dice.choice([0, 1, 50, 3000])
        moves = [self.send, self.send, self.deliver, self.deliver, self.post, self.post]
        self.dice.choice([*moves, self.look, self.cancel, self.tell])()

    def send(self) -> None:
        source, tag, comm = self.dice.randrange(SOURCES + 1), self.dice.randrange(2), 0
        comm = self.dice.choice([0, 2])
        self.messages += 1
        self.run.send(source, 0, tag, size=self.messages, comm=comm, at=self.now)
        self.flying[source].append((self.messages, str(comm), source, tag, self.messages))

    def deliver(self) -> None:
        ready = [queue for queue in self.flying.values() if queue]
        if not ready:
            return
        message = self.dice.choice(ready).popleft()
        taker = next((receive for receive in self.posted if fits(receive, message)), None)
        if taker is None:
            self.unexpected.append(message)
        else:
            self.posted.remove(taker)
            self.matched[taker[0]] = message

    def _oldest(
        self, receive: tuple[int, str, str, str, int]
    ) -> tuple[int, str, int, int, int] | None:
        return next((m for m in self.unexpected if fits(receive, m)), None)

    @staticmethod
    def _text(value: int | None) -> str:
        return "any" if value is None else str(value)

    def post(self) -> None:
        source, tag, comm = self.pattern()
        number = self.run.post(0, source, tag, size=BIG, comm=comm, at=self.now)
        receive = (number, str(comm), self._text(source), self._text(tag), BIG)
        message = self._oldest(receive)
        if message is None:
            self.posted.append(receive)
        else:
            self.unexpected.remove(message)
            self.matched[number] = message

    def look(self) -> None:
        source, tag, comm = self.pattern()
        claim = self.dice.random() < 0.5
        message = self._oldest((0, str(comm), self._text(source), self._text(tag), 0))
        found = None if message is None else (message[2], message[3])
        size = 0 if message is None else message[4]
        self.run.look(0, source, tag, found=found, claim=claim, size=size, comm=comm, at=self.now)
        if claim and message is not None:
            self.unexpected.remove(message)

    def cancel(self) -> None:
        waiting = [receive[0] for receive in self.posted]
        active = waiting + list(self.matched)
        if not active:
            return
        number = self.dice.choice(active)
        self.run.cancel(0, number, in_time=number in waiting, at=self.now)
        self.posted = [receive for receive in self.posted if receive[0] != number]

    def tell(self, everything: bool = False) -> None:
        """The rank learns of the end of some receives, in any order."""
        ended = list(self.matched)
        self.dice.shuffle(ended)
        for number in ended if everything else ended[: self.dice.randrange(4)]:
            _, _, source, tag, size = self.matched.pop(number)
            self.run.done(0, number, source, tag, size=size, at=self.now)

    def finish(self) -> None:
        while any(self.flying.values()):
            self.deliver()
        self.now += 1
        self.tell(everything=True)


def in_send_order(trace: Trace) -> bool:
    """R7: per source and context the lengths, which count up with the sends, only grow."""
    last: dict[tuple[str, ...], int] = {}
    for line in trace.lines:
        kind, endpoint, _, context, source, _, *rest = (line + " x x").split()
        if kind == "arrive":
            key = (endpoint, context, source)
            if int(rest[0]) <= last.get(key, 0):
                return False
            last[key] = int(rest[0])
    return True


def told(counts: Counter[str]) -> set[str]:
    """Names of the counts that speak of something unexplained."""
    bad = ("unexplained", "left-out", "disagreeing", "receives-unobserved", "arrivals-before")
    return {name for name, count in counts.items() if count and name.startswith(bad)}


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 120), st.sampled_from([0, 1, 60, 5000, 10**6]))
def test_r3_r4_r7_every_lawful_run_is_repeated(seed: int, steps: int, delay: int) -> None:
    machine = Machine(random.Random(seed))
    for _ in range(steps):
        machine.step()
    machine.finish()
    trace = merge(machine.run.logs, delay)
    assert differences(trace, replay(trace.lines)) == []
    assert in_send_order(trace)
    assert told(trace.counts) == set()
    times = [int(line.rpartition("@")[2]) for line in trace.lines]
    assert times == sorted(times)
