# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams: WaveDrom's JSON in docs/timing, drawn as SVG beside it."""

import os
import subprocess
import sys
from pathlib import Path

from opentmu import paths
from opentmu.errors import CheckFailed
from opentmu.setup import pinned

FOLDER = paths.ROOT / "docs" / "timing"
DRAW = """import sys, wavedrom
for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    wavedrom.render(open(source).read()).saveas(target)
"""


def draw(target: Path, folder: Path = FOLDER) -> list[Path]:
    """Draw every diagram of `folder` into `target`; the files that were written."""
    pairs = [(one, target / f"{one.stem}.svg") for one in sorted(folder.glob("*.json"))]
    words = [str(file) for pair in pairs for file in pair]
    environment = {**os.environ, "PYTHONPATH": str(pinned.SITE.ensure())}
    command = [sys.executable, "-P", "-c", DRAW, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckFailed(f"{folder}: WaveDrom does not draw it:\n{done.stderr.strip()}")
    return [drawn for _, drawn in pairs]
