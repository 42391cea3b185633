# SPDX-License-Identifier: Apache-2.0
"""Copies of registers that address many small memories.

A word of 500 bits lies in 140 small memories of an ECP5, four bits in each, and one register
addresses them all: its wire goes across the device and decides the clock. Yosys makes one register
of equal ones, so the copies are made behind it, each for memories whose bits are neighbours; the
placer puts a copy near them (docs/decisions/0030-a-routed-clock.md).
"""

import copy
import re
from collections import defaultdict
from typing import Any

# Most memories that one register addresses. A register with twice as many at most gets no copy.
ENDS = 36
MEMORY, REGISTER = "TRELLIS_DPR16X4", "TRELLIS_FF"
ADDRESSES = ("RAD", "WAD")

# Cell, port, and bit of the port.
End = tuple[str, str, int]


def make(module: dict[str, Any]) -> int:
    """Share the memories of a mapped module among copies of their registers; how many were made."""
    cells = module["cells"]
    registers = {
        cell["connections"]["Q"][0]: name
        for name, cell in cells.items()
        if cell["type"] == REGISTER and cell["connections"].get("Q")
    }
    nets = [bit for cell in cells.values() for bits in cell["connections"].values() for bit in bits]
    nets += [bit for net in module["netnames"].values() for bit in net["bits"]]
    free = 1 + max((net for net in nets if isinstance(net, int)), default=0)
    made = 0
    for net, ends in _addressed(cells).items():
        if net not in registers or len(ends) <= 2 * ENDS:
            continue
        name = registers[net]
        ends.sort(key=lambda end: _natural(end[0]))
        for number, share in enumerate(_shares(ends)[1:], 1):
            one = copy.deepcopy(cells[name])
            one["connections"]["Q"] = [free]
            cells[f"{name}$copy{number}"] = one
            net_name = {"hide_name": 1, "bits": [free], "attributes": {}}
            module["netnames"][f"{name}$copy{number}"] = net_name
            for cell, port, bit in share:
                cells[cell]["connections"][port][bit] = free
            free += 1
            made += 1
    return made


def _addressed(cells: dict[str, Any]) -> dict[int, list[End]]:
    """For each net the bits of addresses of small memories that it drives."""
    found: dict[int, list[End]] = defaultdict(list)
    for name, cell in cells.items():
        if cell["type"] == MEMORY:
            for port in ADDRESSES:
                for bit, net in enumerate(cell["connections"].get(port, [])):
                    if isinstance(net, int):
                        found[net].append((name, port, bit))
    return found


def _shares(ends: list[End]) -> list[list[End]]:
    """The ends in as few shares as `ENDS` allows, all as long as the first but the last."""
    count = -(-len(ends) // ENDS)
    length = -(-len(ends) // count)
    return [ends[start : start + length] for start in range(0, len(ends), length)]


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """A key that sorts names by the numbers in them, so that neighbouring bits stay together."""
    parts = re.split(r"(\d+)", name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
