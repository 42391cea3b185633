# SPDX-License-Identifier: Apache-2.0
"""House rules that no formatter checks: licence line, length of files and functions."""

from collections.abc import Iterator
from pathlib import Path

from opentmu import paths
from opentmu.testing import functions
from opentmu.testing.outcome import Outcome

LICENCE = "SPDX-License-Identifier: Apache-2.0"
# The kernel's own licence, for what becomes a part of it.
KERNEL_FOLDER = "sw-driver/kernel/"
KERNEL_LICENCE = "SPDX-License-Identifier: GPL-2.0-only"
SKIPPED_FOLDERS = {"build", "out"}
GENERATED = {
    "sw-driver/include/tmu/tmu_info.h",
    "sw-driver/include/tmu/tmu_key.h",
    "sw-driver/include/tmu/tmu_regs.h",
    "sw-driver/kernel/uapi/tmu_query.h",
    "tools/opentmu/parameters.json",
    "tools/opentmu/regs.py",
    "docs/parameters.md",
    "docs/registers.md",
    "docs/tmu.rdl",
    "fpga/wrapper/tmu_pins.sv",
    "fpga/wrapper/tmu_wrapper.sv",
}
MOST_LINES = {
    ".scala": 300,
    ".py": 300,
    ".c": 400,
    ".h": 400,
    ".cpp": 400,
    ".sc": 300,
    ".sv": 400,
    ".sh": 300,
}


def source_files(root: Path) -> Iterator[Path]:
    """Every hand-written source file below `root`."""
    for entry in sorted(root.iterdir()):
        if entry.name.startswith(".") or (root == paths.ROOT and entry.name in SKIPPED_FOLDERS):
            continue
        if entry.is_dir():
            yield from source_files(entry)
        elif entry.suffix in MOST_LINES:
            yield entry


def complaints(name: str, text: str, most_lines: int) -> list[str]:
    """Complaints about one file."""
    lines = text.splitlines()
    found = []
    expected = (LICENCE, KERNEL_LICENCE) if name.startswith(KERNEL_FOLDER) else (LICENCE,)
    if not any(one in line for line in lines[:3] for one in expected):
        found.append(f"{name}:1: found no licence line, expected '{LICENCE}'")
    if len(lines) > most_lines:
        found.append(f"{name}: found {len(lines)} lines, expected at most {most_lines}")
    return found


def run(log: Path) -> Outcome:
    """Check every hand-written source file; each counts as one test."""
    outcome = Outcome()
    text = ""
    for file in source_files(paths.ROOT):
        name = file.relative_to(paths.ROOT).as_posix()
        if name in GENERATED:
            continue
        source = file.read_text()
        wrong = complaints(name, source, MOST_LINES[file.suffix])
        wrong += functions.complaints(name, source, file.suffix)
        text += "".join(f"{line}\n" for line in wrong)
        outcome.passed += not wrong
        outcome.failures += [name] if wrong else []
    log.write_text(text)
    if outcome.total == 0:
        outcome.failures.append("house-rules found no source file")
    return outcome
