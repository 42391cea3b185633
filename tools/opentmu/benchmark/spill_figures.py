# SPDX-License-Identifier: Apache-2.0
"""Figures of the cells of `tmu bench --spill`: curves by depth, cliff and slope, promises."""

from collections.abc import Sequence

from opentmu.benchmark import spill
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise

# Clocks a verdict at the first depth beyond the table, by those at the last within: at most.
CLIFF = 4.0
# Clocks a verdict for each entry more in memory, at most: four clocks a chunk of 60 entries and a
# step of two verdicts are 0.033, and words that are not on chip come from memory.
SLOPE = 0.05


def curve(results: Sequence[Result], memory: spill.Memory, position: str) -> list[Result]:
    """The cells of receives with one memory, by depth."""
    found = [one for one in results if one["queue"] == spill.POSTED and one["position"] == position]
    return sorted(
        (one for one in found if spill.Memory.of(one) == memory), key=lambda one: one["depth"]
    )


def latencies(results: Sequence[Result]) -> list[int]:
    """Even memories that were measured, fastest first."""
    return sorted({one["memory_latency"] for one in results if spill.Memory.of(one).even})


def uneven(results: Sequence[Result]) -> list[tuple[Result, Result]]:
    """Each cell with a memory that is not even, behind the same one with an even memory."""
    same = ("queue", "position", "depth", "memory_latency")
    even = [one for one in results if spill.Memory.of(one).even]
    return [
        (next(other for other in even if all(other[key] == one[key] for key in same)), one)
        for one in results
        if not spill.Memory.of(one).even
    ]


def beyond(results: Sequence[Result], latency: int, position: str) -> list[Result]:
    """The cells of receives that memory has to answer for, by depth, behind the last within."""
    found = curve(results, spill.Memory(latency), position)
    entries = spill.table(found[0]["preset"])
    within = [one for one in found if one["depth"] <= entries]
    return [*within[-1:], *(one for one in found if one["depth"] > entries)]


def cliff(results: Sequence[Result], latency: int, position: str) -> float:
    """Clocks a verdict at the first depth beyond the table, by those at the last within."""
    last, first = beyond(results, latency, position)[:2]
    return float(first["clocks_per_verdict"] / last["clocks_per_verdict"])


def slope(results: Sequence[Result], latency: int, position: str) -> float | None:
    """Clocks a verdict for each entry more, from the first depth beyond the table to the last.

    None where a single depth beyond was measured.
    """
    _, first, *more = beyond(results, latency, position)
    if not more:
        return None
    clocks = more[-1]["clocks_per_verdict"] - first["clocks_per_verdict"]
    return float(clocks / (more[-1]["depth"] - first["depth"]))


def figures(one: Result) -> dict[str, float]:
    """Figures derived from the counters of a cell, the traffic with many in flight."""
    counts = one["counts"]
    steps = counts["operations"] / 2
    return {
        "bytes_per_step": 64 * counts["reads"] / steps,
        "writes_per_append": counts["writes"] / max(1, counts["appended"]),
        "refills_per_step": counts["refilled"] / steps,
        "taken_per_step": counts["taken"] / steps,
    }


def beside(results: Sequence[Result], latency: int) -> tuple[Result, list[Result], list[Result]]:
    """Of the endpoint that matches on chip: alone, and beside a queue on chip and one in memory."""
    found = [one for one in results if spill.Memory.of(one) == spill.Memory(latency)]
    alone = next(one for one in found if one["queue"] == spill.ALONE)
    others = [one for one in found if one["queue"] == spill.BESIDE]
    entries = spill.table(alone["preset"])
    near = [one for one in others if one["depth"] <= entries]
    return alone, near, [one for one in others if one["depth"] > entries]


def slowest(results: Sequence[Result]) -> int:
    """The p99 latency of the worst cell, one operation at a time."""
    return max(int(one["lone_latency_clocks"]["take"]["p99"]) for one in results)


def promises(results: Sequence[Result]) -> list[Promise]:
    """The bounds of the cost of memory, for its own endpoint and others (R13).

    An endpoint on chip feels no more of a queue in memory than of one that is on chip, too.
    """
    found = []
    for latency in latencies(results):
        memory = f"memory of {latency} clocks"
        if reaches_memory(results):
            _, near, far = beside(results, latency)
            name = f"on chip beside a queue in {memory}, p99 latency"
            found.append(Promise(name, slowest(far), slowest(near)))
            cliffs = [cliff(results, latency, position) for position in spill.POSITIONS]
            found.append(Promise(f"{memory}: clocks at its edge", max(cliffs), CLIFF))
            slopes = [slope(results, latency, position) for position in spill.POSITIONS]
            steep = [one for one in slopes if one is not None]
            if steep:
                name = f"{memory}: clocks a verdict for each entry more"
                found.append(Promise(name, max(steep), SLOPE))
    return found


def reaches_memory(results: Sequence[Result]) -> bool:
    """Whether any cell does; a preset may take no memory."""
    return any(one["queue"] == spill.BESIDE for one in results)
