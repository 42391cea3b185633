# SPDX-License-Identifier: Apache-2.0
"""Queues that outgrow the tables on chip: what matching costs in memory.

Runs tmu-spill, which drives the whole Verilated unit through the driver and judges each verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opentmu import presets
from opentmu.benchmark import harness
from opentmu.benchmark.harness import Result
from opentmu.build import cbuild, verilate
from opentmu.errors import BadInput, CheckFailed

PROGRAM = "tmu-spill"
# Clocks from an address to its data: 100, 300 and 900 ns at 300 MHz.
LATENCIES = {30: 100, 90: 300, 270: 900}
MHZ = 300
POSITIONS = ("oldest", "youngest", "random")
POSTED, UNEXPECTED, ALONE, BESIDE = "posted", "unexpected", "alone", "beside"
FIFO = "fifo"


@dataclass(frozen=True)
class Memory:
    """Latency and rate of memory, in clocks (sim/device/tmu_sim.h)."""

    latency: int
    spread: int = 0
    gap: int = 1

    @property
    def result(self) -> Result:
        """As it stands in a result."""
        return {
            "memory_latency": self.latency,
            "memory_spread": self.spread,
            "memory_gap": self.gap,
        }

    @classmethod
    def of(cls, one: Result) -> "Memory":
        """The memory of a result."""
        return cls(one["memory_latency"], one["memory_spread"], one["memory_gap"])

    @property
    def even(self) -> bool:
        """A beat a clock, each as far as any other."""
        return self == Memory(self.latency)


@dataclass(frozen=True)
class Plan:
    """The cells of a preset."""

    depths: tuple[int, ...]
    near: int  # depth of a queue on chip beside another one; 0 where nothing goes on in memory
    deep: int  # depth of the queue beside another one, and of FIFO traffic
    steps: int
    fifo_steps: int
    # With one memory alone, for they take long: deeper queues, of which the others have the deepest
    # only, and depths of the unexpected queue.
    farther: tuple[int, ...]
    messages: tuple[int, ...]
    # Memories that are not even, and depths of the receives that are measured with them.
    uneven: tuple[Memory, ...]
    uneven_depths: tuple[int, ...]
    middle: int = 90
    latencies: tuple[int, ...] = tuple(LATENCIES)

    def words(self, latency: int) -> list[str]:
        """The cells in the order in which queues grow: KIND:POSITION:DEPTH:STEPS."""
        middle = latency == self.middle
        posted: list[str] = []
        for depth in (*self.depths, *(self.farther if middle else self.farther[-1:])):
            if depth == self.deep:
                posted.append(f"{POSTED}:{FIFO}:{depth}:{self.fifo_steps}")
            posted += self.receives(depth)
        unexpected = [
            f"{UNEXPECTED}:{position}:{depth}:{self.steps}"
            for depth in (self.messages if middle else ())
            for position in POSITIONS
        ]
        watched = [
            f"{kind}:{position}:{depth}:{self.steps}"
            for kind, depth, position in (
                (ALONE, self.near, POSITIONS[0]),
                *((BESIDE, self.near, one) for one in POSITIONS),
                *((BESIDE, self.deep, one) for one in POSITIONS),
            )
            if self.near > 0
        ]
        return [*posted, *unexpected, *watched]

    def receives(self, depth: int) -> list[str]:
        """The cells of receives of one endpoint at a depth."""
        return [f"{POSTED}:{position}:{depth}:{self.steps}" for position in POSITIONS]

    @property
    def cells(self) -> list[tuple[Memory, list[str]]]:
        """Each memory and its cells."""
        uneven = [word for depth in self.uneven_depths for word in self.receives(depth)]
        even = [(Memory(latency), self.words(latency)) for latency in self.latencies]
        return [*even, *((memory, uneven) for memory in self.uneven)]


def _on_chip(depths: tuple[int, ...], steps: int) -> Plan:
    """Of a preset that takes no memory."""
    none: dict[str, Any] = {"farther": (), "messages": (), "uneven": (), "uneven_depths": ()}
    return Plan(depths, 0, 0, steps, 0, **none, middle=30, latencies=(30,))


PLANS = {
    "nic": Plan(
        (2, 16, 64, 256, 1024, 4096, 16384, 16896, 18432),
        near=14336,
        deep=18432,
        steps=32,
        fifo_steps=256,
        farther=(24576, 32768, 65536),
        messages=(16896, 18432, 65536),
        uneven=(Memory(90, spread=90), Memory(90, gap=4)),
        uneven_depths=(18432, 65536),
    ),
    "tiny": Plan(
        (2, 16, 32, 64, 66, 96, 192, 1024, 4096),
        near=56,
        deep=192,
        steps=200,
        fifo_steps=2000,
        farther=(16384,),
        messages=(66, 192),
        uneven=(Memory(90, spread=90), Memory(90, gap=4)),
        uneven_depths=(192, 4096),
    ),
    "ecp5": _on_chip((2, 16, 64), steps=200),
}
QUICK = {
    "nic": Plan(
        (16384, 16896),
        near=14336,
        deep=16896,
        steps=16,
        fifo_steps=64,
        farther=(),
        messages=(16896,),
        uneven=(),
        uneven_depths=(),
        latencies=(90,),
    ),
    "tiny": Plan(
        (64, 66, 192),
        near=56,
        deep=192,
        steps=40,
        fifo_steps=200,
        farther=(),
        messages=(66,),
        uneven=(Memory(270, spread=270), Memory(270, gap=4)),
        uneven_depths=(192,),
        middle=270,
        latencies=(30, 270),
    ),
    "ecp5": _on_chip((2, 64), steps=40),
}


def table(preset: str) -> int:
    """Entries of a queue that are kept on chip."""
    return presets.find(preset).posted_entries


def plan_of(preset: str, *, quick: bool) -> Plan:
    """The cells; raises BadInput for a preset without cells."""
    plans = QUICK if quick else PLANS
    if preset not in plans:
        raise BadInput(f"--spill: found preset {preset}, expected one of {', '.join(plans)}")
    return plans[preset]


def measure(preset: str, *, quick: bool) -> list[Result]:
    """Run every cell on the Verilated unit; raises CheckFailed at a wrong verdict."""
    plan = plan_of(preset, quick=quick)
    library = verilate.library(preset)
    program = cbuild.program(cbuild.ensure(), PROGRAM)

    def run(memory: Memory, words: list[str]) -> harness.Run:
        usual = {"preset": preset, "kind": "spill", "measured_at": harness.WHOLE_UNIT}
        usual |= memory.result
        options = "&".join(f"{name}={clocks}" for name, clocks in memory.result.items())
        uri = f"sim:{library}?{options}"
        return harness.Run([program, "--uri", uri], words, lambda found: usual | found)

    runs = [run(memory, words) for memory, words in plan.cells]
    results = harness.collect(PROGRAM, f"cells of preset {preset}", runs)
    check_harm(results)
    return results


def check_harm(results: Sequence[Result]) -> None:
    """Raises CheckFailed when cells did not do what they are there for."""
    for one in results:
        entries, found = table(one["preset"]), one["counts"]["deferred"]
        rests = one["queue"] == ALONE or one["depth"] <= entries
        if rests and found > 0 and one["queue"] != ALONE:
            raise CheckFailed(f"{PROGRAM}: {title(one)}: found {found} deferred, expected none")
        if not rests and found == 0:
            raise CheckFailed(f"{PROGRAM}: {title(one)}: found nothing deferred, expected some")


def title(one: Result) -> str:
    """A cell in a few words."""
    memory = Memory.of(one)
    more = f", up to {memory.spread} more" if memory.spread else ""
    gap = f", a beat in {memory.gap}" if memory.gap > 1 else ""
    cell = f"{one['queue']} {one['position']} at {one['depth']:,}"
    return f"{cell}, {memory.latency} clocks{more}{gap}"
