# SPDX-License-Identifier: Apache-2.0
"""An elaborated design as a folder of its own: files say what they are of, lists name all."""

import dataclasses
import textwrap
from pathlib import Path

import opentmu
from opentmu import paths, presets, regs, stage
from opentmu.build import fpga
from opentmu.export import core, ipxact
from opentmu.export.core import Core

WRAPPER_FILE = paths.ROOT / "fpga" / "wrapper" / "tmu_wrapper.sv"
RDL = "tmu.rdl"
LISTS = ("filelist.f", "filelist_assertions.f")
ABSOLUTE = ".abs.f"
# Includes every bind file: what FuseSoC reads of them.
ASSERTIONS = f"{fpga.VERIFICATION}/tmu_assertions.sv"


def write(design: Path, target: Path, preset: str, *, with_ipxact: bool = True) -> list[str]:
    """Copy a design into `target` with all that goes with it; the files by their paths there.

    Other files of the target stay.
    """
    says = header(preset)
    for file in sorted(design.rglob("*.sv")):
        _put(target / file.relative_to(design), commented(file.read_text(), says, file.stem))
    text = WRAPPER_FILE.read_text()
    _put(target / fpga.WRAPPER / WRAPPER_FILE.name, commented(text, says, WRAPPER_FILE.stem))
    made = described(design, preset)
    binds = [f'`include "{Path(file).name}"\n' for file in made.binds]
    _put(target / ASSERTIONS, commented("".join(binds), says, Path(ASSERTIONS).stem))
    for name, words in lists(made).items():
        _put(target / name, "\n".join([*words, ""]))
        _put(target / f"{name.removesuffix('.f')}{ABSOLUTE}", _absolute(target, words))
    _put(target / f"opentmu_tmu_{preset}.core", made.text())
    for kind in ("xdc", "sdc"):
        _put(target / "constraints" / f"tmu.{kind}", core.constraints(xilinx=kind == "xdc"))
    _put(target / RDL, (design / RDL).read_text())
    if with_ipxact:
        ipxact.write(target / RDL, target / "tmu.xml", made.version, f"tmu_{preset}")
    return sorted(
        str(file.relative_to(target))
        for file in target.rglob("*")
        if file.is_file() and file.name != stage.STAMP
    )


def header(preset: str) -> str:
    """The origin that every file states; the line with the module's name stands before."""
    parameters = dataclasses.asdict(presets.find(preset))
    del parameters["name"], parameters["number"]
    known = {name: value for name, value in parameters.items() if value or "positions" not in name}
    words = ", ".join(f"{name} {value}" for name, value in known.items())
    interface = f"{regs.INTERFACE_MAJOR}.{regs.INTERFACE_MINOR}"
    lines = [
        f"OpenTMU {opentmu.__version__}, hardware interface {interface}, preset {preset}:",
        *textwrap.wrap(words, 94),
        "SPDX-License-Identifier: Apache-2.0",
    ]
    return "".join(f"// {line}\n" for line in lines)


def commented(text: str, says: str, name: str) -> str:
    """A file with the comment before it; lines of the Chisel source are from the root."""
    origin = text.replace(f"{paths.ROOT}/", "")
    return f"// {name}: part of the design below.\n{says}{origin}"


def described(design: Path, preset: str) -> Core:
    """All files of a design by what they are for."""
    hardware = [str(file.relative_to(design)) for file in fpga.hardware(design)]
    checks = sorted(
        str(file.relative_to(design)) for file in (design / fpga.VERIFICATION).rglob("*.sv")
    )
    return Core(
        name=preset,
        version=opentmu.__version__,
        address_bits=fpga.address_bits(preset),
        rtl=hardware,
        wrapper=[f"{fpga.WRAPPER}/{WRAPPER_FILE.name}"],
        assertions=[*checks, ASSERTIONS],
        binds=[file for file in checks if Path(file).name.startswith("layers-")],
    )


def lists(made: Core) -> dict[str, list[str]]:
    """File lists, relative to themselves: the hardware, and the same with every assertion."""
    hardware = [*made.rtl, *made.wrapper]
    folders = sorted({file.rpartition("/")[0] for file in made.assertions})
    includes = [f"+incdir+{folder}" for folder in folders]
    return dict(zip(LISTS, (hardware, [*includes, *hardware, *made.assertions]), strict=True))


def _absolute(target: Path, words: list[str]) -> str:
    """A list for tools that take paths from the working folder."""
    plus = "+incdir+"
    lines = [
        f"{plus if word.startswith(plus) else ''}{target.resolve() / word.removeprefix(plus)}"
        for word in words
    ]
    return "\n".join([*lines, ""])


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
