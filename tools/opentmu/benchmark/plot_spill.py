# SPDX-License-Identifier: Apache-2.0
"""Clocks a verdict of queues beyond the tables on chip, as a plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentmu.benchmark import plot, spill, spill_figures
from opentmu.benchmark.harness import Result

COLOURS = (plot.GREEN, plot.BLUE, plot.RED, plot.PURPLE)
STYLES = {"youngest": "-", "random": "-.", "oldest": ":"}


def write(folder: Path, results: Sequence[Result]) -> list[Path]:
    """Write the plot by depth; the files written."""
    return plot.draw(folder, {"bench-spill": lambda axis: curve(axis, results)})


def curve(axis: Any, results: Sequence[Result]) -> bool:
    """Clocks a verdict by depth, a line for each memory and position."""
    for latency, colour in zip(spill_figures.latencies(results), COLOURS, strict=False):
        for position, style in STYLES.items():
            found = spill_figures.curve(results, spill.Memory(latency), position)
            points = [(one["depth"], one["clocks_per_verdict"]) for one in found]
            plot.line(axis, points, f"{position}, memory {latency} clocks away", colour, style)
    entries = spill.table(results[0]["preset"])
    axis.axvline(entries, color=plot.GREY, linewidth=0.8, linestyle=":")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    depths = sorted({one["depth"] for one in results if one["queue"] == spill.POSTED})
    # Neighbours a few per cent apart have no room for their numbers.
    shown = [d for d, after in zip(depths, [*depths[1:], 1 << 40], strict=True) if after > 1.2 * d]
    axis.set_xticks(shown, [f"{depth:,}" for depth in shown], rotation=45, ha="right")
    axis.minorticks_off()
    plot.plain(axis.yaxis)
    words = f"the table ends at {entries:,}"
    offset: dict[str, Any] = {"xytext": (-4, 4), "textcoords": "offset points", "ha": "right"}
    axis.annotate(words, (entries, axis.get_ylim()[0]), fontsize=8, color=plot.GREY, **offset)
    title = f"{plot.title_of(results)}: clocks a verdict by depth, beyond the table in memory"
    axis.set_title(title, fontsize=11, loc="left", pad=10)
    axis.set_xlabel("receives of one endpoint")
    axis.set_ylabel("clocks a verdict")
    axis.grid(visible=True, alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(loc="upper left", frameon=False, fontsize=8)
    return True
