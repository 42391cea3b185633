# SPDX-License-Identifier: Apache-2.0
"""System packages: the one list, how each is recognised, and how it is installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from opentmu import paths, pins
from opentmu.errors import ToolMissing
from opentmu.process import run_logged
from opentmu.progress import say
from opentmu.stage import is_current, locked


@dataclass(frozen=True)
class Need:
    """Something that only the system can provide: a program or a C header."""

    name: str
    package: str
    purpose: str
    minimum: int = 0
    version_argument: str = "--version"

    @property
    def is_header(self) -> bool:
        return self.name.endswith(".h")


NEEDS = {
    need.name: need
    for need in (
        Need("python3-venv", "python3-venv", "the Python environment"),
        Need("g++", "g++", "every simulation and the C programs", pins.GXX_MINIMUM),
        Need("make", "make", "compiling what Verilator writes"),
        Need("ccache", "ccache", "compiling Verilator's own sources once"),
        Need("perl", "perl", "starting Verilator"),
        Need("zlib.h", "zlib1g-dev", "reading traces and writing waves"),
        Need("lz4.h", "liblz4-dev", "writing waves"),
        Need("java", "default-jdk-headless", "Mill and Chisel", pins.JAVA_MINIMUM, "-version"),
        Need("mvn", "maven", "fetching Mill, once"),
        Need("mpicc", "libopenmpi-dev", "trace record, mpi", version_argument="--showme:version"),
        Need("mpirun", "openmpi-bin", "trace record, mpi"),
        Need("rdma/fabric.h", "libfabric-dev", "mpi"),
        Need("pkg-config", "pkg-config", "tests of what is installed"),
        Need("groff", "groff-base", "tests of manual pages"),
    )
}


# Needs of building and simulating anything; whoever lacks one of these is told of all of them.
CORE = ("python3-venv", "g++", "make", "ccache", "perl", "zlib.h", "lz4.h", "java", "mvn")


def version_of(need: Need) -> str | None:
    """The version found, `present` where there is none to tell, or None when missing."""
    if need.name == "python3-venv":
        return _module_version()
    if need.is_header:
        return "present" if _compiles(need.name) else None
    program = shutil.which(need.name)
    if program is None:
        return None
    done = subprocess.run(
        [program, need.version_argument], capture_output=True, text=True, check=False
    )
    found = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    if found:
        return found.group()
    return "present" if done.returncode == 0 else None


def is_met(need: Need) -> bool:
    version = version_of(need)
    if version is None:
        return False
    major = re.match(r"\d+", version)
    return need.minimum == 0 or (major is not None and int(major.group()) >= need.minimum)


def install_command(needs: Sequence[Need]) -> str:
    """Command that a person without root types (or asks an administrator to type)."""
    names = " ".join(sorted({need.package for need in needs}))
    return f"sudo apt-get install --no-install-recommends {names}"


def require(*names: str) -> None:
    """Have all these needs met: install what is missing as root, else say what to type.

    Once something is missing, all that later commands would miss is named or installed with it.
    """
    if all(is_met(NEEDS[name]) for name in names):
        return
    missing = [NEEDS[name] for name in dict.fromkeys((*names, *CORE)) if not is_met(NEEDS[name])]
    if is_fetched():
        missing = [need for need in missing if need.name != "mvn" or "mvn" in names]
    listed = ", ".join(f"{need.name} (for {need.purpose})" for need in missing)
    apt = shutil.which("apt-get")
    if os.geteuid() != 0 or apt is None:
        raise ToolMissing(f"Missing on this machine: {listed}.\n{_advice(missing)}")
    say(f"installing system packages for {listed}")
    with locked("apt"):
        _apt_install(apt, [need.package for need in missing])
    still = [need for need in missing if need.name in names and not is_met(need)]
    if still:
        names_left = ", ".join(_with_minimum(need) for need in still)
        raise ToolMissing(f"Still missing after installing its package: {names_left}.")


def is_fetched() -> bool:
    """Whether Mill is there already, for which alone Maven is needed."""
    return is_current(paths.MILL, pins.MILL_SHA256)


def _apt_install(apt: str, packages: Sequence[str]) -> None:
    command = [apt, "install", "-y", "-q", "--no-install-recommends", *packages]
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    title = f"apt-get install {' '.join(packages)}"
    try:
        run_logged(command, title, "apt-install", env=environment, failure=ToolMissing)
    except ToolMissing:
        # The package lists of a fresh machine are empty or old.
        run_logged([apt, "update", "-q"], "apt-get update", "apt-update", failure=ToolMissing)
        run_logged(command, title, "apt-install", env=environment, failure=ToolMissing)


def _advice(missing: Sequence[Need]) -> str:
    if shutil.which("apt-get"):
        return f"Type: {install_command(missing)}"
    packages = " ".join(need.package for need in missing)
    return f"Install the equivalents of these Debian packages: {packages}"


def _with_minimum(need: Need) -> str:
    return f"{need.name} {need.minimum} or newer" if need.minimum else need.name


def _module_version() -> str | None:
    import importlib.util

    return "present" if importlib.util.find_spec("ensurepip") else None


def _compiles(header: str) -> bool:
    compiler = shutil.which("g++") or shutil.which("cc")
    if compiler is None:
        return False
    command = [compiler, "-x", "c++", "-fsyntax-only", "-include", header, "/dev/null"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
