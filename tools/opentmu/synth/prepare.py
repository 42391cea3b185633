# SPDX-License-Identifier: Apache-2.0
"""A mapped netlist as placer and router for ECP5 get it."""

import json
from pathlib import Path

from opentmu.errors import CheckFailed
from opentmu.synth import clocknet, copies, spread

# What the router has no option for; it takes it from the netlist. A wire that several nets want
# costs each of them more from round to round, by 2.0 if nothing is said: after fifty rounds no net
# comes near another, and all of them make detours that are wanted again. With 0.5 the last ones get
# their wires before that. And what lies ahead counts 1.25 times as long as it is, which ends the
# search for a way sooner, at a longer one (docs/decisions/0049-timing.md).
ROUTER = {"router2/currCongWeightMult": "0.5", "router2/estimateWeight": "0.75"}


def prepare(source: Path, top: str, to: Path, every: int = 0) -> int:
    """Write a mapped netlist as placer and router get it.

    Wide resets and enables are on the clock network then, and what drives many others has copies.
    Cells that do nothing keep one row in `every` empty, 0 for none; returns how many LUTs those
    take.
    """
    content = json.loads(source.read_text())
    if top not in content["modules"]:
        raise CheckFailed(f"{source}: found no module {top}")
    module = content["modules"][top]
    clocknet.move(module)
    copies.make(module)
    module["settings"] = ROUTER
    empty = spread.fill(module, every) if every else 0
    to.write_text(json.dumps(content))
    return empty
