# SPDX-License-Identifier: Apache-2.0
"""Draws bench-*.svg from bench.json and bench-queues.json beside this file.

bench.json holds the cells of `./tmu bench --json`, without what the plots do not show,
bench-queues.json those of `./tmu bench --queues --json`. Needs the interpreter in build/venv/bin.
"""

import json
from pathlib import Path

from opentmu import regs
from opentmu.benchmark import plot

HERE = Path(__file__).parent


def main() -> None:
    cells = json.loads((HERE / "bench.json").read_text())
    array = regs.PRESETS["nic"].array_entries
    loads = json.loads((HERE / "bench-queues.json").read_text())
    files = [*plot.write(HERE, cells, [], None, array), *plot.write_queues(HERE, loads)]
    for file in files:
        if file.suffix == ".png":
            file.unlink()


if __name__ == "__main__":
    main()
