# SPDX-License-Identifier: Apache-2.0
"""Draws bench-*.svg from bench.json and the other bench-*.json beside it.

bench.json holds the cells of `./tmu bench --json`, without what the plots do not show,
bench-queues.json those of `./tmu bench --queues --json`, bench-spill.json those of
`./tmu bench --spill --json`, bench-isolation.json those of
`./tmu bench --isolation --json`, bench-mpi.json those of
`./tmu bench --mpi --preset tiny --json`. bench-engines.json is what tmu-engine-bench printed,
bench-clocks.json what `./tmu synth --json` did, both without what the plots do not show.
Needs the interpreter in build/venv/bin.
"""

import json
from pathlib import Path

from opentmu import regs
from opentmu.benchmark import clock, plot, plot_depth, plot_isolation, plot_messages, plot_spill

HERE = Path(__file__).parent


def main() -> None:
    cells = json.loads((HERE / "bench.json").read_text())
    array = regs.PRESETS["nic"].array_entries
    loads = json.loads((HERE / "bench-queues.json").read_text())
    files = [*plot.write(HERE, cells, [], None, array), *plot.write_queues(HERE, loads)]
    beyond = json.loads((HERE / "bench-spill.json").read_text())
    engines = json.loads((HERE / "bench-engines.json").read_text())["cells"]
    units = [plot_depth.Unit(beyond, clock.clock_from(HERE / "bench-clocks.json", "nic"))]
    files += [*plot_spill.write(HERE, beyond), *plot_depth.write(HERE, units, engines)]
    attacks = json.loads((HERE / "bench-isolation.json").read_text())
    files += plot_isolation.write(HERE, attacks)
    files += plot_messages.write(HERE, json.loads((HERE / "bench-mpi.json").read_text()))
    for file in files:
        if file.suffix == ".png":
            file.unlink()


if __name__ == "__main__":
    main()
