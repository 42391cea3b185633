# SPDX-License-Identifier: Apache-2.0
"""Block memories of an ECP5 stay where a first placement has put them.

They have few places, in rows far apart, so what the placer does in one step with all kinds of cells
throws many memories across the device, and the logic around them follows. Steps differ by a tenth
in wire then for no reason, and it gives up when five in a row bring nothing. With memories that
stay, each step improves on the last (docs/decisions/0033-memories-first.md).
"""

import json
from pathlib import Path

KIND = "DP16KD"
# What the placer is asked for, and what it answers.
WANTED, PLACED = "BEL", "NEXTPNR_BEL"


def count(netlist: Path, top: str) -> int:
    """How many block memories a mapped module has."""
    cells = json.loads(netlist.read_text())["modules"][top]["cells"]
    return sum(cell["type"] == KIND for cell in cells.values())


def keep(netlist: Path, top: str, placed: Path) -> int:
    """Bind the block memories of `top` to where they lie in `placed`; how many there are.

    `placed` is what nextpnr wrote of the same netlist: one module, whatever it is called there.
    Raises KeyError for a memory that has no place there.
    """
    content = json.loads(netlist.read_text())
    cells = content["modules"][top]["cells"]
    (written,) = json.loads(placed.read_text())["modules"].values()
    memories = [name for name, cell in cells.items() if cell["type"] == KIND]
    for name in memories:
        place = written["cells"][name]["attributes"][PLACED]
        cells[name].setdefault("attributes", {})[WANTED] = place
    netlist.write_text(json.dumps(content))
    return len(memories)
