# SPDX-License-Identifier: Apache-2.0
"""Builds MatchUnit of a folder that `./tmu verilog --preset tiny -o FOLDER` wrote; runs a bench.

python3 examples/cocotb/run.py FOLDER, with opentmu installed (pip install -e ./tools), Verilator in
PATH, and the C programs of the checkout built, which any ./tmu run does.
"""

import sys
from pathlib import Path

from opentmu.bench import own

TOP = "MatchUnit"
BENCH = Path(__file__).resolve().with_name("bench_own.py")


def main(design: Path) -> None:
    folder = Path.cwd() / "own_build"
    # A short bench: compiling is all that counts.
    own.build(design, TOP, folder, optimise="-O0")
    print(f"{own.run(folder, TOP, BENCH)} tests passed")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
