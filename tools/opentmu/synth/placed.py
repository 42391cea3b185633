# SPDX-License-Identifier: Apache-2.0
"""A placed and routed ECP5 design as nextpnr wrote it: where cells are, and what may move where."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentmu.errors import CheckFailed
from opentmu.synth import spread
from opentmu.synth.memories import PLACED, WANTED

ROUTING = "ROUTING"
COMB, FLIP_FLOP, GLOBAL = "TRELLIS_COMB", "TRELLIS_FF", "DCCA"

# Fixed wires between neighbours: their ends keep their places beside each other.
BOUND = frozenset((("F", "F1"), ("OFX", "FXA"), ("OFX", "FXB"), ("F", "DI")))
# The ports of a LUT that may move, wide ones included: neither a carry nor a memory.
LUT_PORTS = frozenset(("A", "B", "C", "D", "F", "F1", "M", "OFX", "FXA", "FXB"))

_SITE = re.compile(r"X(\d+)/Y(\d+)/SLICE([A-D])\.(K0|K1|FF0|FF1)")
_GLOBAL = re.compile(r"G_HPBX(\d\d)00")


@dataclass(frozen=True)
class Site:
    """A place for a LUT or a flip-flop: column, row, slice 0 to 3, and which of its four."""

    x: int
    y: int
    slice: int
    spot: str

    @classmethod
    def of(cls, bel: str) -> "Site | None":
        match = _SITE.fullmatch(bel)
        if match is None:
            return None
        return cls(int(match[1]), int(match[2]), spread.SLICES.index(match[3]), match[4])

    def bel(self) -> str:
        return f"X{self.x}/Y{self.y}/SLICE{spread.SLICES[self.slice]}.{self.spot}"

    def home(self) -> tuple[int, int, int]:
        """The slice that it is in."""
        return self.x, self.y, self.slice


class Placed:
    """The one module of a design that nextpnr wrote."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        (self.module,) = content["modules"].values()
        self.cells: dict[str, Any] = self.module["cells"]
        self.net_of_bit: dict[int, str] = {}
        for name, net in self.module["netnames"].items():
            for bit in net["bits"]:
                self.net_of_bit[bit] = name
        self.driver: dict[int, tuple[str, str]] = {}
        self.users: dict[int, list[tuple[str, str]]] = {}
        for name, port, bit, direction in self._ports():
            if direction == "output":
                self.driver[bit] = (name, port)
            else:
                self.users.setdefault(bit, []).append((name, port))
        self.taken: dict[tuple[int, int, int], list[str]] = {}
        for name in self.cells:
            if site := self.site(name):
                self.taken.setdefault(site.home(), []).append(name)

    @classmethod
    def read(cls, file: Path) -> "Placed":
        return cls(json.loads(file.read_text()))

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(self.content))

    def bel(self, cell: str) -> str:
        return str(self.cells[cell]["attributes"].get(PLACED, ""))

    def site(self, cell: str) -> Site | None:
        return Site.of(self.bel(cell))

    def tile(self, cell: str) -> tuple[int, int]:
        """Column and row of any cell."""
        column, row = self.bel(cell).split("/")[:2]
        return int(column[1:]), int(row[1:])

    def unit(self, cell: str) -> list[str]:
        """The cells that move together with a LUT or flip-flop; none if one may not move."""
        found = [cell]
        for one in found:
            if not self._movable(one):
                return []
            for port, bits in self.cells[one]["connections"].items():
                for other in self._bound(one, port, bits):
                    if other not in found:
                        found.append(other)
        return found

    def is_free(self, home: tuple[int, int, int]) -> bool:
        """Whether nothing is in a slice but what keeps it empty."""
        return all(spread.is_filler(name) for name in self.taken.get(home, ()))

    def move(self, cells: Mapping[str, Site]) -> None:
        """Put cells into free slices; what they drive loses its wires.

        What leads to them keeps its wires: the router forgets those that end nowhere. What keeps
        their tiles empty leaves it: a flip-flop without a clock goes with no other.
        """
        for x, y in {(site.x, site.y) for site in cells.values()}:
            for which in range(len(spread.SLICES)):
                for filler in filter(spread.is_filler, self.taken.get((x, y, which), ())):
                    del self.cells[filler]
                self.taken[x, y, which] = [
                    name for name in self.taken.get((x, y, which), ()) if name in self.cells
                ]
        for name, site in cells.items():
            old = self.site(name)
            assert old is not None
            self.taken[old.home()].remove(name)
            self.taken[site.home()].append(name)
            self.cells[name]["attributes"][PLACED] = site.bel()
            for port, bits in self.cells[name]["connections"].items():
                if bits and self.cells[name]["port_directions"][port] == "output":
                    self.unroute(self.net_of_bit[bits[0]])

    def unroute(self, net: str) -> None:
        """Forget the wires of a net."""
        self.module["netnames"][net]["attributes"].pop(ROUTING, None)

    def bind_places(self) -> None:
        """Ask for every place that there is, as a placer is asked; wires are forgotten."""
        for cell in self.cells.values():
            if PLACED in cell["attributes"]:
                cell["attributes"][WANTED] = cell["attributes"].pop(PLACED)
                del cell["attributes"]["BEL_STRENGTH"]
        for net in self.module["netnames"]:
            self.unroute(net)

    def keep_globals(self) -> None:
        """Name the buffers of global nets such that nextpnr gives them the numbers they have.

        It numbers them backwards by name, and does not look at the wires that they have. Raises
        CheckFailed for one whose wires have no number, or for a number that is left out.
        """
        numbers: dict[str, int] = {}
        for name in [name for name, cell in self.cells.items() if cell["type"] == GLOBAL]:
            (bit,) = self.cells[name]["connections"]["CLKO"]
            wires = self.module["netnames"][self.net_of_bit[bit]]["attributes"].get(ROUTING, "")
            number = _GLOBAL.search(wires)
            if number is None:
                raise CheckFailed(f"{name}: found no wire of a global network behind this buffer")
            numbers[name] = int(number[1])
        if sorted(numbers.values()) != list(range(len(numbers))):
            raise CheckFailed(f"found global networks {numbers}, expected 0 to {len(numbers) - 1}")
        for name, rank in numbers.items():
            self.cells[f"~global_{chr(ord('z') - rank)}"] = self.cells.pop(name)

    def _movable(self, cell: str) -> bool:
        kind = self.cells[cell]["type"]
        if kind == FLIP_FLOP:
            return True
        parameters, connections = self.cells[cell]["parameters"], self.cells[cell]["connections"]
        used = {port for port, bits in connections.items() if bits}
        return kind == COMB and parameters.get("MODE", "LOGIC") == "LOGIC" and used <= LUT_PORTS

    def _bound(self, cell: str, port: str, bits: list[int]) -> Iterator[str]:
        """The cells whose places hang on this one's, by a wire at one of its ports."""
        if not bits:
            return
        if self.cells[cell]["port_directions"][port] == "output":
            for other, end in self.users.get(bits[0], ()):
                if (port, end) in BOUND:
                    yield other
        elif bits[0] in self.driver:
            other, start = self.driver[bits[0]]
            if (start, port) in BOUND:
                yield other

    def _ports(self) -> Iterator[tuple[str, str, int, str]]:
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                if bits and isinstance(bits[0], int):
                    yield name, port, bits[0], cell["port_directions"][port]
