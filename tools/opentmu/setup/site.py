# SPDX-License-Identifier: Apache-2.0
"""The generator of the documents' site and WaveDrom in build/site-tools, fetched at first use.

They are not among the packages of the environment: only `tmu docs` needs them.
"""

from pathlib import Path

from opentmu import paths, stage
from opentmu.setup import pinned

LOCK = Path(__file__).with_suffix(".lock")
FOLDER = paths.BUILD / "site-tools"


def ensure() -> Path:
    """A folder for PYTHONPATH with `mkdocs` and `wavedrom`; ToolMissing when pip fails."""
    stage.ensure(FOLDER, stage.hash_of([LOCK]), _make)
    return FOLDER


def _make(folder: Path) -> None:
    advice = "The wheels are for CPython 3.11 on x86-64; see that pip reaches its index."
    words: list[str | Path] = ["install", "--only-binary", ":all:", "--no-binary", "wavedrom"]
    words += ["--target", folder]
    pinned.pip(words, LOCK, "fetching the generator of the site", "pip-site", advice)
