# SPDX-License-Identifier: Apache-2.0
"""A routed design is repaired: cells move, nextpnr routes them, and it is the same design."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths
from opentmu.errors import CheckFailed
from opentmu.synth import flow, moves, pnr, prepare, repair, spread, tools
from opentmu.synth.placed import Placed
from opentmu.synth.pnr import Settings

# A register far from both of its neighbours, which only its own place can mend; a function of six
# bits before a register; and others enough for the clock to come by its own network, without skew.
APART = """\
module Apart(input clock, input enable, input d, output reg q);
  reg near, far, wide;
  reg [29:0] more;
  always @(posedge clock) begin
    near <= more[29];
    if (enable) far <= near;
    q <= far;
    wide <= (more[0] & more[1]) ^ (more[2] | more[3]) ^ (more[4] & ~more[5] & more[0]);
    more <= {more[28:0], q ^ d ^ wide};
  end
endmodule
"""
PLACES = {"near": "X10/Y19/SLICEA.FF0", "far": "X110/Y79/SLICEA.FF0", "q": "X30/Y19/SLICEA.FF0"}
FREQ = 400.0


def bind(netlist: Path, top: str) -> None:
    """Ask nextpnr for the places of registers, by the nets that they drive."""
    content = json.loads(netlist.read_text())
    module = content["modules"][top]
    places = {module["netnames"][name]["bits"][0]: place for name, place in PLACES.items()}
    for name, cell in module["cells"].items():
        if cell["type"] == "TRELLIS_FF" and not spread.is_filler(name):
            (drives,) = cell["connections"]["Q"]
            if drives in places:
                cell["attributes"]["BEL"] = places[drives]
    netlist.write_text(json.dumps(content))


@pytest.fixture
def routed(verilog: Callable[..., Path]) -> tuple[Path, Path]:
    """The folder of a routed design, and its log."""
    folder = verilog({"Apart": APART})
    design = flow.Design.of_folder(folder, "Apart", "ecp5")
    mapped_in = flow.mapped(design, "ecp5", 3600)
    prepared = folder / "prepared.json"
    empty = prepare.prepare(mapped_in / "netlist.json", design.top, prepared, 6)
    bind(prepared, design.top)
    log = folder / "nextpnr.log"
    pnr.run(prepared, design.top, folder, Settings(FREQ, 1, 3600), log, empty)
    return folder, log


def circuit(design: Placed) -> dict[str, Any]:
    """What does not depend on places: cells by name, and the nets at their ports."""
    found = {}
    for name, cell in design.cells.items():
        if cell["type"] != "DCCA" and not spread.is_filler(name):
            ports = cell["connections"].items()
            nets = {port: design.net_of_bit.get(bits[0]) for port, bits in ports if bits}
            found[name] = (cell["type"], cell["parameters"], nets)
    return found


def test_a_late_register_is_moved(
    routed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """nextpnr itself says how quick the design is, and that all places are legal."""
    folder, log = routed
    before = circuit(Placed.read(folder / pnr.ROUTED))
    after: dict[str, Any] = {}
    check = repair.check_places

    def seen(file: Path, log: Path, seconds: float) -> None:
        after.update(circuit(Placed.read(file)))
        check(file, log, seconds)

    monkeypatch.setattr(repair, "check_places", seen)
    repair.run(folder, Settings(FREQ, 1, 3600), log)
    said = json.loads((folder / repair.ROUNDS).read_text())
    reached = pnr.fmax(json.loads((folder / pnr.REPORT).read_text()))
    assert said["before_mhz"] < 200 and reached > 1.5 * said["before_mhz"]
    assert said["kept"] >= 1 and said["rounds"][said["kept"] - 1]["fmax_mhz"] == reached
    (place,) = said["rounds"][0]["moved"].values()
    column, row = re.fullmatch(r"X(\d+)/Y(\d+)/SLICE\w\.FF0", place).groups()  # type: ignore[union-attr]
    assert 4 <= int(column) <= 36 and int(row) % 6 == 0, "between the others, in an empty row"
    assert before == after
    assert not (folder / pnr.ROUTED).exists() and not list(folder.glob("round-*"))
    assert repair.words(said).startswith("; one cell moved after routing in one round, 158")


def test_a_wide_lut_moves_as_one(routed: tuple[Path, Path]) -> None:
    """Sent to the far end of the device, the LUTs of a function of six bits come back."""
    folder, log = routed
    design = Placed.read(folder / pnr.ROUTED)
    register, _ = design.driver[design.module["netnames"]["wide"]["bits"][0]]
    wide, port = design.driver[design.cells[register]["connections"]["M"][0]]
    unit = {name: design.site(name) for name in design.unit(wide)}
    assert port == "OFX" and len(unit) == 4
    home = unit[wide]
    assert home is not None
    away = {
        name: replace(site, x=site.x - home.x + 110, y=site.y - home.y + 78)
        for name, site in unit.items()
        if site is not None
    }
    design.move(away)
    design.keep_globals()
    design.module["settings"].update(repair.ROUTER)
    design.write(folder / "away.json")
    sent = repair.Round(folder / pnr.ROUTED, folder / pnr.DELAYS, folder / pnr.REPORT)
    assert repair._route(folder / "away.json", sent, "a wide LUT away", log, 3600)
    repair.check_places(sent.routed, log, 3600)
    before = sent.fmax()
    repair.run(folder, Settings(FREQ, 1, 3600), log)
    said = json.loads((folder / repair.ROUNDS).read_text())
    moved = {cell for one in said["rounds"][: said["kept"]] for cell in one["moved"]}
    assert said["before_mhz"] == before and unit.keys() <= moved
    assert pnr.fmax(json.loads((folder / pnr.REPORT).read_text())) > 1.5 * before


def test_a_place_that_cannot_be_is_refused(routed: tuple[Path, Path]) -> None:
    """The check of places is nextpnr's: two registers of one slice have one enable."""
    folder, log = routed
    design = Placed.read(folder / pnr.ROUTED)
    repair.check_places(folder / pnr.ROUTED, log, 3600)
    (far,) = (name for name in design.cells if design.bel(name) == PLACES["far"])
    site = design.site(far)
    near = next(name for name in design.cells if design.bel(name) == PLACES["near"])
    beside = design.site(near)
    assert site is not None and beside is not None
    design.cells[far]["attributes"]["NEXTPNR_BEL"] = beside.bel().replace("FF0", "FF1")
    design.write(folder / pnr.ROUTED)
    with pytest.raises(CheckFailed, match=r"refuses places of repaired cells[^$]*is not valid"):
        repair.check_places(folder / pnr.ROUTED, log, 3600)


def written(folder: Path, fmax: float, filled: bool = False) -> None:
    """What a run leaves: one cell, which keeps its place empty or does not, and a way of 10 ns."""
    name = "full" if filled else f"{spread.PREFIX}X1/Y1/SLICEA.K0"
    cell = {
        "type": "TRELLIS_COMB",
        "attributes": {"NEXTPNR_BEL": "X1/Y1/SLICEA.K0"},
        "parameters": {},
        "port_directions": {},
        "connections": {},
    }
    top: dict[str, Any] = {"cells": {name: cell}, "netnames": {}, "settings": {}}
    (folder / pnr.ROUTED).write_text(json.dumps({"modules": {"top": top}}))
    (folder / pnr.DELAYS).write_text(
        "(INSTANCE a)\n(IOPATH CLK Q (1:1:9000) (1:1:1))\n(INSTANCE )\n"
        "(INTERCONNECT a/Q a/M (1:1:900) (1:1:1))\n(INSTANCE a)\n"
        "(SETUPHOLD (posedge M) (posedge CLK) (1:1:100) (1:1:1))\n"
    )
    (folder / pnr.REPORT).write_text(json.dumps({"fmax": {"clock": {"achieved": fmax}}}))


def test_delays_that_are_not_nextpnrs_are_not_trusted(folder: Path) -> None:
    written(folder, 101.0)
    repair.run(folder, Settings(120, 1, 60), folder / "log")
    said = json.loads((folder / repair.ROUNDS).read_text())
    assert said["kept"] == 0
    assert "not repaired further: delays make 100.00 MHz and nextpnr says 101.00" in repair.words(
        said
    )


def test_a_design_without_empty_slices_is_left_alone(folder: Path) -> None:
    written(folder, 100.0, filled=True)
    repair.run(folder, Settings(120, 1, 60), folder / "log")
    said = json.loads((folder / repair.ROUNDS).read_text())
    assert repair.words(said) == "; not repaired further: no slice was left empty"


def test_what_is_quick_enough_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, 100.0)
    monkeypatch.setattr(tools, "run", lambda *_: pytest.fail("nothing is to be run"))
    repair.run(folder, Settings(90, 1, 60), folder / "log")
    said = json.loads((folder / repair.ROUNDS).read_text())
    assert said == {"before_mhz": 100.0, "kept": 0, "rounds": [], "stopped": None}
    assert repair.words(said) == ""


def rounds_of(
    clocks: list[float | None], folder: Path, patch: pytest.MonkeyPatch
) -> tuple[dict[str, Any], float]:
    """Repair with a nextpnr that reaches these clocks, None for a net that finds no way."""
    left = iter(clocks)
    checked: list[str] = []

    def run(command: list[str], title: str, log: Path, seconds: float) -> int:
        clock = next(left)
        log.write_text("" if clock else "Warning: Failed to find a route for arc 6 of net n.")
        if clock is not None:
            report = paths.ROOT / command[command.index("--report") + 1]
            for option in ("--write", "--sdf"):
                (paths.ROOT / command[command.index(option) + 1]).write_text(f"{clock}")
            report.write_text(json.dumps({"fmax": {"clock": {"achieved": clock}}}))
        return 1 if clock is None else 0

    written(folder, 100.0)
    first = Placed.read(folder / pnr.ROUTED)
    patch.setattr(tools, "run", run)
    patch.setattr(Placed, "read", lambda _: first)
    patch.setattr(repair, "_moved", lambda *_: [moves.Move({}, 2.0, 1.0)])
    patch.setattr(repair, "check_places", lambda file, *_: checked.append(file.read_text()))
    repair.run(folder, Settings(120, 1, 60), folder / "log")
    said = json.loads((folder / repair.ROUNDS).read_text())
    reached = pnr.fmax(json.loads((folder / pnr.REPORT).read_text()))
    assert checked == ([f"{reached}"] if said["kept"] else [])
    assert not list(folder.glob("round-*"))
    return said, reached


@pytest.mark.parametrize(
    ("clocks", "kept", "reached"),
    [
        ([110.0, 121.0], 2, 121.0),
        ([110.0, 105.0, 109.0, None], 1, 110.0),
        ([99.0, None], 0, 100.0),
        ([110.0, 105.0, 115.0, *[111.0] * 5], 3, 115.0),
    ],
)
def test_the_best_round_is_kept(
    clocks: list[float | None],
    kept: int,
    reached: float,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said, mhz = rounds_of(clocks, folder, monkeypatch)
    assert [one["fmax_mhz"] for one in said["rounds"]] == clocks
    no_way = f"a net found no way in round {len(clocks)}" if None in clocks else None
    assert said["stopped"] == no_way
    assert (said["kept"], mhz) == (kept, reached)


@pytest.mark.parametrize(("rounds", "kept"), [(0, 0), (1, 1)])
def test_what_took_too_long_leaves_what_there_was(
    rounds: int, kept: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_long(*_: object) -> None:
        raise tools.OutOfTime("nextpnr on x: stopped after 60 s")

    route = repair._route

    def at_last(moved: Path, to: repair.Round, title: str, log: Path, seconds: float) -> bool:
        if title.endswith(f"repair {rounds + 1}"):
            monkeypatch.setattr(tools, "run", too_long)
        return route(moved, to, title, log, seconds)

    monkeypatch.setattr(repair, "_route", at_last)
    said, mhz = rounds_of([110.0] * 2, folder, monkeypatch)
    assert (said["kept"], mhz) == (kept, 110.0 if kept else 100.0)
    assert repair.words(said).endswith("not repaired further: nextpnr on x: stopped after 60 s")


def test_another_failure_of_nextpnr_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(command: list[str], title: str, log: Path, seconds: float) -> int:
        log.write_text("ERROR: cannot route global\n")
        return 1

    written(folder, 100.0)
    monkeypatch.setattr(repair, "_moved", lambda *_: [moves.Move({}, 2.0, 1.0)])
    monkeypatch.setattr(tools, "run", failed)
    with pytest.raises(CheckFailed, match=r"repair 1 failed \(exit code 1\)[^$]*cannot route"):
        repair.run(folder, Settings(120, 1, 60), folder / "log")
