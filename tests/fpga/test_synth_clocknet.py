# SPDX-License-Identifier: Apache-2.0
"""Wide resets and enables of an ECP5 on the clock network: which they are, and that they route."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opentmu.synth import clocknet, flow, pnr, prepare
from opentmu.synth.pnr import Settings

WIDE = clocknet.LEAST_FLIP_FLOPS
REGISTERS = f"""\
module Registers(input clock, input enable, input next, output q);
  reg [{WIDE - 1}:0] chain;
  always @(posedge clock) if (enable) chain <= {{chain, next}};
  assign q = chain[{WIDE - 1}];
endmodule
"""


def module(ends: dict[tuple[str, int | str], int]) -> dict[str, Any]:
    """For each port and net so many flip-flops that share it, and a LUT with that net."""
    cells: dict[str, Any] = {}
    for (port, net), count in ends.items():
        cells[f"lut {net}"] = {"type": "LUT4", "was": net, "connections": {"A": [net]}}
        for index in range(count):
            one = {"type": "TRELLIS_FF", "was": net, "connections": {port: [net]}}
            cells[f"{port} {net} {index}"] = one
    return {"cells": cells, "netnames": {"all": {"bits": [net for _, net in ends]}}}


def test_the_widest_are_moved_with_all_their_flip_flops_and_nothing_else() -> None:
    last = clocknet.MOST + 1
    ends: dict[tuple[str, int | str], int] = {("CE", net): WIDE + net for net in range(1, last + 1)}
    # Too narrow, and a constant.
    ends |= {("LSR", 20): WIDE - 1, ("CE", "x"): 3 * WIDE}
    built = module(ends)
    assert clocknet.move(built) == clocknet.MOST
    buffers = [cell for cell in built["cells"].values() if cell["type"] == "DCCA"]
    moved = {cell["connections"]["CLKI"][0]: cell["connections"]["CLKO"][0] for cell in buffers}
    assert set(moved) == set(range(2, last + 1)), "the narrowest of the wide ones is one too many"
    assert len({*moved.values(), *range(1, last + 1), 20}) == len(moved) + last + 1, "new nets"
    for name, cell in built["cells"].items():
        nets = [net for nets in cell["connections"].values() for net in nets]
        if cell["type"] == "TRELLIS_FF":
            assert nets == [moved.get(cell["was"], cell["was"])], name
        elif cell["type"] == "LUT4":
            assert nets == [cell["was"]], "logic stays on the wires of logic"


def test_a_module_without_wide_ones_stays_as_it_is() -> None:
    built = module({("LSR", 2): WIDE - 1})
    before = json.dumps(built)
    assert clocknet.move(built) == 0
    assert json.dumps(built) == before


def test_nextpnr_routes_an_enable_there(verilog: Callable[..., Path]) -> None:
    folder = verilog({"Registers": REGISTERS})
    design = flow.Design.of_folder(folder, "Registers", "ecp5")
    mapped_in = flow.mapped(design, "ecp5", 3600)
    prepared = folder / "prepared.json"
    assert prepare.prepare(mapped_in / "netlist.json", design.top, prepared) == 0
    log = folder / "nextpnr.log"
    pnr.run(prepared, design.top, folder, Settings(100, 1, 3600), log)
    used = json.loads((folder / "utilisation.json").read_text())
    assert used["DCCA"]["used"] == 2, "the clock, and the enable"
    assert used["TRELLIS_FF"]["used"] == WIDE
