# SPDX-License-Identifier: Apache-2.0
"""Latencies of victims beside each attack, and the bounds, as a plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentmu.benchmark import isolation, plot
from opentmu.benchmark.harness import Result


def write(folder: Path, results: Sequence[Result]) -> list[Path]:
    """Write the plot, a line for each attack; the files written."""
    return plot.draw(folder, {"bench-isolation": lambda axis: attacks(axis, results)})


def attacks(axis: Any, results: Sequence[Result]) -> bool:
    """From the median to the longest latency, with the 99th percentile between and the bound."""
    shown = sorted(results, key=isolation.longest, reverse=True)
    heights = range(len(shown))
    spreads = [one["host_latency_clocks"] for one in shown]
    middle = [one["p50"] for one in spreads]
    most = [isolation.longest(one) for one in shown]
    bounds = [(isolation.bound(results, one), at) for at, one in enumerate(shown)]
    limited = [(limit, at) for limit, at in bounds if shown[at]["position"] != isolation.NONE]
    axis.hlines(heights, middle, most, color=plot.GREY, linewidth=1)
    marks: list[tuple[Any, str, str, str]] = [
        (middle, plot.BLUE, "o", "median"),
        ([one["p99"] for one in spreads], plot.ORANGE, "s", "99th percentile"),
        (most, plot.RED, "D", "longest"),
    ]
    for values, colour, marker, label in marks:
        axis.plot(values, heights, linestyle="", marker=marker, markersize=5, color=colour)
        axis.plot([], [], linestyle="", marker=marker, color=colour, label=label)
    xs, ys = zip(*limited, strict=True)
    axis.plot(xs, ys, linestyle="", marker="|", markersize=13, color="black", label="bound")
    axis.set_xscale("log")
    plot.plain(axis.xaxis)
    axis.set_yticks(list(heights), [isolation.title(one) for one in shown])
    axis.set_xlabel("clocks from the doorbell to the completion")
    title = f"{plot.title_of(results)}: latency of {shown[0]['victims']} endpoints beside an attack"
    axis.set_title(title, fontsize=11, loc="left", pad=10)
    axis.grid(visible=True, axis="x", alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(loc="upper right", frameon=False, fontsize=9)
    return True
