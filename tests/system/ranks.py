# SPDX-License-Identifier: Apache-2.0
"""MPI jobs in the virtual machine: MPICH, the provider, and a session of the unit for each rank."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opentmu.mpi import check, launch, library, provider

from .sessions import URI

RANKS = 2
# Two jobs and their buffers, beside the file system, which lies in memory as well.
MEMORY_MB = 1024
# Folder of the guest in which each job leaves its files, in a folder of its own.
LEFT = Path("/left")
# Hydra and the ranks find each other by the name of the machine.
NETWORK = """ifconfig lo 127.0.0.1 up
hostname guest
mkdir -p /etc /dev/shm
mount -t tmpfs none /dev/shm
echo 127.0.0.1 localhost guest >/etc/hosts
"""
# The line before each file that the guest sends.
HEAD = "==== "
SEND = f'for file in {LEFT}/*/*; do echo "{HEAD}$file"; cat "$file"; done >/dev/ttyS2\n'


def programs(chosen: library.Library) -> list[Path]:
    """Programs that start ranks; the second is looked for beside the first."""
    return [chosen.starter, chosen.starter.with_name("hydra_pmi_proxy")]


def files() -> dict[str, Path]:
    """The provider, by the path that it has here."""
    file = provider.folder() / provider.NAME
    return {str(file).lstrip("/"): file}


def start(name: str, command: Sequence[str], chosen: library.Library) -> str:
    """A job of two ranks as a command of the guest's shell; it leaves its files under its name."""
    there = replace(chosen, starter=Path("/bin") / chosen.starter.name, libraries=Path("/lib"))
    target = LEFT / name
    uri = f"{URI}?endpoints=1"
    job = launch.Job(command, RANKS, uri, provider.folder(), target, there)
    settings = launch.environment(job, {"PATH": "/bin", "TMPDIR": "/tmp"})
    words = [*(f"{key}={value}" for key, value in settings.items()), *launch.words(job)]
    return f"mkdir -p {target}; env {shlex.join(words)}"


def reports(sent: str, name: str, folder: Path) -> list[check.Report]:
    """The reports of a job's ranks, judged, from what the guest sent."""
    target = folder / name
    target.mkdir()
    for part in ("\n" + sent).split(f"\n{HEAD}")[1:]:
        file, _, text = part.partition("\n")
        if Path(file).parent == LEFT / name:
            (target / Path(file).name).write_text(text if text.endswith("\n") else f"{text}\n")
    return check.reports(target)
