# SPDX-License-Identifier: Apache-2.0
"""Packages that a lock file pins by hash, fetched into folders outside the environment."""

from pathlib import Path

from opentmu import paths
from opentmu.errors import ToolMissing
from opentmu.process import run_logged

OPTIONS = ("--require-hashes", "--no-deps", "--progress-bar", "off")
SETTINGS = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}


def pip(words: list[str | Path], lock: Path, title: str, log: str, advice: str) -> None:
    """Run pip on what `lock` pins and nothing else; ToolMissing with its words and `advice`."""
    python = paths.VENV / "bin" / "python"
    command = [python, "-m", "pip", *words, *OPTIONS, "-r", lock]
    try:
        run_logged(command, title, log, env=SETTINGS, failure=ToolMissing)
    except ToolMissing as error:
        raise ToolMissing(f"{error}\n{advice}") from error
