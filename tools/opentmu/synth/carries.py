# SPDX-License-Identifier: Apache-2.0
"""What computes a bit of a carry chain goes into the LUT of that bit.

A lane's comparator ends in carry chains with a CCU2C for each bit of the key
(fpga/synth/ecp5_zero_chain.sv), and each bit comes from a LUT of its own: whether key and search
differ there, and neither ignores it. A half of the CCU2C has a LUT of four inputs as well, which
can be that one; a LUT and a wire a bit are saved
(docs/decisions/0049-timing.md).
"""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

from opentmu.synth import nets

CARRY, LOOK_UP = "CCU2C", "LUT4"
INPUTS = "ABCD"
CONSTANTS = ("0", "1", "x")
# A half that takes one bit and gives the carry on while it is 0.
PASSES_ZERO = f"{0x5555:016b}"


def in_file(netlist: Path, top: str) -> None:
    """Absorb LUTs in the module `top` of a netlist's file."""
    content = json.loads(netlist.read_text())
    absorb(content["modules"][top])
    netlist.write_text(json.dumps(content))


def absorb(module: dict[str, Any]) -> int:
    """Move LUTs of a mapped module into the carry chains that they drive; how many were moved."""
    cells = module["cells"]
    readers = nets.ends(module)
    ports = [port for port in module["ports"].values() if port["direction"] != "input"]
    shown = {bit for port in ports for bit in port["bits"]}
    makers = {
        cell["connections"]["Z"][0]: name
        for name, cell in cells.items()
        if cell["type"] == LOOK_UP and cell["connections"].get("Z")
    }
    moved = 0
    for cell in [cell for cell in cells.values() if cell["type"] == CARRY]:
        for half in "01":
            bit = cell["connections"][f"A{half}"][0]
            if cell["parameters"][f"INIT{half}"] != PASSES_ZERO or bit not in makers:
                continue
            alone = len(readers[bit]) == 1 and bit not in shown
            if alone and _into(cell, half, cells[makers[bit]]):
                del cells[makers[bit]]
                moved += 1
    return moved


def _into(carry: dict[str, Any], half: str, lut: dict[str, Any]) -> bool:
    """Let a half compute the opposite of what a LUT does, if it does not make carries then.

    A half makes a carry of its own where its LUT is 0 and would be 1 with C and D at 0. So the
    inputs are put in an order in which that never happens. An input of a constant is 1 behind it,
    whatever it was, for a 0 would be a wire from a LUT of zeros.
    """
    sources = {name: lut["connections"][name] for name in INPUTS}
    table = int(lut["parameters"]["INIT"], 2)
    for place, name in enumerate(INPUTS):
        if sources[name][0] in CONSTANTS:
            table = _fixed(table, place, int(sources[name][0] == "1"))
            sources[name] = ["1"]
    for order in permutations(INPUTS):
        init = _turned(table, order) ^ 0xFFFF
        low = init & 0xF
        if all(low & ~(init >> 4 * rest) == 0 for rest in range(4)):
            carry["parameters"][f"INIT{half}"] = f"{init:016b}"
            for name, source in zip(INPUTS, order, strict=True):
                carry["connections"][f"{name}{half}"] = sources[source]
            return True
    return False


def _fixed(table: int, place: int, value: int) -> int:
    """The table of a LUT that takes one input for a constant."""
    return sum((table >> (at & ~(1 << place) | value << place) & 1) << at for at in range(16))


def _turned(table: int, order: tuple[str, ...]) -> int:
    """The table of a LUT whose inputs A to D are those of `order`."""
    turned = 0
    for index in range(16):
        values = {source: index >> place & 1 for place, source in enumerate(order)}
        old = sum(values[name] << place for place, name in enumerate(INPUTS))
        turned |= (table >> old & 1) << index
    return turned
