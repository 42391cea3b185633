# SPDX-License-Identifier: Apache-2.0
"""The Python environment in build/venv, from the hashed requirements.txt."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from opentmu import paths, stage
from opentmu.errors import ToolMissing
from opentmu.process import run_logged
from opentmu.setup import system

ENVIRONMENT = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}
REQUIREMENTS = paths.ROOT / "requirements.txt"


def key() -> str:
    """The stamp's text; `tmu` compares it without starting Python.

    The checkout's path counts, because an environment holds absolute paths.
    """
    return f"{paths.ROOT}\n{REQUIREMENTS.read_text()}"


def ensure(*, building: bool = True) -> bool:
    """Have the environment; True iff it was made now.

    With `building` the command will build something, so that all system packages are needed.
    """
    if not stage.is_current(paths.VENV, key()):
        # Some of these are needed only later; but then minutes would have passed.
        needed = (name for name in system.CORE if name != "mvn" or not system.is_fetched())
        system.require(*(needed if building else ("python3-venv",)))
        _check_index()
    return stage.ensure(paths.VENV, key(), _make, in_place=True)


def _check_index() -> None:
    """Raise ToolMissing at once where pip would try each package again and again."""
    first = re.search(r"^[\w-]+==\S+", REQUIREMENTS.read_text(), re.MULTILINE)
    if first is None:
        return
    base = getattr(sys, "_base_executable", sys.executable)
    with tempfile.TemporaryDirectory(prefix="tmu-index-") as folder:
        words = [base, "-m", "pip", "download", "-q", "--no-deps", "--retries", "0"]
        words += ["--timeout", "15", "--dest", folder, first[0]]
        environment = {**os.environ, **ENVIRONMENT}
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, check=False, cwd=folder
        )
    said = done.stderr
    # A Python without pip, or one that refuses: what pip of the environment says counts.
    if done.returncode != 0 and ("Could not find a version" in said or "Max retries" in said):
        raise ToolMissing(
            f"pip does not reach the Python package index for {first[0]}: "
            f"{said.strip().splitlines()[-1]}\n"
            "The first call fetches some 1 GB of packages: see that this machine has the network, "
            "and that pip's settings name an index that it reaches."
        )


def _make(folder: Path) -> None:
    environment = ENVIRONMENT
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
    (site / "opentmu.pth").write_text(f"{paths.TOOLS}{os.linesep}")
