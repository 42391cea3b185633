# SPDX-License-Identifier: Apache-2.0
"""Starting an MPI program as its user would: as root as well, and on few processors."""

import os
from collections.abc import Mapping, Sequence
from typing import IO

from opentmu import children
from opentmu.errors import BadInput


def allowed() -> dict[str, str]:
    """Settings for more ranks than processors, and for root, which mpirun refuses untold."""
    known = {"OMPI_MCA_rmaps_base_oversubscribe": "1"}
    if os.geteuid() == 0:
        known["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
        known["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return known


def run(words: Sequence[str], environment: Mapping[str, str], out: IO[str] | None = None) -> int:
    """The program's exit code; it keeps the caller's working folder and streams, but for `out`."""
    try:
        return children.run(words, env=environment, stdout=out).returncode
    except OSError as error:
        raise BadInput(f"{words[0]}: cannot be started: {error.strerror}.") from error
