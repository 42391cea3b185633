# SPDX-License-Identifier: Apache-2.0
"""The recorder (tools/recorder), built for the Open MPI of this machine when first needed."""

import subprocess
from pathlib import Path

from opentmu import paths
from opentmu.build import cbuild
from opentmu.process import run_logged
from opentmu.setup.system import require
from opentmu.stage import ensure, hash_of

SOURCES = paths.TOOLS / "recorder"
NAME = "libtmu-record.so"
EXPORTS = SOURCES / "recorder.map"
# The library is loaded into every program that is recorded, some of which use libtmu.
FLAGS = (*cbuild.LIBRARY_FLAGS, *cbuild.exports(EXPORTS))


def library() -> Path:
    """Path of the library, which is built when the sources or the MPI have changed.

    Missing MPI packages are installed as root; otherwise ToolMissing says what to type.
    """
    require("mpicc", "mpirun")
    target = paths.BUILD / "record"
    shown = subprocess.run(["mpicc", "-show"], capture_output=True, text=True, check=False).stdout
    version = subprocess.run(
        ["mpicc", "--version"], capture_output=True, text=True, check=False
    ).stdout
    ensure(target, hash_of([SOURCES, shown, version, *FLAGS]), _compile)
    return target / NAME


def _compile(folder: Path) -> None:
    sources = sorted(SOURCES.glob("*.c"))
    command: list[str | Path] = ["mpicc", *FLAGS, "-o", folder / NAME, *sources]
    command += ["-ldl", "-lpthread"]
    run_logged(command, "building the MPI recorder", "record-build")
