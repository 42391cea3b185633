# SPDX-License-Identifier: Apache-2.0
"""A mapped netlist as the placer for ECP5 gets it."""

import json
from pathlib import Path

from opentmu.errors import CheckFailed
from opentmu.synth import clocknet, spread


def prepare(source: Path, top: str, to: Path, *, room: bool) -> int:
    """Write a mapped netlist as the placer gets it: wide resets and enables on the clock network.

    With `room`, cells that do nothing keep places empty; returns how many LUTs those take.
    """
    content = json.loads(source.read_text())
    if top not in content["modules"]:
        raise CheckFailed(f"{source}: found no module {top}")
    module = content["modules"][top]
    clocknet.move(module)
    empty = spread.fill(module) if room else 0
    to.write_text(json.dumps(content))
    return empty
