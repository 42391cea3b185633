# SPDX-License-Identifier: Apache-2.0
"""The Python environment in build/venv, from the hashed requirements.txt."""

import os
import sys
from pathlib import Path

from opentmu import paths, stage
from opentmu.errors import ToolMissing
from opentmu.process import run_logged
from opentmu.setup import system

REQUIREMENTS = paths.ROOT / "requirements.txt"


def key() -> str:
    """The stamp's text; `tmu` compares it without starting Python.

    The checkout's place counts, because an environment holds absolute paths.
    """
    return f"{paths.ROOT}\n{REQUIREMENTS.read_text()}"


def ensure() -> bool:
    """Have the environment; True iff it was made now."""
    if not stage.is_current(paths.VENV, key()):
        system.require("python3-venv")
    return stage.ensure(paths.VENV, key(), _make, in_place=True)


def _make(folder: Path) -> None:
    environment = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}
    base = getattr(sys, "_base_executable", sys.executable)
    run_logged(
        [base, "-m", "venv", folder],
        "creating the Python environment",
        "venv",
        env=environment,
        failure=ToolMissing,
    )
    python = folder / "bin" / "python"
    pip_options = ["--require-hashes", "--only-binary", ":all:", "--progress-bar", "off", "-r"]
    run_logged(
        [python, "-m", "pip", "install", *pip_options, REQUIREMENTS],
        "installing the Python packages into build/venv",
        "pip",
        env=environment,
        failure=ToolMissing,
    )
    site = next((folder / "lib").glob("python*/site-packages"))
    # pytest, cocotb and the typed tools find the package without environment variables.
    (site / "opentmu.pth").write_text(f"{paths.SIM}{os.linesep}")
