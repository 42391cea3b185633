# SPDX-License-Identifier: Apache-2.0
"""`tmu verilog`: a preset's SystemVerilog into a folder of the caller's."""

import shutil
from pathlib import Path

import click

from opentmu import output, presets, stage
from opentmu.build import fpga, rtl, verilate
from opentmu.errors import BadInput


def _copy(source: Path, target: Path) -> list[str]:
    """Copy all files but the stamp; other files of the target stay."""
    files = sorted(f for f in source.rglob("*") if f.is_file() and f.name != stage.STAMP)
    for file in files:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    names = [str(f.relative_to(source)) for f in files]
    for name, text in lists(source).items():
        (target / name).write_text(text)
        names += [] if name in names else [name]
    return names


def lists(design: Path) -> dict[str, str]:
    """The file lists of an elaborated design: the hardware alone, and all with its assertions.

    firtool's own list names some modules of assertions, and none of the files that bind them.
    """
    every = verilate.sources(design)
    folders = [folder.relative_to(design).as_posix() for folder in verilate.include_folders(design)]
    texts = {
        "filelist.f": [file.relative_to(design).as_posix() for file in fpga.hardware(design)],
        "filelist_assertions.f": [
            *(f"+incdir+{folder}" for folder in folders),
            *(file.relative_to(design).as_posix() for file in every),
        ],
    }
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in texts.items()}


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

    The folder gets filelist.f with the hardware alone, for synthesis, and filelist_assertions.f
    with all assertions, for simulation. Their paths are relative to them: verilator -F FILE reads
    them from any folder.

    For example: tmu verilog --preset tiny -o tiny
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
