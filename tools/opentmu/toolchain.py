# SPDX-License-Identifier: Apache-2.0
"""Having the tools and starting them: every build asks here first."""

import os
import sys
from functools import cache

from opentmu import paths, stage
from opentmu.errors import BadInput
from opentmu.process import run_logged
from opentmu.setup import mill, shims, system

PARALLEL_JOBS = max(1, min(4, os.cpu_count() or 1))


def need_compiler() -> None:
    """Require the tools of C programs (CMake and Ninja are in the Python environment)."""
    system.require("g++", "make", "zlib.h")
    use_path()


def need_verilator(*, wave: bool = False) -> None:
    """Require the tools of simulations; BadInput where make could not follow paths."""
    if any(character.isspace() for character in str(paths.ROOT)):
        raise BadInput(
            f"{paths.ROOT}: found a space in the checkout's path, expected none: Verilator's "
            "makefiles break paths there. Elaboration, the model and the software engines work; "
            "for a simulation move the checkout"
        )
    system.require("g++", "make", "ccache", "perl", "zlib.h", *(["lz4.h"] if wave else []))
    shims.ensure()
    use_path()


def need_mill() -> None:
    """Require the tools of Chisel."""
    system.require("java")
    mill.ensure()
    shims.ensure()
    use_path()


def need_yosys() -> None:
    """Require the tools of proofs and synthesis."""
    shims.ensure()
    use_path()
    need_compiled("yosys")


@cache
def need_compiled(program: str) -> None:
    """Start a WebAssembly program once.

    Its first start compiles it for this machine, which two must not do at once.
    """
    with stage.locked(program):
        run_logged([program, "--version"], f"starting {program}", f"{program}-version")


def need_mpi() -> None:
    """Require the compiler and starter of MPI programs, recorded or run on the unit; only then.

    PATH stays the caller's, for the program is the caller's too.
    """
    system.require("mpicc", "mpirun")


def use_path() -> None:
    """Put the pinned tools first on this process's PATH, once, for all that it starts."""
    wanted = [str(paths.BIN), str(paths.VENV / "bin")]
    old = os.environ.get("PATH", os.defpath).split(os.pathsep)
    new = wanted + [folder for folder in old if folder not in wanted]
    os.environ["PATH"] = os.pathsep.join(new)
    os.environ.setdefault("MAKEFLAGS", shims.MAKE_VARIABLES)
    os.environ.update(shims.CCACHE)
    # cocotb embeds Python: it must be the environment's.
    os.environ["VIRTUAL_ENV"] = sys.prefix
