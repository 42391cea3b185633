# SPDX-License-Identifier: Apache-2.0
"""Cells of a routed design, where they may go, and what that leaves."""

import re
from typing import Any

import pytest
from opentmu.errors import CheckFailed
from opentmu.synth import moves
from opentmu.synth.moves import Mover
from opentmu.synth.placed import Placed, Site
from opentmu.synth.timing import Arc, Timing

IN, OUT = "input", "output"
WAYS = {"Q": OUT, "F": OUT, "OFX": OUT, "FCO": OUT, "CLKO": OUT}


def cell(kind: str, bel: str, mode: str | None = None, **ports: int) -> dict[str, Any]:
    """A cell as nextpnr writes it."""
    return {
        "type": kind,
        "parameters": {"MODE": mode} if mode else {},
        "attributes": {"NEXTPNR_BEL": bel, "BEL_STRENGTH": "1"},
        "port_directions": {port: WAYS.get(port, IN) for port in ports},
        "connections": {port: [bit] for port, bit in ports.items()},
    }


def design(cells: dict[str, Any], **routing: str) -> Placed:
    bits = sorted({bit for one in cells.values() for (bit,) in one["connections"].values()})
    nets: dict[str, Any] = {f"n{bit}": {"bits": [bit], "attributes": {}} for bit in bits}
    for net, wires in routing.items():
        nets[net]["attributes"]["ROUTING"] = wires
    return Placed({"modules": {"top": {"cells": cells, "netnames": nets, "settings": {}}}})


def row_of_registers() -> Placed:
    """Three in a row, of which the second lies far off, and a tile that is kept empty."""
    cells = {
        "a": cell("TRELLIS_FF", "X10/Y10/SLICEA.FF0", CLK=9, M=1, Q=2),
        "b": cell("TRELLIS_FF", "X90/Y10/SLICEA.FF1", CLK=9, M=2, Q=3),
        "c": cell("TRELLIS_FF", "X30/Y10/SLICEA.FF0", CLK=9, M=3, Q=4),
    }
    for which in "ABCD":
        for spot in ("K0", "K1", "FF0", "FF1"):
            bel = f"X20/Y12/SLICE{which}.{spot}"
            cells[f"stays_empty${bel}"] = cell("TRELLIS_COMB", bel)
    return design(cells, n2="X1;p;1", n3="X2;;1")


def timing_of_the_row() -> Timing:
    found = Timing()
    for name in "abc":
        found.add(Arc(f"{name}/CLK", f"{name}/Q", 300, False))
        found.setup[f"{name}/M"] = 100
    found.add(Arc("a/Q", "b/M", 6000, True))
    found.add(Arc("b/Q", "c/M", 5000, True))
    found.update()
    return found


def test_a_site_is_written_as_it_was_read() -> None:
    site = Site.of("X12/Y7/SLICEC.K1")
    assert site == Site(12, 7, 2, "K1") and site.bel() == "X12/Y7/SLICEC.K1"
    assert Site.of("X4/Y22/EBR0") is None and Site.of("X12/Y7/SLICEC.RAMW") is None


def test_what_moves_together() -> None:
    """Wide LUTs with the LUTs they are of, and a register with the LUT that is wired to it."""
    both = design(
        {
            "low": cell("TRELLIS_COMB", "X1/Y1/SLICEA.K0", A=1, F=2, F1=3, M=4, OFX=5),
            "high": cell("TRELLIS_COMB", "X1/Y1/SLICEA.K1", A=1, F=3),
            "held": cell("TRELLIS_FF", "X1/Y1/SLICEA.FF0", DI=2, CLK=9, Q=6),
            "next": cell("TRELLIS_FF", "X2/Y1/SLICEA.FF0", M=6, CLK=9, Q=7),
        }
    )
    for name in ("low", "high", "held"):
        assert sorted(both.unit(name)) == ["held", "high", "low"]
    assert both.unit("next") == ["next"]


@pytest.mark.parametrize(
    ("kind", "mode", "port"),
    [
        ("TRELLIS_COMB", "CCU2", "FCO"),
        ("TRELLIS_COMB", "DPRAM", "F"),
        ("TRELLIS_COMB", None, "FCO"),
        ("DP16KD", None, "DOA0"),
    ],
)
def test_what_stays_where_it_is(kind: str, mode: str | None, port: str) -> None:
    fixed = design({"one": cell(kind, "X1/Y1/SLICEA.K0", mode, **{port: 1})})
    assert fixed.unit("one") == []


def test_a_move_leaves_no_wire_that_it_drives_and_nothing_that_kept_its_tile_empty() -> None:
    found = row_of_registers()
    found.move({"b": Site(20, 12, 1, "FF1")})
    assert found.bel("b") == "X20/Y12/SLICEB.FF1" and found.tile("b") == (20, 12)
    assert sorted(found.cells) == ["a", "b", "c"]
    nets = found.module["netnames"]
    assert nets["n2"]["attributes"] == {"ROUTING": "X1;p;1"} and nets["n3"]["attributes"] == {}
    assert not found.is_free((20, 12, 1)) and found.is_free((20, 12, 0))
    assert found.is_free((90, 10, 0)), "nothing is left where it was"


def test_places_can_be_asked_for() -> None:
    found = row_of_registers()
    found.bind_places()
    assert found.cells["a"]["attributes"] == {"BEL": "X10/Y10/SLICEA.FF0"}
    assert not any(net["attributes"] for net in found.module["netnames"].values())


def test_global_nets_keep_their_numbers() -> None:
    """nextpnr numbers the buffers from the last name to the first."""
    found = design(
        {
            "buffer": cell("DCCA", "X0/Y0/LDCC0", CLKI=1, CLKO=2),
            "$second": cell("DCCA", "X0/Y0/LDCC1", CLKI=3, CLKO=4),
        },
        n2="X9/Y9/G_HPBX0100;;5;X9/Y9/CLK0;p;5",
        n4="X9/Y9/G_HPBX0000;;5",
    )
    found.keep_globals()
    last, first = sorted(found.cells)
    assert found.cells[first]["connections"]["CLKO"] == [4]
    assert found.cells[last]["connections"]["CLKO"] == [2]


def test_a_register_goes_between_its_neighbours() -> None:
    found, delays = row_of_registers(), timing_of_the_row()
    mover = Mover(found, delays)
    move = mover.best("b")
    assert move is not None
    assert move.sites == {"b": Site(20, 12, 0, "FF1")} and move.before == 6400
    assert move.after == 400 + moves.wire_ps(12), "both wires are of twelve tiles"
    mover.apply(move)
    delays.update()
    assert delays.worst()[0] == move.after


def test_a_move_that_brings_little_is_none() -> None:
    delays = timing_of_the_row()
    shorter = moves.wire_ps(12) + moves.GAIN_PS - 1
    delays.change([(arc, shorter) for pin in ("b/M", "c/M") for arc in delays.into[pin]])
    assert Mover(row_of_registers(), delays).best("b") is None


def test_a_register_shares_its_tile_with_no_other() -> None:
    """Registers of a tile have one clock and one reset; LUTs may be where a register is."""
    found = row_of_registers()
    found.move({"a": Site(20, 12, 3, "FF0")})
    assert Mover(found, timing_of_the_row()).best("b") is None


def test_what_has_many_wires_stays() -> None:
    delays = timing_of_the_row()
    for number in range(moves.MOST_WIRES):
        delays.add(Arc("b/Q", f"c/M{number}", 10, True))
        delays.setup[f"c/M{number}"] = 1
    delays.update()
    assert Mover(row_of_registers(), delays).best("b") is None


@pytest.mark.parametrize(
    ("wires", "words"),
    [
        ("X9/Y9/CLK0;p;5", "buffer: found no wire of a global network"),
        ("X9/Y9/G_HPBX0100;;5", "found global networks {'buffer': 1}, expected 0 to 0"),
    ],
)
def test_global_nets_without_numbers_are_refused(wires: str, words: str) -> None:
    found = design({"buffer": cell("DCCA", "X0/Y0/LDCC0", CLKI=1, CLKO=2)}, n2=wires)
    with pytest.raises(CheckFailed, match=re.escape(words)):
        found.keep_globals()
