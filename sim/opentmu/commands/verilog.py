# SPDX-License-Identifier: Apache-2.0
"""`tmu verilog`: a preset's SystemVerilog into a folder of the caller's."""

import shutil
from pathlib import Path

import click

from opentmu import output, presets, stage
from opentmu.build import rtl
from opentmu.errors import BadInput


def _copy(source: Path, target: Path) -> list[str]:
    """Copy all files but the stamp; other files of the target stay."""
    files = sorted(f for f in source.rglob("*") if f.is_file() and f.name != stage.STAMP)
    for file in files:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return [str(f.relative_to(source)) for f in files]


@click.command()
@click.option("--preset", default=presets.DEFAULT, show_default=True, help="Configuration.")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    help="Folder to write; default verilog/PRESET in the working folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(preset: str, target: Path | None, as_json: bool) -> int:
    """Write a preset's SystemVerilog.

    The folder gets filelist.f for synthesis, and the layers-*.sv files that bind the assertions
    in for simulation.
    """
    presets.check(preset)
    folder = target or Path("verilog") / preset
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: found a file, expected a folder or nothing")
    files = _copy(rtl.ensure(preset), folder)
    if as_json:
        output.print_json({"preset": preset, "folder": str(folder), "files": files})
    else:
        output.figures().print(f"{len(files)} files of preset {preset} in {folder}", markup=False)
    return 0
