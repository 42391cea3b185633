# SPDX-License-Identifier: Apache-2.0
"""The unit as FPGA tools take it: wrapper and design, without a single assertion or bind file."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from opentmu import paths, presets, stage, toolchain
from opentmu.errors import CheckFailed
from opentmu.process import run_logged

FPGA = paths.ROOT / "fpga"
WRAPPERS = ("tmu_wrapper", "tmu_pins")
ELABORATE = FPGA / "synth" / "elaborate.ys"
ECP5 = FPGA / "synth" / "ecp5.ys"

# The step that shows every memory of a flat design, for `memories`.
DUMP = "dump t:$mem_v2"

# Folder that the file list names for simulations only; bind files are never listed.
VERIFICATION = "verification"
# Folder of the wrapper after `tmu verilog`, which is ours and not the design's.
WRAPPER = "wrapper"
DOORBELL_PAGE_BITS = 12


def sources(design: Path) -> list[Path]:
    """The files of an elaborated design that are hardware, then the wrappers."""
    return [*hardware(design), *(FPGA / "wrapper" / f"{name}.sv" for name in WRAPPERS)]


def hardware(design: Path) -> list[Path]:
    """The files that an elaborated design lists, without those for simulations only."""
    listed = [Path(line) for line in (design / "filelist.f").read_text().split()]
    kept = [design / file for file in listed if file.parts[0] not in (VERIFICATION, WRAPPER)]
    for file in kept:
        if re.search(r"^\s*(bind|assert|assume|cover)\b", file.read_text(), re.MULTILINE):
            raise CheckFailed(f"{file}: holds an assertion or a bind, and no FPGA build takes one")
    return kept


def address_bits(preset: str) -> int:
    """ADDRESS_BITS of the wrappers: a page's bits and those that number the pages."""
    return DOORBELL_PAGE_BITS + presets.find(preset).queues.bit_length()


def yosys(design: Path, top: str, bits: int, steps: Sequence[str], log: str) -> str:
    """Read `top` with its design, run `steps`, and return the log; a warning is an error.

    Yosys runs in a sandbox that sees the working folder alone, so every path is relative to the
    root, and `design` has to lie below it.
    """
    toolchain.need_yosys()
    files = " ".join(relative(file) for file in sources(design))
    read = [
        f"read_verilog -sv {files}",
        f"hierarchy -check -top {top} -chparam ADDRESS_BITS {bits}",
    ]
    whole = paths.LOGS / f"{log}.yosys"
    with stage.locked(log):
        run_logged(command([*read, *steps], whole), f"yosys on {top}", log, cwd=paths.ROOT)
        return whole.read_text()


def command(steps: Iterable[str], log: Path, excused: Iterable[str] = ()) -> list[str]:
    """Yosys on `steps`, with what it says in `log`; every warning but those excused is an error."""
    # Output after ABC never reaches a redirected stream, hence the log of its own.
    words = ["yosys", "-e", ".", "-q", "-l", relative(log)]
    for warning in excused:
        words += ["-w", warning]
    return [*words, "-p", "; ".join(steps)]


def script(file: Path) -> str:
    """The step that runs a script file."""
    return f"script {relative(file)}"


def relative(file: Path) -> str:
    """A path as Yosys sees it."""
    return os.path.relpath(file, paths.ROOT)


def memories(log: str) -> Counter[tuple[int, int]]:
    """The number of memories of each (words, bits), from a log that ends with DUMP."""
    words = [int(n) for n in re.findall(r"^\s*parameter \\SIZE (\d+)$", log, re.MULTILINE)]
    bits = [int(n) for n in re.findall(r"^\s*parameter \\WIDTH (\d+)$", log, re.MULTILINE)]
    return Counter(zip(words, bits, strict=True))


def cells(log: str) -> dict[str, int]:
    """Cell counts of the last `stat` in a log, whole hierarchy."""
    last = log[log.rindex("Printing statistics") :]
    rows = re.findall(r"^\s+(\d+)\s+([$\w]+)\s*$", last, re.MULTILINE)
    return {name: int(count) for count, name in rows}


def lint(design: Path, top: str, bits: int, folder: Path, log: str) -> None:
    """Verilator with every warning on, but for what is left unused inside the generated design."""
    toolchain.need_verilator()
    waiver = folder / "generated.vlt"
    rules = ("UNUSEDSIGNAL", "PINCONNECTEMPTY")
    waived = [f'lint_off -rule {rule} -file "{design}/*"' for rule in rules]
    waiver.write_text("\n".join(["`verilator_config", *waived, ""]))
    command: list[str | Path] = ["verilator", "--lint-only", "-Wall", f"-GADDRESS_BITS={bits}"]
    command += ["--top-module", top, waiver, *sources(design)]
    with stage.locked(log):
        run_logged(command, f"lint of {top}", log)
