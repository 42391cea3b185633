# SPDX-License-Identifier: Apache-2.0
"""Output of nextpnr, as the report tells it; and a small module through all tools."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths
from opentmu.build import fpga
from opentmu.errors import BadInput, CheckFailed
from opentmu.synth import flow, lanes, netlist, pnr, tools
from opentmu.synth.pnr import Settings

# From the routed `tiny`, without locations and source lines; paths from and to pins are cut short.
RECORDED = Path(__file__).parent / "nextpnr-report.json"
SETTINGS = Settings(seed=1, timeout=3600, route=True)
LOG = """\
Info: Device utilisation:
Info: \t          TRELLIS_IO:       6/    365     1%
Info: \t              DP16KD:     222/    208   106%
Info: \t          MULT18X18D:       0/    156     0%
Info: \t        TRELLIS_COMB:   90507/  83640   108%
ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'TRELLIS_COMB'
"""

SMALL = """\
module Small(input clock, input [7:0] a, input [7:0] b, output reg hit);
  reg [7:0] key, mask;
  reg found;
  always @(posedge clock) begin
    key <= a;
    mask <= b;
    found <= &(key | mask);
    hit <= found;
  end
endmodule
"""


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text())
    return found


def unnamed() -> netlist.Module:
    """A netlist that says nothing about the cells of the recorded path."""
    return netlist.Module("tmu_pins", {}, [], {})


def test_the_clock_of_a_recorded_run(report: dict[str, Any]) -> None:
    assert pnr.fmax(report) == 83.84
    with pytest.raises(CheckFailed, match="found no clock"):
        pnr.fmax({"fmax": {}})


def test_the_critical_path_of_a_recorded_run(report: dict[str, Any]) -> None:
    path = pnr.critical_path(report, unnamed())
    assert path["from"] == "wrapper.unit.doorbell.w_q.deq_ptr_value"
    assert path["to"] == "wrapper.unit.pages.consumers_ext.Memory (WAD1)"
    assert path["delay_ns"] == pytest.approx(1000 / 83.84, abs=0.02)
    assert path["logic_ns"] + path["routing_ns"] == pytest.approx(path["delay_ns"], abs=0.011)
    assert path["through"][0] == "wrapper.unit.doorbell.w_q"
    assert "wrapper.unit.commands_q" in path["through"]
    assert path["steps"][0]["routing_ns"] == 1.728
    total = sum(step["logic_ns"] + step["routing_ns"] for step in path["steps"])
    assert total == pytest.approx(path["delay_ns"], abs=0.02)


def test_registers_have_the_names_of_the_design(report: dict[str, Any]) -> None:
    first = report["critical_paths"][0]["path"][0]["from"]["cell"]
    register = netlist.Cell(first, "TRELLIS_FF", (), (("Q", 5),))
    nets = {"wrapper.unit.doorbell.w_q.deq_ptr": {"bits": [4, 5], "hide_name": 0}}
    path = pnr.critical_path(report, netlist.Module("tmu_pins", {}, [register], nets))
    assert path["from"] == "wrapper.unit.doorbell.w_q.deq_ptr[1]"
    assert path["steps"][0]["kind"] == "TRELLIS_FF"


def test_numbered_cells_lie_in_no_instance(report: dict[str, Any]) -> None:
    """Mapped cells between registers have a number of the mapper's for a name."""
    numbered = copy.deepcopy(report)
    for one in numbered["critical_paths"]:
        for hop in one["path"][1:-1]:
            for end in ("from", "to"):
                hop[end]["cell"] = "$abc$1234$auto$blifparse.cc:397:parse_blif$5678.top.inner"
    path = pnr.critical_path(numbered, unnamed())
    ends = [netlist.instance(path["from"]), netlist.instance(path["to"].split(" ")[0])]
    assert path["through"] == ends
    assert path["delay_ns"] == pnr.critical_path(report, unnamed())["delay_ns"]


def test_a_report_with_paths_of_pins_alone_is_refused(report: dict[str, Any]) -> None:
    pins = [path for path in report["critical_paths"] if "<async>" in (path["from"], path["to"])]
    assert pins
    with pytest.raises(CheckFailed, match="no path from register to register"):
        pnr.critical_path({"critical_paths": pins}, unnamed())


def test_what_does_not_fit_is_told_with_numbers() -> None:
    used = pnr.utilisation(LOG)
    assert used["TRELLIS_IO"] == {"used": 6, "available": 365}
    assert "MULT18X18D" not in used
    assert pnr.excess(used) == [
        "DP16KD 222 of 208 (107 %)",
        "TRELLIS_COMB 90,507 of 83,640 (108 %)",
    ]


def test_a_tool_is_stopped_at_its_limit(tmp_path: Path) -> None:
    with pytest.raises(tools.OutOfTime, match=r"napping: stopped after 0 s, the limit that --time"):
        tools.run(["sleep", "60"], "napping", tmp_path / "nap.log", 0.2)


def test_a_module_that_is_not_there_is_refused() -> None:
    log = paths.BUILD / "test" / "synth-warning.log"
    with pytest.raises(CheckFailed, match="yosys on nothing failed"):
        tools.yosys(["hierarchy -top none"], "yosys on nothing", log, 3600)


def resized(instance: str) -> str:
    """Output of Yosys when a port of `instance` is connected to a wire that is too wide."""
    file = paths.BUILD / "test" / "synth-resized.sv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "module one(input ADDRA, output b); assign b = ADDRA; endmodule\n"
        f"module top(input [1:0] a, output b); one {instance} (.ADDRA(a), .b(b)); endmodule\n"
    )
    log = file.with_suffix(".log")
    steps = [f"read_verilog {fpga.relative(file)}", "hierarchy -check -top top"]
    try:
        tools.yosys(steps, "yosys on two widths", log, 3600)
    except CheckFailed as error:
        return str(error)
    return log.with_suffix(".yosys").read_text()


def test_warnings_are_errors_but_for_those_about_block_memories() -> None:
    said = "Resizing cell port top.{}.ADDRA from 2 bits to 1 bits"
    assert f"ERROR: {said.format('unit')}" in resized("unit")
    memory = "unit.store.memory_ext.Memory.0.5"
    assert f"Suppressed Warning: {said.format(memory)}" in resized(f"\\{memory} ")


@pytest.fixture
def small(verilog: Callable[..., Path]) -> Path:
    return verilog({"Small": SMALL})


def test_a_small_module_is_placed_and_routed(small: Path) -> None:
    design = flow.Design.of_folder(small, "Small", "ecp5")
    mapped_in = flow.mapped(design, "ecp5", SETTINGS.timeout)
    routed_in = flow.routed(design, SETTINGS, mapped_in)
    found = flow.ecp5(design, mapped_in, routed_in, SETTINGS)
    assert found["fits"] is True and found["problem"] is None
    assert found["ff"] == 18
    assert 100 < found["fmax_mhz"] < 1000
    assert found["utilisation"]["TRELLIS_FF"]["used"] == 18
    path = found["critical_path"]
    assert path["from"].startswith(("key", "mask", "found"))
    assert path["to"].startswith(("found", "hit"))
    stamp = (routed_in / "report.json").stat().st_mtime_ns
    flow.routed(design, SETTINGS, flow.mapped(design, "ecp5", SETTINGS.timeout))
    assert (routed_in / "report.json").stat().st_mtime_ns == stamp, "made again without a reason"


def test_area_per_lane_of_a_small_module(small: Path) -> None:
    row = lanes.parse(f"Small:2:{small}")
    found = lanes.measure(row, "xcup", SETTINGS)
    assert (found["ff"], found["ff_per_lane"]) == (18, 9.0)
    # 16 bits into one: three LUTs and one behind them.
    assert found["lut"] in (3, 4, 5)
    assert found["lut_per_lane"] == found["lut"] / 2
    assert found["levels"] in (2, 3)


# The oldest of 16 hits leaves. With the delay of a wire that synth_xilinx takes, ABC9 makes this of
# five LUTs in a row: some of their inputs are so quick that it takes the path for a short one.
PICK = """\
module Pick(input clock, input [31:0] key, input [7:0] ask, input push, output reg [15:0] left);
  reg [15:0] valid, hit;
  reg [31:0] keys;
  reg [7:0] asked;
  reg pushed;
  wire [15:0] live = valid & hit;
  wire [15:0] older;
  assign older[0] = 1'b0;
  genvar i;
  generate
    for (i = 1; i < 16; i = i + 1) assign older[i] = |live[i-1:0];
  endgenerate
  wire [15:0] stays = valid & ~(live & ~older);
  integer j;
  always @(posedge clock) begin
    asked <= ask;
    keys <= key;
    pushed <= push;
    for (j = 0; j < 16; j = j + 1) hit[j] <= (keys[(j%4)*8+:8] ^ {8{j[0]}}) == asked;
    valid <= pushed ? {1'b1, stays[15:1]} : stays;
    left <= {16{&stays}} ^ stays;
  end
endmodule
"""


def test_a_lut_counts_the_same_by_any_of_its_inputs(verilog: Callable[..., Path]) -> None:
    folder = verilog({"Pick": PICK})
    found = lanes.measure(lanes.parse(f"Pick:16:{folder}"), "xcup", SETTINGS)
    assert found["levels"] == 4


# Yosys 0.70 ends at such a memory by itself, as the unit `nic` has one (fpga/synth/xcup.ys).
DEEP = """\
module Deep(input clock, write, input [14:0] address, input [15:0] data, output [15:0] word);
  reg [15:0] memory [0:32767];
  reg [14:0] last;
  always @(posedge clock) begin
    last <= address;
    if (write) memory[address] <= data;
  end
  assign word = memory[last];
endmodule
"""


def test_a_deep_memory_with_one_port_is_mapped_to_block_memories(
    verilog: Callable[..., Path],
) -> None:
    folder = verilog({"Deep": DEEP})
    design = flow.Design.of_folder(folder, "Deep", "xcup")
    mapped_in = flow.mapped(design, "xcup", SETTINGS.timeout)
    cells = json.loads((mapped_in / "netlist.json").read_text())["modules"]["Deep"]["cells"]
    kinds = [cell["type"] for cell in cells.values()]
    assert kinds.count("RAMB36E2") == 16, "32,768 addresses by a bit each"
    assert not [kind for kind in kinds if kind.startswith("RAM") and kind != "RAMB36E2"]


def test_only_folders_that_yosys_can_see_are_taken(
    tmp_path: Path, verilog: Callable[..., Path]
) -> None:
    with pytest.raises(BadInput, match="found a folder outside"):
        flow.Design.of_folder(tmp_path, "Small", "ecp5")
    empty = verilog({})
    with pytest.raises(BadInput, match=r"found no Small\.sv, expected a file for each module"):
        flow.Design.of_folder(empty, "Small", "ecp5")
