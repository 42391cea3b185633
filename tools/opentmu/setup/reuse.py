# SPDX-License-Identifier: Apache-2.0
"""The checker of licence lines in build/reuse, fetched when it is first needed.

It is not among the packages of the environment: its wheels are for one version of Python and a
recent glibc, and a machine without them has to be able to do everything else.
"""

from pathlib import Path

from opentmu import paths, stage
from opentmu.setup import pinned

LOCK = Path(__file__).with_suffix(".lock")
PLACE = paths.BUILD / "reuse"


def ensure() -> Path:
    """A folder for PYTHONPATH in which `python -m reuse` is found; ToolMissing without a wheel."""
    stage.ensure(PLACE, stage.hash_of([LOCK]), _make)
    return PLACE


def _make(folder: Path) -> None:
    advice = "It is a wheel for CPython 3.11 on x86-64 with glibc 2.36 or newer."
    words: list[str | Path] = ["install", "--only-binary", ":all:", "--target", folder]
    pinned.pip(words, LOCK, "fetching the checker of licence lines", "pip-reuse", advice)
