# SPDX-License-Identifier: Apache-2.0
"""Comparators in carry chains (R1): what goes into them, and that they say what the design says."""

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths, regs
from opentmu.build import fpga, rtl
from opentmu.errors import CheckFailed
from opentmu.synth import carries, flow, tools

SECONDS = 3600
SHARE = "+/ecp5"

# Words of both widths, and of one that gets no chain.
COMPARES = """\
module CompareArray(
  input clock,
  input [95:0] key, search, ignore, mask,
  input [47:0] plain,
  output reg equal, source, none, long
);
  always @(posedge clock) begin
    equal <= ((key[63:0] ^ search[63:0]) & ~ignore[63:0] & ~mask[63:0]) == 64'h0;
    source <= ((key[95:64] ^ search[95:64]) & ~mask[95:64]) == 32'h0;
    none <= ignore[31:0] == 32'h0;
    long <= plain == 48'h0;
  end
endmodule
"""

# What the LUT of a bit says is 1 where key and search differ and neither ignores it.
DIFFERS = f"{0x0006:016b}"

# Of the halves of a carry cell that have no bit: the first, those that pass, the last.
OTHERS = tuple(f"{table:016b}" for table in (0x000F, 0xFFFF, 0x0000))


def prove(folder: Path, top: str, netlist: dict[str, Any], name: str) -> None:
    """Prove that a mapped module does what its Verilog says; CheckFailed when it does not."""
    work = paths.BUILD / "test" / f"carries-{name}"
    work.mkdir(parents=True, exist_ok=True)
    gate = work / "gate.json"
    # Of what Chisel names no register or port the mapper may keep a name and some bits alone.
    names = {name: net for name, net in netlist["netnames"].items() if not name.startswith("_")}
    gate.write_text(json.dumps({"modules": {top: {**netlist, "netnames": names}}}))
    stored = fpga.relative(work / "gate.il")
    steps = [
        f"read_json {fpga.relative(gate)}",
        f"rename {top} gate",
        f"read_verilog -overwrite {SHARE}/cells_sim.v",
        "hierarchy -top gate",
        "proc",
        "flatten -wb",
        "opt_clean",
        f"write_rtlil {stored}",
        "design -reset",
        f"read_verilog -sv {fpga.relative(folder / f'{top}.sv')}",
        f"rename {top} gold",
        "proc",
        "opt_clean",
        f"read_rtlil {stored}",
        "equiv_make gold gate both",
        "hierarchy -top both",
        "opt_clean",
        "equiv_simple -undef -short",
        "equiv_induct -undef",
        "equiv_status -assert",
    ]
    log = work / "log"
    with pytest.MonkeyPatch.context() as patch:
        # The library's cells have a tri-state buffer among them.
        patch.setattr(tools, "REMARKS", ("limited support for tri-state logic",))
        tools.yosys(steps, f"yosys proves {name}", log, SECONDS)


def mapped(folder: Path, top: str) -> dict[str, Any]:
    design = flow.Design.of_folder(folder, top, "ecp5")
    file = flow.mapped(design, "ecp5", SECONDS) / "netlist.json"
    found: dict[str, Any] = json.loads(file.read_text())["modules"][top]
    return found


def bits(netlist: dict[str, Any]) -> Counter[str]:
    """How often each table stands in a half of a carry cell that has a bit."""
    chained = [cell for cell in netlist["cells"].values() if cell["type"] == carries.CARRY]
    tables = Counter(cell["parameters"][name] for cell in chained for name in ("INIT0", "INIT1"))
    for table in OTHERS:
        del tables[table]
    return tables


@pytest.fixture(scope="module")
def compares(verilog_in: Callable[..., Path]) -> Path:
    return verilog_in("synth-carries", {"CompareArray": COMPARES})


def test_a_bit_of_a_comparator_is_a_half_of_a_carry_cell(compares: Path) -> None:
    netlist = mapped(compares, "CompareArray")
    kinds = Counter(cell["type"] for cell in netlist["cells"].values())
    assert kinds[carries.CARRY] == 4 * 32, "a cell for each bit"
    found = bits(netlist)
    assert found.total() == 4 * 32
    assert found[carries.PASSES_ZERO] == 32, "bits of a register that no LUT computes"
    # 48 bits in LUTs of four, and what joins them.
    assert kinds["LUT4"] < 20


def test_a_mapped_comparator_is_what_the_design_says(compares: Path) -> None:
    prove(compares, "CompareArray", mapped(compares, "CompareArray"), "compare")


def test_a_comparator_with_one_wrong_bit_is_no_such_thing(compares: Path) -> None:
    """Canary: the proof sees a bit that is not compared."""
    netlist = copy.deepcopy(mapped(compares, "CompareArray"))
    cell = next(
        cell
        for cell in netlist["cells"].values()
        if cell["type"] == carries.CARRY and cell["parameters"]["INIT1"] == f"{0xFFF9:016b}"
    )
    cell["parameters"]["INIT1"] = "1" * 16
    with pytest.raises(CheckFailed, match="unproven"):
        prove(compares, "CompareArray", netlist, "wrong")


@pytest.mark.parametrize("top", ["ArrayRowPosted", "ArrayRowUnexpected"])
def test_r1_a_mapped_row_of_lanes_is_what_the_design_says(top: str) -> None:
    folder = rtl.ensure("ecp5")
    netlist = mapped(folder, top)
    found = bits(netlist)
    assert found.total() == (regs.PRESETS["ecp5"].lanes + 2) * 96, "two entries may cross"
    assert not found[carries.PASSES_ZERO], "every bit is computed in its half"
    prove(folder, top, netlist, top)


def chain(lut: str, readers: int = 1) -> dict[str, Any]:
    """One carry cell whose first bit comes from a LUT, which others may read too."""
    inputs = {name: [10 + index] for index, name in enumerate(carries.INPUTS)}
    ways = dict.fromkeys(carries.INPUTS, "input")
    names = [f"{port}{half}" for half in "01" for port in carries.INPUTS]
    cells: dict[str, Any] = {
        "lut": {
            "type": carries.LOOK_UP,
            "parameters": {"INIT": lut},
            "port_directions": ways | {"Z": "output"},
            "connections": inputs | {"Z": [20]},
        },
        "carry": {
            "type": carries.CARRY,
            "parameters": {"INIT0": carries.PASSES_ZERO, "INIT1": carries.PASSES_ZERO},
            "port_directions": dict.fromkeys([*names, "CIN"], "input") | {"COUT": "output"},
            "connections": {name: ["0"] for name in names} | {"A0": [20], "A1": [21], "COUT": [22]},
        },
    }
    for other in range(1, readers):
        cells[f"other{other}"] = {
            "type": "TRELLIS_FF",
            "port_directions": {"DI": "input", "Q": "output"},
            "connections": {"DI": [20], "Q": [30 + other]},
        }
    return {"cells": cells, "ports": {"out": {"direction": "output", "bits": [22]}}}


def test_the_lut_of_a_bit_goes_into_its_half() -> None:
    built = chain(DIFFERS)
    assert carries.absorb(built) == 1
    assert "lut" not in built["cells"]
    carry = built["cells"]["carry"]
    assert [carry["connections"][f"{name}0"] for name in carries.INPUTS] == [[10], [11], [12], [13]]
    assert carry["parameters"] == {"INIT0": f"{0xFFF9:016b}", "INIT1": carries.PASSES_ZERO}


def test_the_inputs_are_turned_so_that_no_half_makes_a_carry() -> None:
    """With the mask at A and the key at C the carry cell would find what is none."""
    turned = sum(1 << at for at in range(16) if not at & 0b0011 and (at >> 2 & 1) != at >> 3)
    built = chain(f"{turned:016b}")
    assert carries.absorb(built) == 1
    carry = built["cells"]["carry"]
    assert carry["parameters"]["INIT0"] == f"{0xFFF9:016b}"
    assert {carry["connections"][f"{name}0"][0] for name in "AB"} == {12, 13}


def test_an_input_that_is_constant_takes_no_wire() -> None:
    """With the second mask always 0: key, search and one mask are left."""
    built = chain(DIFFERS)
    built["cells"]["lut"]["connections"]["D"] = ["0"]
    assert carries.absorb(built) == 1
    carry = built["cells"]["carry"]
    assert [carry["connections"][f"{name}0"] for name in carries.INPUTS] == [
        [10],
        [11],
        [12],
        ["1"],
    ]
    assert carry["parameters"]["INIT0"] == f"{0xF9F9:016b}"


def test_what_others_read_and_what_makes_carries_stays_a_lut() -> None:
    for built in (chain(DIFFERS, readers=2), chain(f"{0x6996:016b}")):
        before = copy.deepcopy(built)
        assert carries.absorb(built) == 0
        assert built == before
