# SPDX-License-Identifier: Apache-2.0
"""How long each way of a placed and routed design is, from the delays that nextpnr writes (SDF).

nextpnr's report names the slowest way alone; what is to be repaired needs all of them. Delays are
the largest of the three that stand for each arc, in ps, as in nextpnr's own figures.
"""

import heapq
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Pins where a way begins. What leads to them is left out, as if the clock came everywhere at once,
# which it does on the clock network.
CLOCK_PINS = frozenset(("CLK", "WCK", "CLKA", "CLKB"))
NEVER = float("-inf")

_ARC = re.compile(r"\s*\((INTERCONNECT|IOPATH) (\S+) (\S+) \([\d.-]+:[\d.-]+:([\d.-]+)\)")
_SETUP = re.compile(r"\s*\(SETUPHOLD \(posedge (\S+)\) \(\w+ \S+\) \([\d.-]+:[\d.-]+:([\d.-]+)\)")
_INSTANCE = re.compile(r"\s*\(INSTANCE (\S*)\)")
_ESCAPE = re.compile(r"\\(.)")


@dataclass
class Arc:
    """From one pin to another; a wire if it leads from cell to cell."""

    start: str
    end: str
    ps: float
    wire: bool


@dataclass
class Timing:
    """Arcs of a design by the pins at their ends, and what is known of each pin.

    `arrival` is the longest way from a register to a pin, `tail` the longest from it to the next
    register, its setup time included; NEVER where there is none.
    """

    into: dict[str, list[Arc]] = field(default_factory=dict)
    out: dict[str, list[Arc]] = field(default_factory=dict)
    setup: dict[str, float] = field(default_factory=dict)
    arrival: dict[str, float] = field(default_factory=dict)
    tail: dict[str, float] = field(default_factory=dict)

    _rank: dict[str, int] = field(default_factory=dict)

    def add(self, arc: Arc) -> None:
        if _port(arc.end) not in CLOCK_PINS:
            self.into.setdefault(arc.end, []).append(arc)
            self.out.setdefault(arc.start, []).append(arc)

    def update(self) -> None:
        """Arrivals and tails of all pins, from the arcs as they are."""
        order = self._sorted()
        self._rank = {pin: rank for rank, pin in enumerate(order)}
        for pin in order:
            self.arrival[pin] = self._arrival(pin)
        for pin in reversed(order):
            self.tail[pin] = self._tail(pin)

    def change(self, delays: Iterable[tuple[Arc, float]]) -> None:
        """Give arcs other delays, in ps; what hangs on them follows."""
        arcs = []
        for arc, ps in delays:
            arc.ps = ps
            arcs.append(arc)
        self._follow([arc.end for arc in arcs], 1, self.arrival, self._arrival, self._after)
        self._follow([arc.start for arc in arcs], -1, self.tail, self._tail, self._before)

    def _follow(
        self,
        pins: Iterable[str],
        step: int,
        known: dict[str, float],
        found: Callable[[str], float],
        beyond: Callable[[str], Iterable[str]],
    ) -> None:
        """What is known of pins, found anew, and of those beyond as long as it changes.

        In the order of all pins, forwards with `step` 1 and backwards with -1.
        """
        queued = set(pins)
        pending = sorted((step * self._rank[pin], pin) for pin in queued)
        while pending:
            _, pin = heapq.heappop(pending)
            queued.remove(pin)
            if (now := found(pin)) != known[pin]:
                known[pin] = now
                for one in beyond(pin):
                    if one not in queued:
                        queued.add(one)
                        heapq.heappush(pending, (step * self._rank[one], one))

    def _after(self, pin: str) -> Iterator[str]:
        return (arc.end for arc in self.out.get(pin, ()))

    def _before(self, pin: str) -> Iterator[str]:
        return (arc.start for arc in self.into.get(pin, ()))

    def _arrival(self, pin: str) -> float:
        arcs = self.into.get(pin)
        if not arcs:
            return 0.0 if _port(pin) in CLOCK_PINS else NEVER
        return max([self.arrival[arc.start] + arc.ps for arc in arcs])

    def _tail(self, pin: str) -> float:
        ways = [self.tail[arc.end] + arc.ps for arc in self.out.get(pin, ())]
        return max([self.setup.get(pin, NEVER), *ways])

    def through(self, arc: Arc) -> float:
        """The longest way through an arc, in ps."""
        return self.arrival[arc.start] + arc.ps + self.tail[arc.end]

    def worst(self) -> tuple[float, str]:
        """The longest way of all, and the pin where it ends."""
        ends = ((self.arrival[pin] + ps, pin) for pin, ps in self.setup.items())
        return max(ends, default=(NEVER, ""))

    def way(self, end: str) -> list[Arc]:
        """The arcs of the longest way to a pin, from its beginning."""
        arcs: list[Arc] = []
        pin = end
        while self.into.get(pin):
            last = max(self.into[pin], key=lambda arc: self.arrival[arc.start] + arc.ps)
            arcs.append(last)
            pin = last.start
        return arcs[::-1]

    def _sorted(self) -> list[str]:
        """All pins, each behind those that lead to it."""
        missing = {pin: len(arcs) for pin, arcs in self.into.items()}
        pins = dict.fromkeys([*self.into, *self.out, *self.setup])
        ready = [pin for pin in pins if pin not in missing]
        for pin in ready:
            for arc in self.out.get(pin, ()):
                missing[arc.end] -= 1
                if not missing[arc.end]:
                    ready.append(arc.end)
        return ready


def read(lines: Iterable[str]) -> Timing:
    """The arcs and setup times of an SDF file that nextpnr wrote."""
    found = Timing()
    instance = ""
    for line in lines:
        if match := _ARC.match(line):
            kind, start, end, ps = match.groups()
            wire = kind == "INTERCONNECT"
            before = "" if wire else f"{instance}/"
            found.add(Arc(before + _plain(start), before + _plain(end), float(ps), wire))
        elif match := _SETUP.match(line):
            found.setup[f"{instance}/{_plain(match[1])}"] = float(match[2])
        elif match := _INSTANCE.match(line):
            instance = _plain(match[1])
    return found


def of_file(file: Path) -> Timing:
    """The timing in an SDF file, with arrivals and tails."""
    with file.open() as lines:
        found = read(lines)
    found.update()
    return found


def cell(pin: str) -> str:
    """The cell that a pin belongs to."""
    return pin.rpartition("/")[0]


def _port(pin: str) -> str:
    return pin.rpartition("/")[2]


def _plain(name: str) -> str:
    """A name without SDF's escapes."""
    return _ESCAPE.sub(r"\1", name)
