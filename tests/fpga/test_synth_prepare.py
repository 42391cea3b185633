# SPDX-License-Identifier: Apache-2.0
"""What the router is told in the netlist: that it knows these names, and takes the values."""

import json
from collections.abc import Callable
from pathlib import Path

from opentmu import paths, toolchain
from opentmu.build import fpga
from opentmu.synth import flow, pnr, prepare, tools

SMALL = """\
module Small(input clock, input next, output reg q);
  always @(posedge clock) q <= next;
endmodule
"""


def settings_after_routing(netlist: Path, folder: Path) -> dict[str, str]:
    """All settings that nextpnr has when it has routed a netlist, its own defaults included."""
    toolchain.use_path()
    toolchain.need_compiled(tools.NEXTPNR)
    written = folder / "written.json"
    command = [tools.NEXTPNR, *pnr.OPTIONS, "--json", fpga.relative(netlist)]
    command += ["--write", fpga.relative(written)]
    log = paths.LOGS / "test-synth-prepare.log"
    assert tools.run(command, "nextpnr on a small module", log, 3600) == 0, log.read_text()
    (module,) = json.loads(written.read_text())["modules"].values()
    found: dict[str, str] = module["settings"]
    return found


def test_the_router_takes_what_the_netlist_says(verilog: Callable[..., Path]) -> None:
    folder = verilog({"Small": SMALL})
    design = flow.Design.of_folder(folder, "Small", "ecp5")
    mapped = flow.mapped(design, "ecp5", 3600) / "netlist.json"
    prepared = folder / "prepared.json"
    prepare.prepare(mapped, "Small", prepared)
    told = settings_after_routing(prepared, folder)
    untold = settings_after_routing(mapped, folder)
    for name, value in prepare.ROUTER.items():
        assert told[name] == value
        # The router writes the defaults of all that it looked for, so an unknown name is absent.
        assert name in untold, f"{name}: found no such setting of the router's"
        assert float(untold[name]) != float(value), f"{name}: {value} is what it has anyway"
