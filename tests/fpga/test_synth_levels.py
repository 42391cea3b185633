# SPDX-License-Identifier: Apache-2.0
"""Counting LUTs in a row on small netlists whose longest chain is known."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from opentmu.errors import CheckFailed
from opentmu.synth import cells, chain, hierarchy, levels, netlist

Content = dict[str, Any]
OUTPUTS = {"O", "Q", "CO", "DOA", "DOB", "DOUT"}


def cell(kind: str, **pins: Sequence[int | str]) -> Content:
    """A cell with its pins; which are outputs follows from their names."""
    directions = {pin: "output" if pin in OUTPUTS else "input" for pin in pins}
    return {"type": kind, "port_directions": directions, "connections": pins}


def module(ports: dict[str, tuple[str, list[int]]], **parts: Content) -> Content:
    """A module whose nets are named after the cell that drives them."""
    names = {}
    for name, part in parts.items():
        for pin, bits in part["connections"].items():
            if part["port_directions"][pin] == "output":
                names[f"{name}_q" if pin == "Q" else f"{name}_{pin}"] = {
                    "bits": bits,
                    "hide_name": 0,
                }
    shown = {
        name: {"direction": direction, "bits": bits} for name, (direction, bits) in ports.items()
    }
    return {"attributes": {}, "ports": shown, "cells": parts, "netnames": names}


def written(tmp_path: Path, **modules: Content) -> Path:
    file = tmp_path / "netlist.json"
    file.write_text(json.dumps({"modules": modules}))
    return file


def slowest(tmp_path: Path, **modules: Content) -> chain.Chain:
    return levels.slowest(netlist.load(written(tmp_path, **modules), "top"), "top")[0]


def test_a_chain_is_counted_and_named(tmp_path: Path) -> None:
    top = module(
        {"d": ("input", [2])},
        a=cell("FDRE", D=[2], Q=[3]),
        x=cell("LUT2", I0=[3], I1=[2], O=[4]),
        m=cell("MUXF7", I0=[4], I1=["0"], S=[3], O=[5]),
        y=cell("LUT6", I0=[5], O=[6]),
        b=cell("FDRE", D=[3], CE=[6], Q=[7]),
    )
    found = slowest(tmp_path, top=top)
    assert (found.start, found.end, found.levels) == ("a_q", "b_q (CE)", 2)
    assert [step.kind for step in found.steps] == ["LUT2", "MUXF7", "LUT6"]
    assert [step.net for step in found.steps] == ["x_O", "m_O", "y_O"]


def row() -> Content:
    """A register of its own, and a path from `i` through two LUTs to `o`."""
    return module(
        {"i": ("input", [2]), "o": ("output", [5])},
        x=cell("LUT1", I0=[2], O=[3]),
        y=cell("LUT2", I0=[3], I1=[4], O=[5]),
        own=cell("FDRE", D=[3], Q=[4]),
    )


def test_a_chain_crosses_borders_as_often_as_it_must(tmp_path: Path) -> None:
    top = module(
        {},
        a=cell("FDRE", D=["0"], Q=[2]),
        first={**cell("Row", i=[2], o=[3]), "port_directions": {"i": "input", "o": "output"}},
        second={**cell("Row", i=[3], o=[4]), "port_directions": {"i": "input", "o": "output"}},
        b=cell("FDRE", D=[4], Q=[5]),
    )
    found = slowest(tmp_path, top=top, Row=row())
    assert (found.start, found.end, found.levels) == ("a_q", "b_q (D)", 4)
    assert [step.net for step in found.steps] == [
        "first.x_O",
        "first.y_O",
        "second.x_O",
        "second.y_O",
    ]


def test_a_chain_may_lie_inside_one_module_or_end_in_it(tmp_path: Path) -> None:
    ports = {"i": "input", "o": "output"}
    back = {**cell("Row", i=[2], o=[2]), "port_directions": ports}
    with pytest.raises(CheckFailed, match="combinational loop"):
        slowest(tmp_path, top=module({}, only=back), Row=row())
    two = module(
        {},
        first={**cell("Row", i=["0"], o=[2]), "port_directions": ports},
        last={**cell("Row", i=[2], o=[3]), "port_directions": ports},
    )
    found = slowest(tmp_path, top=two, Row=row())
    assert (found.start, found.end, found.levels) == ("first.own_q", "last.own_q (D)", 2)


def test_a_block_memory_counts_before_its_first_lut(tmp_path: Path) -> None:
    top = module(
        {},
        rows=cell("RAMB36E2", DIN=[4], DOUT=[2]),
        x=cell("LUT2", I0=[2], O=[3]),
        a=cell("FDRE", D=[3], Q=[4]),
    )
    found = slowest(tmp_path, top=top)
    assert (found.start, found.levels) == ("rows", 1 + cells.BLOCK_MEMORY_LEVELS)


def test_a_distributed_memory_is_read_like_a_lut_and_written_like_a_register(
    tmp_path: Path,
) -> None:
    # The data of port B comes from what port A read: no loop, for data waits for the clock.
    top = module(
        {},
        at=cell("FDRE", D=[4], Q=[2]),
        x=cell("LUT1", I0=[2], O=[5]),
        ram=cell("RAM32M", ADDRA=[5], ADDRB=[3], DIB=[3], DOA=[3], DOB=[4]),
    )
    found = slowest(tmp_path, top=top)
    assert (found.start, found.end, found.levels) == ("at_q", "at_q (D)", 3)


def test_a_loop_is_refused_and_named(tmp_path: Path) -> None:
    top = module({}, x=cell("LUT1", I0=[3], O=[2]), y=cell("LUT1", I0=[2], O=[3]))
    with pytest.raises(CheckFailed, match=r"top: found a combinational loop through [xy]_O"):
        slowest(tmp_path, top=top)


def test_a_cell_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    top = module({}, x=cell("LUT9", I0=[3], O=[2]))
    with pytest.raises(CheckFailed, match=r"top\.x: found a cell LUT9, whose delay"):
        slowest(tmp_path, top=top)


def test_a_design_without_registers_is_refused(tmp_path: Path) -> None:
    top = module({"i": ("input", [2])}, x=cell("LUT1", I0=[2], O=[3]))
    with pytest.raises(CheckFailed, match="no path from one register to another"):
        slowest(tmp_path, top=top)


def test_cells_are_counted_for_every_instance(tmp_path: Path) -> None:
    ports = {"i": "input", "o": "output"}
    parts = {f"row{n}": {**cell("Row", i=[n], o=[n + 1]), "port_directions": ports} for n in (2, 3)}
    modules = netlist.load(written(tmp_path, top=module({}, **parts), Row=row()), "top")
    assert netlist.instances(modules, "top") == {"top": 1, "Row": 2}
    taken = cells.resources(netlist.cell_counts(modules, "top"))
    assert (taken.lut, taken.ff, taken.bram) == (4, 2, 0)


def test_what_cells_take() -> None:
    taken = cells.resources({"LUT6": 3, "INV": 1, "RAM64M8": 2, "RAMB18E2": 3, "FDSE": 4})
    assert (taken.lut, taken.lut_logic, taken.lut_memory, taken.ff) == (20, 4, 16, 4)
    assert (taken.bram, taken.uram) == (1.5, 0)
    lattice = cells.resources({"LUT4": 5, "CCU2C": 2, "DP16KD": 7, "TRELLIS_FF": 9, "PFUMX": 1})
    assert (lattice.lut, lattice.lut_carry, lattice.ff, lattice.bram) == (9, 4, 9, 7)


def test_names_are_those_of_the_design(tmp_path: Path) -> None:
    top = module({}, a=cell("FDRE", D=[3], Q=[2]))
    top["netnames"] = {
        name: {"bits": [2], "hide_name": 0}
        for name in ("u.w.io_page", "u.w_io_page", "u.w.held_page", "u.x_LUT4_I0_O")
    }
    found = netlist.load(written(tmp_path, top=top), "top")["top"]
    assert found.names[2] == "u.w.held_page"
    assert netlist.plain("u.w.held_LUT4_I0_1_O_LUT2_O") == "u.w.held"
    assert netlist.plain("u.pages.consumers_ext.Memory.0.4$DPRAM_COMB2") == (
        "u.pages.consumers_ext.Memory"
    )
    assert netlist.instance("u.w.held_TRELLIS_FF_Q_DI") == "u.w"


def test_the_estimate_is_one_and_says_its_rule() -> None:
    guess = chain.clock_estimate(7)
    assert (guess["mhz_low"], guess["mhz_high"]) == (294, 333)
    assert guess["estimate"] is True
    assert guess["rule"].startswith("estimate, not timed")


def tree(children: Sequence[tuple[str, int]], bits: int) -> Content:
    """A module of so many bits of logic, with instances of others."""
    parts = {
        f"{kind}{n}": {"type": kind, "port_directions": {}, "connections": {}}
        for kind, count in children
        for n in range(count)
    }
    return {"cells": {"own": cell("$add", O=list(range(bits))), **parts}}


def test_large_designs_keep_the_border_of_large_repeated_modules() -> None:
    modules = {
        "top": tree([("array", 2), ("small", 9)], 5_000),
        "array": tree([("row", 16)], hierarchy.LARGEST_BITS),
        "row": tree([("lane", 64)], 1_000),
        "lane": tree([], 500),
        "small": tree([], 50),
    }
    assert hierarchy.kept(modules, "top") == ["row"]
    assert hierarchy.sizes(modules, "top")["row"] == 1_000 + 64 * 500


def test_large_designs_keep_memories_that_are_there_many_times() -> None:
    memory = {**tree([], 40), "memories": {"Memory": {}}}
    modules = {
        "top": tree([("bank", 1), ("few", 3)], hierarchy.FLAT_BITS),
        "bank": tree([("lane", hierarchy.MEMORIES)], 100),
        "lane": memory,
        "few": memory,
    }
    assert hierarchy.kept(modules, "top") == ["lane"]


def test_a_small_design_is_flattened() -> None:
    modules = {"top": tree([("row", 4)], 100), "row": tree([], 5_000)}
    assert hierarchy.kept(modules, "top") == []


def test_large_modules_of_which_there_are_several_are_mapped_by_themselves() -> None:
    modules = {
        "top": tree([("array", 2), ("small", 9), ("bank", 3)], 5_000),
        "array": tree([("row", 2)], 100),
        "row": tree([], hierarchy.REPEATED_BITS),
        "small": tree([], 50),
        "bank": {**tree([], hierarchy.REPEATED_BITS), "memories": {"Memory": {}}},
    }
    assert hierarchy.repeated(modules, "top") == ["array", "row"]
    assert hierarchy.repeated({"top": tree([], 50_000)}, "top") == []
