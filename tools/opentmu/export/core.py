# SPDX-License-Identifier: Apache-2.0
"""Descriptions of a design for other tools: a FuseSoC core and a constraints skeleton."""

from collections.abc import Sequence
from dataclasses import dataclass

TOP = "tmu_wrapper"
# Clock of the constraints; whoever integrates the unit says what the card's clock is.
MHZ = 100.0


@dataclass(frozen=True)
class Core:
    """An exported design, its files by their paths from the folder."""

    name: str
    version: str
    address_bits: int
    rtl: Sequence[str]
    wrapper: Sequence[str]
    assertions: Sequence[str]  # the bind files among them
    binds: Sequence[str]

    @property
    def vlnv(self) -> str:
        """Vendor, library, name and version."""
        return f"opentmu:tmu:tmu_{self.name}:{self.version}"

    def text(self) -> str:
        """The core in FuseSoC's CAPI2, which is YAML."""
        lines = [
            "CAPI=2:",
            f"# SPDX-License-Identifier: Apache-2.0; written by tmu verilog for {self.name}.",
            f"name: {self.vlnv}",
            f"description: Open tag-matching unit for MPI network cards, {self.name}",
            "filesets:",
            *_files("rtl", [*self.rtl, *self.wrapper], "systemVerilogSource"),
            *_files("assertions", self.assertions, "systemVerilogSource", self.binds),
            *_files("xdc", ["constraints/tmu.xdc"], "xdc"),
            *_files("sdc", ["constraints/tmu.sdc"], "SDC"),
            "parameters:",
            "  ADDRESS_BITS:",
            "    datatype: int",
            "    paramtype: vlogparam",
            f"    default: {self.address_bits}",
            "    description: Address bits of the doorbell pages; the default reaches all of them",
            "targets:",
            *_target("default", ["rtl"]),
            *_target("synth", ["rtl", '"tool_vivado ? (xdc)"', '"!tool_vivado ? (sdc)"']),
            *_target("lint", ["rtl"]),
            "    default_tool: verilator",
            "    tools:",
            "      verilator:",
            "        mode: lint-only",
            *_target("sim", ["rtl", "assertions"]),
        ]
        return "\n".join([*lines, ""])


def _files(name: str, files: Sequence[str], kind: str, included: Sequence[str] = ()) -> list[str]:
    """A file set; what others include is not read by itself."""
    lines = [f"  {name}:", f"    file_type: {kind}", "    files:"]
    lines += [f"      - {file}" for file in files if file not in included]
    for file in included:
        path = file.rpartition("/")[0]
        lines.append(f"      - {file}: {{is_include_file: true, include_path: {path}}}")
    return lines


def _target(name: str, filesets: Sequence[str]) -> list[str]:
    lines = [f"  {name}:", f"    filesets: [{', '.join(filesets)}]", f"    toplevel: {TOP}"]
    return [*lines, "    parameters: [ADDRESS_BITS]"]


def constraints(*, xilinx: bool) -> str:
    """A skeleton: the one clock, the asynchronous reset, and what a shell has to add."""
    period = 1000 / MHZ
    inputs = (
        "[get_ports -filter {DIRECTION == IN && NAME != aclk}]"
        if xilinx
        else "[remove_from_collection [all_inputs] [get_ports aclk]]"
    )
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# A skeleton for tmu_wrapper at the top of a design.  In a shell leave out the clock,",
        "# which the shell defines, and the delays; the false path starts at the instance's pin.",
        f"# {MHZ:g} MHz is an example and no promise: docs/synthesis.md says what was reached.",
        f"create_clock -name aclk -period {period:.3f} [get_ports aclk]",
        "# aresetn may change at any time; two flip-flops with ASYNC_REG in tmu_wrapper take it.",
        "set_false_path -from [get_ports aresetn]",
        "# Every port is synchronous to aclk; half of a clock outside is an example.",
        f"set_input_delay -clock aclk {period / 2:.3f} {inputs}",
        f"set_output_delay -clock aclk {period / 2:.3f} [all_outputs]",
    ]
    return "\n".join([*lines, ""])
