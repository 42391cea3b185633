# SPDX-License-Identifier: Apache-2.0
"""Resources of a card beside its unit: each module, mapped by itself."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from opentmu.build import rtl
from opentmu.errors import CheckFailed
from opentmu.synth import cells, flow, netlist
from opentmu.synth.pnr import Settings

CARD, UNIT = "TmuCard", "TmuTop"
INSTANCE = re.compile(r"^  (\w+) \w+ \($", re.MULTILINE)
NUMBERS = ("lut_logic", "lut_memory", "lut", "ff", "bram")


def parts(folder: Path) -> Counter[str]:
    """The modules of a card but its unit, with their instances; those without a file are none."""
    found = Counter(INSTANCE.findall((folder / f"{CARD}.sv").read_text()))
    if found[UNIT] != 1:
        raise CheckFailed(f"{folder}: found {found[UNIT]} {UNIT} in {CARD}, expected one")
    return Counter(
        {one: n for one, n in found.items() if one != UNIT and (folder / f"{one}.sv").is_file()}
    )


def measure(preset: str, family: str, settings: Settings) -> list[dict[str, Any]]:
    """Resources of all instances of each module, largest first; nothing is placed or routed."""
    folder = rtl.ensure_card(preset)
    rows = []
    for module, times in parts(folder).items():
        design = flow.Design.of_folder(folder, module, family)
        mapped = flow.mapped(design, family, settings.timeout)
        modules = netlist.load(mapped / "netlist.json", module)
        counts = netlist.cell_counts(modules, module)
        taken = cells.resources({kind: times * n for kind, n in counts.items()})
        rows.append({"module": module, "instances": times, **asdict(taken)})
    return sorted(rows, key=lambda row: (-row["lut"], row["module"]))


def show(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print a table with a line for each module, and their sum."""
    table = Table("module", box=None)
    for title in ("LUT, logic", "LUT, memories", "LUT", "flip-flops", "block memories"):
        table.add_column(title, justify="right")
    total = {"module": "all", **{name: sum(row[name] for row in rows) for name in NUMBERS}}
    for row in (*rows, total):
        table.add_row(row["module"], *(f"{row[name]:,g}" for name in NUMBERS))
    console.print(table)
