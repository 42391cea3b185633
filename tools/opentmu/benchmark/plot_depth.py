# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds a verdict by depth: the whole unit at its clock, and one core."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentmu.benchmark import plot, spill, spill_figures
from opentmu.benchmark.clock import Clock, Pace
from opentmu.benchmark.harness import Result

STYLES = {"youngest": "-", "random": "-.", "oldest": ":"}
TAKES = {
    "youngest": "takes the youngest",
    "random": "takes one at random",
    "oldest": "takes the oldest",
}
UNITS = (plot.BLUE, plot.GREEN)
MIDDLE = 90  # the memory that every depth is measured with


@dataclass(frozen=True)
class Unit:
    """The cells of `bench --spill` of a preset, and the clock of its whole unit."""

    results: Sequence[Result]
    clock: Clock


def write(folder: Path, units: Sequence[Unit], engines: Sequence[Result]) -> list[Path]:
    """Write the plot, if there are units and engines; the files written."""
    return plot.draw(folder, {"bench-depth": lambda axis: curves(axis, units, engines)})


def curves(axis: Any, units: Sequence[Unit], engines: Sequence[Result]) -> bool:
    """A line for each position, of each unit with its clocks at both ends, and of each engine."""
    if not units or not engines:
        return False
    for unit, colour in zip(units, UNITS, strict=False):
        _unit(axis, unit, colour)
    for engine, colour in plot.ENGINE_COLOURS.items():
        for position, style in STYLES.items():
            points = [
                (one["depth"], 1e9 / one["verdicts_per_second"])
                for one in engines
                if (one["engine"], one["kind"], one["position"]) == (engine, "exact", position)
            ]
            label = f"one core, {engine}, hot caches" if position == "youngest" else "_nolegend_"
            plot.line(axis, sorted(points), label, colour, style)
    for position, style in STYLES.items():
        axis.plot([], [], color="black", linestyle=style, label=TAKES[position])
    # Powers of four: neighbours have no room for their numbers.
    fours = {0, *(1 << power for power in range(0, 31, 2))}
    shown = sorted({one["depth"] for one in engines} & fours)
    plot.by_depth(axis, shown, "nanoseconds a verdict by depth, operations always in flight")
    axis.set_yscale("log")
    plot.plain(axis.yaxis)
    axis.set_ylabel("nanoseconds a verdict, exact keys")
    axis.legend(loc="upper left", frameon=False, fontsize=8)
    return True


def _unit(axis: Any, unit: Unit, colour: str) -> None:
    preset, clock = unit.results[0]["preset"], unit.clock
    latencies = spill_figures.latencies(unit.results)
    latency = MIDDLE if MIDDLE in latencies else latencies[-1]
    memory = f", memory {latency} clocks away" if spill_figures.reaches_memory(unit.results) else ""
    for position, style in STYLES.items():
        cells = spill_figures.curve(unit.results, spill.Memory(latency), position)
        spans = [(one["depth"], *Pace.measured(one).nanoseconds(clock)) for one in cells]
        label = f"{preset}, whole unit at {clock.text}{memory}"
        points = [(depth, most) for depth, _, most in spans]
        plot.line(axis, points, label if position == "youngest" else "_nolegend_", colour, style)
        if clock.high > clock.low:
            xs, least, most = zip(*spans, strict=True)
            axis.fill_between(xs, least, most, color=colour, alpha=0.15)
