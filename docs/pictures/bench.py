# SPDX-License-Identifier: Apache-2.0
"""Draws bench-rate.svg, bench-latency.svg and bench-pairs.svg from bench.json beside this file.

bench.json holds the cells of `./tmu bench --json`, without what the plots do not show. Needs the
interpreter in build/venv/bin.
"""

import json
from pathlib import Path

from opentmu import regs
from opentmu.benchmark import plot

HERE = Path(__file__).parent


def main() -> None:
    cells = json.loads((HERE / "bench.json").read_text())
    array = regs.PRESETS["nic"].array_entries
    for file in plot.write(HERE, cells, [], None, array):
        if file.suffix == ".png":
            file.unlink()


if __name__ == "__main__":
    main()
