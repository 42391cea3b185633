# SPDX-License-Identifier: Apache-2.0
"""Block memories of an ECP5 stay where a floorplan or a first placement has put them.

They have few places, in rows far apart, so what the placer does in one step with all kinds of cells
throws many memories across the device, and the logic around them follows. Steps differ by a tenth
in wire then for no reason, and it gives up when five in a row bring nothing. With memories that
stay, each step improves on the last (docs/decisions/0049-timing.md).

Which places a first placement finds is chance, and the clock hangs on it: a good one is kept in a
file, the floorplan of the design (docs/decisions/0049-timing.md).
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opentmu.errors import BadInput

KIND = "DP16KD"
# What the placer is asked for, and what it answers.
WANTED, PLACED = "BEL", "NEXTPNR_BEL"


def names(netlist: Path, top: str) -> list[str]:
    """The block memories of a mapped module."""
    return _among(json.loads(netlist.read_text())["modules"][top]["cells"])


def found(placed: Path) -> dict[str, str]:
    """Places of the block memories in what nextpnr wrote: one module, whatever it is called."""
    (written,) = json.loads(placed.read_text())["modules"].values()
    cells = written["cells"]
    return {name: cells[name]["attributes"][PLACED] for name in _among(cells)}


def floorplan(file: Path) -> dict[str, str]:
    """Places by the names of memories, from a file of one object."""
    try:
        content = json.loads(file.read_text())
    except ValueError as error:
        raise BadInput(f"{file}: found no JSON, expected places of memories: {error}") from error
    if not isinstance(content, dict) or not all(isinstance(at, str) for at in content.values()):
        raise BadInput(f"{file}: found other JSON, expected an object from memories to places")
    return content


def keep(netlist: Path, top: str, places: Mapping[str, str]) -> int:
    """Bind the block memories of `top` to their places; how many there are.

    Raises KeyError for a memory without a place.
    """
    content = json.loads(netlist.read_text())
    cells = content["modules"][top]["cells"]
    memories = _among(cells)
    for name in memories:
        cells[name].setdefault("attributes", {})[WANTED] = places[name]
    netlist.write_text(json.dumps(content))
    return len(memories)


def _among(cells: Mapping[str, Any]) -> list[str]:
    return [name for name, cell in cells.items() if cell["type"] == KIND]
