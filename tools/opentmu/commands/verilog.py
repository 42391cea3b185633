# SPDX-License-Identifier: Apache-2.0
"""`tmu verilog`: a preset's SystemVerilog into a folder of the caller's."""

from pathlib import Path

import click

from opentmu import options, output, presets
from opentmu.build import rtl
from opentmu.errors import BadInput
from opentmu.export import design


@click.command()
@presets.options(presets.WHOLE)
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    help="Folder to write; default verilog/PRESET in the working folder.",
)
@click.option("--no-ipxact", is_flag=True, help="Without IP-XACT, whose writer is fetched.")
@options.as_json
def command(preset: str, target: Path | None, no_ipxact: bool, as_json: bool) -> int:
    """Write a preset's SystemVerilog, with all that an integration needs.

    The folder gets the modules, each line with its origin in the Chisel source, the wrapper with
    AXI's names, filelist.f for synthesis and filelist_assertions.f with every assertion for
    simulation, the same lists with absolute paths (*.abs.f), a FuseSoC core, the registers as
    SystemRDL and IP-XACT, and a constraints skeleton.

    For example: tmu verilog --preset tiny -o tiny
    """
    presets.check(preset)
    folder = target or Path("verilog") / preset
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: found a file, expected a folder or nothing")
    files = design.write(rtl.ensure_located(preset), folder, preset, with_ipxact=not no_ipxact)
    if as_json:
        output.print_json({"preset": preset, "folder": str(folder), "files": files})
    else:
        output.figures().print(f"{len(files)} files of preset {preset} in {folder}", markup=False)
    return 0
