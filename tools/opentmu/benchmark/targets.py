# SPDX-License-Identifier: Apache-2.0
"""Promises of the matching unit, checked on measured cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from opentmu.benchmark.cells import APPEND, BOTH, COLLISIONS, PAIRED
from opentmu.benchmark.harness import Result

# Presets that have to keep every promise; `tiny` has its memory rows for tests only.
PROMISED = ("nic", "ecp5")

CLOCKS_PER_STEP = 1.0
DEEP_CLOCKS = 64
DEEP_ENTRIES = 16384
# Entries of a queue, and the most clocks from acceptance to verdict up to there.
LATENCIES = ((256, 16), (1024, 24))
PAIR_RATE = 1.9
COLLISION_RATIO = 1.5
# Quotients of whole clocks, printed with six digits.
ROUNDING = 1e-5


@dataclass(frozen=True)
class Target:
    """One promise: the worst of the cells that it is about, and that cell."""

    name: str
    limit: float
    worst: float
    cell: str
    cells: int
    at_least: bool = False

    @property
    def met(self) -> bool:
        if self.at_least:
            return self.worst >= self.limit - ROUNDING
        return self.worst <= self.limit + ROUNDING


def check(results: Sequence[Result], array: int) -> list[Target]:
    """Every promise that the cells say something about; `array` entries are held in lanes."""
    flat = [r for r in results if r["depth"] <= array]
    beyond = [r for r in results if r["depth"] > array]
    steady = [r for r in flat if r["kind"] != APPEND]
    # Appends of one stream search a queue that is empty; those of both search long ones.
    alone = [r for r in beyond if r["kind"] == APPEND and r["queue"] != BOTH]
    deep = [r for r in beyond if r["depth"] <= DEEP_ENTRIES and r not in alone]
    appends = [r for r in flat if r["kind"] == APPEND]
    pairs = [r for r in flat if r["kind"] == PAIRED]
    to, past = f"to {array:,} entries", f"beyond {array:,} entries"
    found = [
        _most(f"clocks a step, {to}", CLOCKS_PER_STEP, steady, _rate),
        *_latencies(flat, array),
        _most(f"clocks a step, {past}", DEEP_CLOCKS, deep, _rate),
        _most(f"longest wait between steps, {past}", DEEP_CLOCKS, deep, _longest),
        _most(f"clocks an append, {to}", CLOCKS_PER_STEP, appends, _rate),
        _most(f"clocks an append of one stream, {past}", CLOCKS_PER_STEP, alone, _rate),
        _least(f"pair rate against one search at a time, {to}", PAIR_RATE, pairs),
        _collisions(results),
    ]
    return [target for target in found if target is not None]


def latencies(array: int) -> list[tuple[int, int]]:
    """Depths up to which the most clocks to a verdict are promised, and these clocks."""
    steps = pairwise([(0, 0), *LATENCIES])
    return [(min(size, array), clocks) for (begin, _), (size, clocks) in steps if begin < array]


def _latencies(flat: Sequence[Result], array: int) -> list[Target | None]:
    def figure(result: Result) -> float:
        return float(result["latency_clocks"]["max"])

    return [
        _most(
            f"most clocks to a verdict, to {depth:,} entries",
            clocks,
            [r for r in flat if r["depth"] <= depth],
            figure,
        )
        for depth, clocks in latencies(array)
    ]


def _rate(result: Result) -> float:
    return float(result["clocks_per_step"])


def _longest(result: Result) -> float:
    return float(result["most_clocks_between"])


def title(result: Result) -> str:
    """A cell in a few words."""
    parts = [result["kind"], result["queue"], result["position"]]
    return " ".join(part for part in parts if part != "none") + f" at {result['depth']:,}"


def _most(
    name: str, limit: float, results: Sequence[Result], figure: Callable[[Result], float]
) -> Target | None:
    if not results:
        return None
    worst = max(results, key=figure)
    return Target(name, limit, figure(worst), title(worst), len(results))


def _least(name: str, limit: float, results: Sequence[Result]) -> Target | None:
    if not results:
        return None
    worst = min(results, key=lambda r: float(r["pair_rate"]))
    rate = float(worst["pair_rate"])
    return Target(name, limit, rate, title(worst), len(results), at_least=True)


def _collisions(results: Sequence[Result]) -> Target | None:
    """Tags that agree in their low bits, beside all-different keys in the same cell."""
    free = {_cell(r): _rate(r) for r in results if r["kind"] == "exact"}
    both = [r for r in results if r["kind"] in COLLISIONS and _cell(r) in free]

    def ratio(result: Result) -> float:
        return _rate(result) / free[_cell(result)]

    return _most("clocks under tag collisions, against none", COLLISION_RATIO, both, ratio)


def _cell(result: Result) -> tuple[str, str, int]:
    return result["queue"], result["position"], result["depth"]
