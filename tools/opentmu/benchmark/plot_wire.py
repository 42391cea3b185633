# SPDX-License-Identifier: Apache-2.0
"""Clocks of a card for a message that it expects, stage by stage, as a plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentmu.benchmark import plot

COLOURS = (plot.BLUE, plot.PURPLE, plot.GREEN, plot.ORANGE, plot.RED, plot.GREY)


def write(folder: Path, rows: Sequence[dict[str, Any]]) -> list[Path]:
    """Write the plot, a bar for each size; the files written."""
    return plot.draw(folder, {"bench-wire": lambda axis: bars(axis, rows)})


def bars(axis: Any, rows: Sequence[dict[str, Any]]) -> bool:
    """Clocks of each stage behind those of the stages before it."""
    if not rows:
        return False
    heights = range(len(rows))
    left = [0] * len(rows)
    for stage, colour in zip(rows[0]["stages"], COLOURS, strict=True):
        clocks = [row["stages"][stage] for row in rows]
        axis.barh(heights, clocks, left=left, color=colour, height=0.6, label=stage)
        left = [before + more for before, more in zip(left, clocks, strict=True)]
    for at, total in zip(heights, left, strict=True):
        axis.text(total + 0.5, at, f"{total}", va="center", fontsize=9)
    axis.set_yticks(list(heights), [f"{row['bytes']:,} bytes" for row in rows])
    axis.invert_yaxis()
    axis.set_xlabel("clocks from the last beat of the frames to the completion")
    axis.set_title("a message that is expected, by stage", fontsize=11, loc="left", pad=10)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=6, frameon=False, fontsize=9)
    return True
