# SPDX-License-Identifier: Apache-2.0
"""PeakRDL's writer of IP-XACT in build/ipxact, for `tmu verilog`; a tool, and no part of the unit.

It uses the SystemRDL compiler of build/venv, and nothing of it gets in there.
"""

from pathlib import Path

from opentmu import paths, stage
from opentmu.setup import pinned

LOCK = Path(__file__).with_suffix(".lock")
PLACE = paths.BUILD / "ipxact"


def ensure() -> Path:
    """A folder for the module search path; fetched when it is first needed."""
    stage.ensure(PLACE, stage.hash_of([LOCK]), _make)
    return PLACE


def _make(folder: Path) -> None:
    advice = (
        "peakrdl-ipxact comes from the Python package index.\n"
        "See that pip reaches the index and type the command again, "
        "or leave IP-XACT out with --no-ipxact."
    )
    words: list[str | Path] = ["install", "--only-binary", ":all:", "--target", folder]
    pinned.pip(words, LOCK, "fetching peakrdl-ipxact into build/ipxact", "pip-ipxact", advice)
