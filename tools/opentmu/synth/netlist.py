# SPDX-License-Identifier: Apache-2.0
"""A netlist that Yosys wrote as JSON: modules, cells, ports, and names for nets."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from opentmu.errors import CheckFailed

# Yosys names what has no name after its neighbours: register_LUT6_I0_O and the like.
_MADE_UP = re.compile(
    r"_(?:LUT\d|INV|MUXF\d|CARRY4|FD[A-Z]E|RAM\w*|SRL\w*|TRELLIS_\w+|CCU2C|PFUMX|L6MUX21|DP16KD)_"
    r".*|_(?:LUT\d|INV|MUXF\d|CARRY4|FD[A-Z]E|TRELLIS_FF|CCU2C|PFUMX|L6MUX21)$"
)
# Ports of Chisel modules, and the wires that the module around them has for them.
_PORT = re.compile(r"(?:^|[._])io_[^.]*$")
# Parts of one memory, and what nextpnr adds to a cell when it packs it.
_PART = re.compile(r"(?:\.\d+\.\d+(?:_.*)?)?(?:\$.*)?$")


@dataclass(frozen=True)
class Cell:
    """One cell; nets are numbers within its module, constants are left out."""

    name: str
    kind: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


@dataclass
class Module:
    """One module: direction and nets of each port, cells, and the nets that have names."""

    name: str
    ports: dict[str, tuple[str, list[int | str]]]
    cells: list[Cell]
    nets: Mapping[str, Any] = field(repr=False)

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(cell.kind for cell in self.cells)

    @cached_property
    def names(self) -> dict[int, str]:
        """The best name of each net: the design's own, no port's, and the shortest of those.

        What only tools have named has no name here.
        """
        best: dict[int, tuple[tuple[bool, bool, int, str], str]] = {}
        for name, net in self.nets.items():
            bits = net["bits"]
            if net["hide_name"]:
                continue
            rank = (bool(_MADE_UP.search(name)), bool(_PORT.search(name)), len(name), name)
            first = net.get("offset", 0)
            for index, bit in enumerate(bits):
                if isinstance(bit, int) and (bit not in best or rank < best[bit][0]):
                    shown = f"{name}[{first + index}]" if len(bits) > 1 else name
                    best[bit] = (rank, shown)
        return {bit: name for bit, (_, name) in best.items()}

    def port_bits(self, direction: str) -> dict[str, int]:
        """The nets of its ports of one direction, by the name of the pin as in `Cell`."""
        return {
            pin: bit
            for port, (found, bits) in self.ports.items()
            if found == direction
            for pin, bit in _pins(port, bits)
        }


def plain(name: str) -> str:
    """A cell's or net's name without what tools put behind the design's own."""
    return _PART.sub("", _MADE_UP.sub("", name))


def instance(name: str) -> str:
    """The instance that a hierarchical name lies in; empty for the top."""
    return plain(name).rpartition(".")[0]


def load(file: Path, top: str) -> dict[str, Module]:
    """The modules below `top` that have cells, each once; raises CheckFailed without the top."""
    with file.open() as text:
        modules = json.load(text)["modules"]
    if top not in modules:
        raise CheckFailed(f"{file}: found no module {top} in the netlist")
    found: dict[str, Module] = {}
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name in found or name not in modules or _is_cell(modules[name]):
            continue
        found[name] = _module(name, modules[name])
        waiting += found[name].counts
    return found


def _is_cell(content: Mapping[str, Any]) -> bool:
    marks = content.get("attributes", {})
    return "blackbox" in marks or "whitebox" in marks


def _module(name: str, content: Mapping[str, Any]) -> Module:
    ports = {key: (port["direction"], port["bits"]) for key, port in content["ports"].items()}
    cells = [
        _cell(key, cell) for key, cell in content["cells"].items() if cell["type"] != "$scopeinfo"
    ]
    return Module(name, ports, cells, content["netnames"])


def _cell(name: str, content: Mapping[str, Any]) -> Cell:
    pins: dict[str, list[tuple[str, int]]] = {"input": [], "output": []}
    directions = content["port_directions"]
    for port, bits in content["connections"].items():
        if directions[port] in pins:
            pins[directions[port]] += _pins(port, bits)
    return Cell(name, content["type"], tuple(pins["input"]), tuple(pins["output"]))


def _pins(port: str, bits: list[int | str]) -> list[tuple[str, int]]:
    """The bits of a port that are nets, each with the name of its pin."""
    wide = len(bits) > 1
    return [
        (f"{port}[{index}]" if wide else port, bit)
        for index, bit in enumerate(bits)
        if isinstance(bit, int)
    ]


def instances(modules: Mapping[str, Module], top: str) -> Counter[str]:
    """Instances of each module in the design, counted."""
    total: Counter[str] = Counter()

    def walk(name: str, times: int) -> None:
        total[name] += times
        for kind, count in modules[name].counts.items():
            if kind in modules:
                walk(kind, times * count)

    walk(top, 1)
    return total


def cell_counts(modules: Mapping[str, Module], top: str) -> Counter[str]:
    """Cells of each type in the whole design."""
    total: Counter[str] = Counter()
    for name, times in instances(modules, top).items():
        for kind, count in modules[name].counts.items():
            if kind not in modules:
                total[kind] += times * count
    return total
