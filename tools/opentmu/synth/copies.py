# SPDX-License-Identifier: Apache-2.0
"""Copies of what drives many others.

A word of 500 bits lies in 140 small memories of an ECP5 or behind 500 multiplexers, and one
register or LUT addresses or selects them all: its wire goes across the device and decides the
clock. Yosys makes one of equal ones, so the copies are made behind it, each for ends whose bits are
neighbours in the design; the placer puts a copy near them
(docs/decisions/0049-timing.md).
"""

import copy
import re
from typing import Any

from opentmu.synth import nets
from opentmu.synth.nets import End

# Most ends of a copy. What has twice as many at most gets none.
ENDS = 64
# An end at the address of a small memory counts as two: it leads to the LUTs of four bits.
ADDRESSES = ("RAD", "WAD")
# Ends at which a bit is an argument. Elsewhere it enables, addresses or is kept, a word of it at a
# time, and a copy for both would lie at the word.
LOGIC = ("LUT4", "PFUMX", "L6MUX21", "CCU2C")
# What can be copied, and the port that it drives.
DRIVERS = {"TRELLIS_FF": "Q", "LUT4": "Z"}


def make(module: dict[str, Any]) -> int:
    """Share the ends of a mapped module among copies of their drivers; how many were made."""
    cells = module["cells"]
    drivers = {
        cell["connections"][port][0]: name
        for name, cell in cells.items()
        if (port := DRIVERS.get(cell["type"])) and cell["connections"].get(port)
    }
    free = nets.free(module)
    ends_of = nets.ends(module)
    where = _Places(module, ends_of)
    made = 0
    for net, ends in ends_of.items():
        if net not in drivers or sum(map(_weight, ends)) <= 2 * ENDS:
            continue
        name = drivers[net]
        ends.sort(key=lambda end: where.of(end[0]))
        logic = [end for end in ends if cells[end[0]]["type"] in LOGIC]
        words = [end for end in ends if cells[end[0]]["type"] not in LOGIC]
        for number, share in enumerate([*_shares(words), *_shares(logic)][1:], 1):
            one = copy.deepcopy(cells[name])
            one["connections"][DRIVERS[one["type"]]] = [free]
            cells[f"{name}$copy{number}"] = one
            net_name = {"hide_name": 1, "bits": [free], "attributes": {}}
            module["netnames"][f"{name}$copy{number}"] = net_name
            for cell, port, bit in share:
                cells[cell]["connections"][port][bit] = free
            free += 1
            made += 1
    return made


def original(cell: str) -> str:
    """The name of what a cell is a copy of; its own when it is none."""
    return re.sub(r"\$copy\d+$", "", cell)


def _weight(end: End) -> int:
    return 2 if end[1] in ADDRESSES else 1


def _shares(ends: list[End]) -> list[list[End]]:
    """The ends in as few shares as `ENDS` allows, in their order and of about the same weight."""
    total = sum(map(_weight, ends))
    count = -(-total // ENDS)
    shares: list[list[End]] = [[] for _ in range(count)]
    passed = 0
    for end in ends:
        shares[passed * count // total].append(end)
        passed += _weight(end)
    return shares


class _Places:
    """Names that sort cells by the bits of the design that they are for."""

    def __init__(self, module: dict[str, Any], ends: dict[int, list[End]]) -> None:
        self.cells = module["cells"]
        self.ends = ends
        # The first name of each net; which one it is decides the order, and with that the clock.
        self.names: dict[int, str] = {}
        for name, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                if not net.get("hide_name") and isinstance(bit, int):
                    self.names.setdefault(bit, f"{name}[{index}]")

    def of(self, cell: str) -> list[tuple[bool, int, str]]:
        """By the name of what the cell drives, or of what is behind that; else by its own."""
        for net in self._driven(cell):
            if net in self.names:
                return _natural(self.names[net])
            for reader, _, _ in self.ends.get(net, [])[:1]:
                for behind in self._driven(reader):
                    if behind in self.names:
                        return _natural(self.names[behind])
        return _natural(cell)

    def _driven(self, cell: str) -> list[int]:
        ways = self.cells[cell]["port_directions"]
        ports = self.cells[cell]["connections"].items()
        return [
            bit
            for port, bits in ports
            if ways.get(port) == "output"
            for bit in bits
            if isinstance(bit, int)
        ]


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """A key that sorts names by the numbers in them, so that neighbouring bits stay together."""
    parts = re.split(r"(\d+)", name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
