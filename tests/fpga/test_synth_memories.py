# SPDX-License-Identifier: Apache-2.0
"""Block memories of an ECP5 keep the places of a floorplan or of a first placement, all alone."""

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths
from opentmu.errors import BadInput, CheckFailed
from opentmu.synth import flow, memories, pnr, prepare, tools
from opentmu.synth.pnr import Settings

STORE = """\
module Store(input clock, input write, input [11:0] address, input [17:0] data,
             output reg [17:0] word);
  (* ram_style = "block" *) reg [17:0] memory [0:4095];
  always @(posedge clock) begin
    if (write) memory[address] <= data;
    word <= memory[address];
  end
endmodule
"""


def written(path: Path, cells: dict[str, Any], top: str = "Store") -> Path:
    path.write_text(json.dumps({"modules": {top: {"cells": cells}}}))
    return path


def test_memories_are_bound_to_where_they_were_placed(tmp_path: Path) -> None:
    before: dict[str, Any] = {
        "wide": {"type": "DP16KD", "attributes": {"src": "a.sv:1"}},
        "bare": {"type": "DP16KD"},
        "lut": {"type": "LUT4", "attributes": {}},
    }
    netlist = written(tmp_path / "netlist.json", before)
    at = {"wide": "X4/Y22/EBR0", "bare": "X9/Y22/EBR0", "lut": "X5/Y5/SLICEA.K0"}
    placed = {
        name: {"type": before[name]["type"], "attributes": {"NEXTPNR_BEL": place}}
        for name, place in at.items()
    }
    places = memories.found(written(tmp_path / "placed.json", placed, "top"))
    assert places == {"wide": "X4/Y22/EBR0", "bare": "X9/Y22/EBR0"}
    assert set(memories.names(netlist, "Store")) == set(places)
    assert memories.keep(netlist, "Store", places) == 2
    after = json.loads(netlist.read_text())["modules"]["Store"]["cells"]
    assert after["wide"]["attributes"] == {"src": "a.sv:1", "BEL": "X4/Y22/EBR0"}
    assert after["bare"]["attributes"] == {"BEL": "X9/Y22/EBR0"}
    assert after["lut"] == before["lut"], "logic is placed anew"


def test_a_memory_that_was_not_placed_is_an_error(tmp_path: Path) -> None:
    netlist = written(tmp_path / "netlist.json", {"one": {"type": "DP16KD"}})
    with pytest.raises(KeyError, match="one"):
        memories.keep(netlist, "Store", {"other": "X4/Y22/EBR0"})


@pytest.mark.parametrize(
    ("text", "found"), [("{", "no JSON"), ("[]", "other JSON"), ('{"one": 1}', "other JSON")]
)
def test_a_wrong_floorplan_is_named(tmp_path: Path, text: str, found: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=rf"plan.json: found {found}, expected"):
        memories.floorplan(file)


def test_the_floorplans_name_places_of_block_memories_once() -> None:
    """An ECP5-85 has them in four rows, 52 in each."""
    for file in flow.FLOORPLANS.iterdir():
        places = list(memories.floorplan(file).values())
        assert len(places) == len(set(places)), file
        wrong = [at for at in places if not re.fullmatch(r"X\d+/Y(22|46|70|82)/EBR[0-3]", at)]
        assert places and not wrong, file


@pytest.mark.parametrize(
    ("planned", "taken"), [(("one", "two"), True), (("one",), False), (("one", "two", "x"), False)]
)
def test_a_floorplan_of_other_memories_is_not_taken(
    tmp_path: Path, planned: tuple[str, ...], taken: bool
) -> None:
    """It is of the design or it is not: nothing of it is used for one that has changed."""
    cells = {name: {"type": "DP16KD"} for name in ("one", "two")} | {"lut": {"type": "LUT4"}}
    written(tmp_path / "netlist.json", cells)
    plan = tmp_path / "plan.json"
    places = {name: f"X{at}/Y22/EBR0" for at, name in enumerate(planned)}
    plan.write_text(json.dumps(places))
    design = flow.Design("store", (), "Store", (), "")
    assert flow.planned(design, tmp_path) is None
    expected = places if taken else None
    assert flow.planned(dataclasses.replace(design, floorplan=plan), tmp_path) == expected


class Nextpnr:
    """Stands for nextpnr: keeps what it was asked, says what the log shall say, places memories."""

    def __init__(self, code: int, says: str) -> None:
        self.code, self.says = code, says
        self.asked: list[list[str]] = []

    def run(self, command: list[str], title: str, log: Path, seconds: float) -> int:
        self.asked.append([str(word) for word in command])
        log.write_text(self.says)
        if "--write" in command:
            cells = {"one": {"type": "DP16KD", "attributes": {"NEXTPNR_BEL": "X4/Y22/EBR0"}}}
            written(paths.ROOT / command[command.index("--write") + 1], cells, "top")
        return self.code


def run_with(fake: Nextpnr, folder: Path, kind: str, patch: pytest.MonkeyPatch) -> Path:
    netlist = written(folder / "netlist.json", {"one": {"type": kind}})
    patch.setattr(tools, "run", fake.run)
    pnr.run(netlist, "Store", folder, Settings(100, 1, 3600), folder / "log")
    return netlist


def test_a_design_with_memories_is_placed_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Nextpnr(0, "")
    netlist = run_with(fake, folder, "DP16KD", monkeypatch)
    first, second = fake.asked
    assert "--no-route" in first and "--report" not in first
    assert "--no-route" not in second and "--report" in second
    assert not set(pnr.SECOND) <= set(first), "time would be noise in the first placement"
    at = second.index(pnr.SECOND[0])
    assert second[at : at + len(pnr.SECOND)] == list(pnr.SECOND)
    cells = json.loads(netlist.read_text())["modules"]["Store"]["cells"]
    assert cells["one"]["attributes"] == {"BEL": "X4/Y22/EBR0"}
    assert memories.floorplan(folder / "memories.json") == {"one": "X4/Y22/EBR0"}


def test_a_design_with_a_floorplan_is_placed_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Nextpnr(0, "")
    netlist = written(folder / "netlist.json", {"one": {"type": "DP16KD"}})
    monkeypatch.setattr(tools, "run", fake.run)
    settings = Settings(100, 1, 3600)
    pnr.run(netlist, "Store", folder, settings, folder / "log", 0, {"one": "X9/Y46/EBR1"})
    (only,) = fake.asked
    assert "--no-route" not in only and set(pnr.SECOND) <= set(only)
    cells = json.loads(netlist.read_text())["modules"]["Store"]["cells"]
    assert cells["one"]["attributes"] == {"BEL": "X9/Y46/EBR1"}


def test_a_design_without_memories_is_placed_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Nextpnr(0, "")
    run_with(fake, folder, "LUT4", monkeypatch)
    (only,) = fake.asked
    assert "--no-route" not in only and "--report" in only


def test_what_is_too_large_is_not_placed_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Nextpnr(1, "Info: \t              DP16KD:     222/    208   106%\n")
    run_with(fake, folder, "DP16KD", monkeypatch)
    assert len(fake.asked) == 1
    used = json.loads((folder / "utilisation.json").read_text())
    assert used == {"DP16KD": {"used": 222, "available": 208}}


def test_a_first_placement_that_fails_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Nextpnr(1, "ERROR: no such device\n")
    with pytest.raises(CheckFailed, match=r"failed \(exit code 1\)[^$]*no such device"):
        run_with(fake, folder, "DP16KD", monkeypatch)
    assert len(fake.asked) == 1


def test_nextpnr_leaves_them_there(verilog: Callable[..., Path]) -> None:
    """The second placement takes the places of the first, by the names that nextpnr gave them."""
    folder = verilog({"Store": STORE})
    design = flow.Design.of_folder(folder, "Store", "ecp5")
    mapped_in = flow.mapped(design, "ecp5", 3600)
    prepared = folder / "prepared.json"
    prepare.prepare(mapped_in / "netlist.json", design.top, prepared)
    found = len(memories.names(prepared, design.top))
    assert found == 4, "4,096 places of 18 bits, and 18 Kbit in each"
    log = folder / "nextpnr.log"
    pnr.run(prepared, design.top, folder, Settings(100, 1, 3600), log)
    assert f"Placed {found} cells based on constraints." in log.read_text()
    used = json.loads((folder / "utilisation.json").read_text())
    assert used["DP16KD"]["used"] == found
    assert (folder / "report.json").is_file()
    assert not (folder / "placed.json").exists()
