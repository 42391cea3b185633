# SPDX-License-Identifier: Apache-2.0
"""Room for wires: every fourth or sixth row of an ECP5-85's logic tiles stays empty.

The placer packs what belongs together into full tiles, and a full tile of this design needs up to
40 different nets, more than the wires around it bring. No option of the placer changes that, so
cells that do nothing are bound to the tiles that shall stay empty (docs/synthesis.md).
"""

from collections.abc import Iterator
from typing import Any

# Logic tiles of an ECP5-85: 123 columns, and 85 rows between those of memories and multipliers.
COLUMNS = range(2, 125)
ROWS = tuple(row for row in range(2, 94) if row % 12 != 10)
SLICES = "ABCD"
LUTS = len(COLUMNS) * len(ROWS) * len(SLICES) * 2
PREFIX = "stays_empty$"

# Shares of the device's LUTs, and every which row stays empty for a design of so much at most. A
# smaller one needs no room, a larger one does not fit beside it.
LEAST = 0.10
STEPS = ((0.55, 4), (0.65, 6))
NAMES = {4: "fourth", 6: "sixth"}

# A LUT of nothing and a flip-flop without a clock: they have a place and no wires.
LUT = {
    "hide_name": 1,
    "type": "LUT4",
    "parameters": {"INIT": "0" * 16},
    "port_directions": {"A": "input", "B": "input", "C": "input", "D": "input", "Z": "output"},
    "connections": {"A": ["0"], "B": ["0"], "C": ["0"], "D": ["0"], "Z": []},
}
FLIP_FLOP = {
    "hide_name": 1,
    "type": "TRELLIS_FF",
    "parameters": {
        "GSR": "DISABLED",
        "CLKMUX": "CLK",
        "LSRMUX": "LSR",
        "REGSET": "RESET",
        "SRMODE": "LSR_OVER_CE",
    },
    "port_directions": {},
    "connections": {},
}


def step(luts: int) -> int:
    """Every which row stays empty for a design of so many LUTs, memories and carries included.

    0 for none.
    """
    if luts < LEAST * LUTS:
        return 0
    return next((every for most, every in STEPS if luts <= most * LUTS), 0)


def words(every: int) -> str:
    """What a report says of the rows that stay empty."""
    return f"; every {NAMES[every]} row of logic tiles left empty" if every else ""


def empty_places(every: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every place that stays empty, by its name in the device, and the cell that is bound there."""
    for row in (row for row in ROWS if row % every == 0):
        for column in COLUMNS:
            for one in SLICES:
                for half in "01":
                    yield f"X{column}/Y{row}/SLICE{one}.K{half}", LUT
                    yield f"X{column}/Y{row}/SLICE{one}.FF{half}", FLIP_FLOP


def fill(module: dict[str, Any], every: int) -> int:
    """Give a mapped module the empty places' cells; how many LUTs those are."""
    places = 0
    for place, cell in empty_places(every):
        module["cells"][f"{PREFIX}{place}"] = {**cell, "attributes": {"BEL": place}}
        places += 1
    return places // 2
