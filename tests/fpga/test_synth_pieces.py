# SPDX-License-Identifier: Apache-2.0
"""A large design mapped in pieces: every module is there once, and paths go through the borders."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu.synth import flow, hierarchy, levels, netlist

# Two of `Row`, each with a `Cell` inside, which keeps its border too; `Glue` does not.
SOURCES = {
    "Cell": """\
module Cell(input [11:0] a, output hit);
  assign hit = &a;
endmodule
""",
    "Row": """\
module Row(input clock, input [11:0] a, output both);
  reg held;
  wire hit;
  Cell cell_0(.a(a), .hit(hit));
  always @(posedge clock) held <= hit;
  assign both = held & hit;
endmodule
""",
    "Glue": """\
module Glue(input x, input y, output z);
  assign z = x ^ y;
endmodule
""",
    "Whole": """\
module Whole(input clock, input [11:0] a, output reg found);
  reg [11:0] first, second;
  wire one, two, differ;
  always @(posedge clock) begin
    first <= a;
    second <= ~first;
    found <= differ;
  end
  Row row_0(.clock(clock), .a(first), .both(one));
  Row row_1(.clock(clock), .a(second), .both(two));
  Glue glue(.x(one), .y(two), .z(differ));
endmodule
""",
}


@pytest.fixture(scope="module")
def joined(verilog_in: Callable[..., Path]) -> Path:
    design = flow.Design.of_folder(verilog_in("synth-pieces", SOURCES), "Whole", "xcup")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hierarchy, "kept", lambda modules, top: ["Cell", "Row"])
        return flow.mapped(design, "xcup", 3600) / "netlist.json"


def test_every_piece_is_there_once_with_what_lies_between(joined: Path) -> None:
    modules = netlist.load(joined, "Whole")
    assert set(modules) == {"Whole", "Row", "Cell"}
    assert netlist.instances(modules, "Whole") == {"Whole": 1, "Row": 2, "Cell": 2}
    assert modules["Whole"].counts["Row"] == 2
    assert modules["Row"].counts["Cell"] == 1
    assert modules["Cell"].counts.total() >= 2, "twelve inputs do not fit one LUT"
    assert all(kind.startswith("LUT") for kind in modules["Cell"].counts)
    # The logic of what lies between belongs to the outer piece.
    assert modules["Whole"].counts["LUT2"] == 1


def test_no_piece_stays_a_box(joined: Path) -> None:
    content: dict[str, Any] = json.loads(joined.read_text())["modules"]
    for name in ("Whole", "Row", "Cell"):
        assert content[name]["cells"]
        assert "blackbox" not in content[name]["attributes"]


def test_paths_go_on_through_the_borders(joined: Path) -> None:
    """Twelve bits in `Cell`, the pair in `Row`, the difference in `Whole`."""
    slowest = levels.slowest(netlist.load(joined, "Whole"), "Whole")[0]
    assert slowest.end == "found (D)"
    names = [step.name.rpartition(".")[0] for step in slowest.steps]
    assert names[0].endswith("cell_0")
    assert slowest.levels == len(slowest.steps) >= 4


def test_no_piece_is_left_behind(joined: Path) -> None:
    assert sorted(file.name for file in joined.parent.glob("*.json")) == [
        "kept.json",
        "netlist.json",
    ]


def test_flip_flops_are_those_of_the_design_mapped_whole(
    joined: Path, verilog: Callable[..., Path]
) -> None:
    apart = netlist.cell_counts(netlist.load(joined, "Whole"), "Whole")
    design = flow.Design.of_folder(verilog(SOURCES), "Whole", "xcup")
    flat = flow.mapped(design, "xcup", 3600) / "netlist.json"
    together = netlist.load(flat, "Whole")
    assert set(together) == {"Whole"}
    assert netlist.cell_counts(together, "Whole")["FDRE"] == apart["FDRE"] == 2 * 12 + 2 + 1
