# SPDX-License-Identifier: Apache-2.0
"""Starting a program on several ranks of Open MPI, on top of the provider."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import mpirun

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


@dataclass(frozen=True)
class Job:
    """What to run, on which device, and where each rank leaves its files."""

    command: Sequence[str]
    ranks: int
    uri: str
    provider: Path
    files: Path
    spill: int | None = None  # segments of memory lent to each unit; None = all that it takes


def environment(job: Job, callers: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment with what MPI, libfabric and the provider have to know."""
    place = callers.get("FI_PROVIDER_PATH", "")
    lent = {} if job.spill is None else {"TMU_FI_SPILL": str(job.spill)}
    return {
        **callers,
        **lent,
        **mpirun.allowed(),
        **OPEN_MPI,
        "FI_PROVIDER_PATH": f"{job.provider}:{place}" if place else str(job.provider),
        "TMU_URI": job.uri,
        "TMU_FI_REPORT": str(job.files),
        "TMU_FI_RECORD": str(job.files),
    }


def run(job: Job, callers: Mapping[str, str], *, quiet: bool = False) -> int:
    """The program's exit code; it keeps the caller's working folder and streams.

    With `quiet` its output goes to standard error, for standard output is to hold the report alone.
    """
    words = ["mpirun", "-n", str(job.ranks), *job.command]
    return mpirun.run(words, environment(job, callers), sys.stderr if quiet else None)
