# SPDX-License-Identifier: Apache-2.0
"""LUTs and flip-flops a lane: elaborated row modules, mapped one by one, over their lanes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from opentmu import regs
from opentmu.build import rtl
from opentmu.errors import BadInput
from opentmu.synth import cells, chain, flow, levels, netlist
from opentmu.synth.pnr import Settings


@dataclass(frozen=True)
class Row:
    """A module with so many lanes in it; `folder` holds a .sv file for it and for each part."""

    top: str
    lanes: int
    folder: Path


def parse(text: str) -> Row:
    """TOP:LANES:FOLDER as a row; raises BadInput for anything else."""
    words = text.split(":", 2)
    if len(words) != 3 or not words[0] or not words[1].isdecimal() or int(words[1]) < 1:
        raise BadInput(
            f"--area-per-lane {text}: expected TOP:LANES:FOLDER, like ArrayRow:64:build/row"
        )
    folder = Path(words[2])
    if not folder.is_dir():
        raise BadInput(f"--area-per-lane {text}: found no folder {folder}")
    return Row(words[0], int(words[1]), folder)


def all_kinds() -> list[Row]:
    """Full-width lanes of both queues; filter ids of 8, 16 and 32 bits in rows of a memory."""
    folder = rtl.ensure_lanes()
    lanes = regs.PRESETS["nic"].lanes
    full = [
        Row("ArrayRowPosted", lanes, folder / "posted"),
        Row("ArrayRowUnexpected", lanes, folder / "unexpected"),
    ]
    return full + [
        Row("FilterTablePosted", lanes, folder / f"filter{bits}") for bits in (8, 16, 32)
    ]


def measure(row: Row, family: str, settings: Settings) -> dict[str, Any]:
    """Map a row by itself and divide what it takes by its lanes.

    Nothing is placed or routed; `levels` is counted for xcup only.
    """
    design = flow.Design.of_folder(row.folder, row.top, family)
    folder = flow.mapped(design, family, settings.timeout)
    modules = netlist.load(folder / "netlist.json", row.top)
    taken = cells.resources(netlist.cell_counts(modules, row.top))
    found: dict[str, Any] = {
        "top": row.top,
        "folder": str(row.folder),
        "family": family,
        "lanes": row.lanes,
        "lut": taken.lut,
        "ff": taken.ff,
        "lut_per_lane": round(taken.lut / row.lanes, 1),
        "ff_per_lane": round(taken.ff / row.lanes, 1),
        "levels": None,
        "clock_estimate": None,
    }
    if family == "xcup":
        deepest = levels.slowest(modules, row.top)[0].levels
        found |= {"levels": deepest, "clock_estimate": chain.clock_estimate(deepest)}
    return found


def show(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print a table with a line for each row module."""
    table = Table("module", "folder", box=None)
    for title in ("lanes", "LUT", "flip-flops", "LUT a lane", "flip-flops a lane", "levels"):
        table.add_column(title, justify="right")
    for row in rows:
        numbers = (f"{row['lut']:,}", f"{row['ff']:,}", row["lut_per_lane"], row["ff_per_lane"])
        table.add_row(
            row["top"],
            row["folder"],
            *map(str, (row["lanes"], *numbers)),
            "-" if row["levels"] is None else str(row["levels"]),
        )
    console.print(table)
