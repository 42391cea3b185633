# SPDX-License-Identifier: Apache-2.0
"""Starting a program on several ranks of an MPI, on top of the provider."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import mpirun, presets
from opentmu.mpi.library import Library
from opentmu.replay import engine as replay

# The functional device with the best software engine as its matcher.
SOFTWARE = "software"
ENGINES = (*replay.DEVICES, SOFTWARE)


@dataclass(frozen=True)
class Job:
    """Program to run, its device, and the folder where each rank leaves its files."""

    command: Sequence[str]
    ranks: int
    uri: str
    provider: Path
    files: Path
    library: Library
    spill: int | None = None  # segments of memory for each unit; None = all that it takes
    network: str | None = None  # of the cards that carry the messages; None = they travel by tcp
    retransmit: int | None = None  # microseconds of the cards' clock; None = the provider's


def uri(engine: str, preset: str, device: Path | None) -> str:
    """The device of a rank; `device` is the simulation of the engine rtl."""
    if engine == SOFTWARE:
        return presets.functional(preset, "fuzzy")
    return replay.uri(replay.Options(engine, preset), device, None)


def environment(job: Job, callers: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment with what MPI, libfabric and the provider have to know."""
    searched = callers.get("FI_PROVIDER_PATH", "")
    registered = {} if job.spill is None else {"TMU_FI_SPILL": str(job.spill)}
    return {
        **job.library.environment(callers),
        **registered,
        **({} if job.network is None else {"TMU_FI_ADDRESS": job.network}),
        **({} if job.retransmit is None else {"TMU_FI_RETRANSMIT": str(job.retransmit)}),
        "FI_PROVIDER_PATH": f"{job.provider}:{searched}" if searched else str(job.provider),
        "TMU_URI": job.uri,
        "TMU_FI_REPORT": str(job.files),
        "TMU_FI_RECORD": str(job.files),
    }


def words(job: Job) -> list[str]:
    """Command line that starts the ranks."""
    return [str(job.library.starter), "-n", str(job.ranks), *job.command]


def run(job: Job, callers: Mapping[str, str], *, quiet: bool = False) -> int:
    """The program's exit code; it keeps the caller's working folder and streams.

    With `quiet` its output goes to standard error, for standard output is to hold the report alone.
    """
    return mpirun.run(words(job), environment(job, callers), sys.stderr if quiet else None)
