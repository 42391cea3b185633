# SPDX-License-Identifier: Apache-2.0
"""A large design mapped in pieces: each module that keeps its border in a run of its own.

Together they would take more than the 4 GB that Yosys as a WebAssembly program can address. Within
a piece the modules of the others are boxes without content, and the netlist joins all of them.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from opentmu.build import fpga

# Maps what the steps have read, under the name of its piece.
Run = Callable[[list[str], str], None]


def mapped(checkpoint: Path, order: Sequence[str], script: str, to: Path, run: Run) -> None:
    """Map each module of `order` from Yosys' file `checkpoint`, and join them in the netlist `to`.

    `order` holds the top and the modules with borders; what lies between belongs to the outer one.
    """
    joined: dict[str, Any] = {}
    for piece in order:
        one = to.with_name(f"{piece}.json")
        others = [name for name in order if name != piece]
        run([*read(checkpoint, piece, others), script, f"write_json {fpga.relative(one)}"], piece)
        modules = json.loads(one.read_text())["modules"]
        joined |= {name: content for name, content in modules.items() if name not in others}
        one.unlink()
    to.write_text(json.dumps({"modules": joined}))


def read(checkpoint: Path, top: str, boxes: Sequence[str] = ()) -> list[str]:
    """The steps that leave the design from `top` on, with the modules of `boxes` empty."""
    # Yosys takes `blackbox` without names for all modules.
    empty = [f"blackbox {' '.join(boxes)}"] if boxes else []
    return [f"read_rtlil {fpga.relative(checkpoint)}", *empty, f"hierarchy -top {top}"]
