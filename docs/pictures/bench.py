# SPDX-License-Identifier: Apache-2.0
"""Draws bench-*.svg from bench.json, bench-queues.json and bench-spill.json beside it.

bench.json holds the cells of `./tmu bench --json`, without what the plots do not show,
bench-queues.json those of `./tmu bench --queues --json`, bench-spill.json those of
`./tmu bench --spill --json`. Needs the interpreter in build/venv/bin.
"""

import json
from pathlib import Path

from opentmu import regs
from opentmu.benchmark import plot, plot_spill

HERE = Path(__file__).parent


def main() -> None:
    cells = json.loads((HERE / "bench.json").read_text())
    array = regs.PRESETS["nic"].array_entries
    loads = json.loads((HERE / "bench-queues.json").read_text())
    files = [*plot.write(HERE, cells, [], None, array), *plot.write_queues(HERE, loads)]
    files += plot_spill.write(HERE, json.loads((HERE / "bench-spill.json").read_text()))
    for file in files:
        if file.suffix == ".png":
            file.unlink()


if __name__ == "__main__":
    main()
