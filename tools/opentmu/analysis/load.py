# SPDX-License-Identifier: Apache-2.0
"""A trace and the reference model's answers as arrays."""

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opentmu import model_abi as abi
from opentmu import trace
from opentmu.analysis.statistics import Replayed
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed
from opentmu.model import Status
from opentmu.progress import step

# The model holds an array of endpoints; a trace with a greater number is a mistake, not a size.
MOST_ENDPOINTS = 1 << 20


def check(file: Path) -> trace.Trace:
    """The trace; one that the C reader refuses is refused with the reader's sentence."""
    with step(f"reading {file.name}"):
        return trace.load(file)


def replay(file: Path) -> tuple[Replayed, dict[str, str]]:
    """Operations and answers of a replay without limits, and the trace's metadata."""
    folder = cbuild.ensure()
    with step(f"reading {file.name}"):
        read = trace.load(file)
    with step(f"replaying {file.name} through the reference model"):
        verdicts = _verdicts(cbuild.library(folder, "tmu_model_trace"), file, _endpoints(read))
    status = verdicts["status"]
    replayed = Replayed(
        operations=read.ops,
        matched=status == Status.MATCHED,
        queued=status == Status.QUEUED,
        found=status == Status.FOUND,
        cancelled=status == Status.CANCELLED,
        truncated=verdicts["truncated"],
        visited=verdicts["visited"].astype(np.int64),
        removed_posted=verdicts["removed_posted"].astype(np.int64),
        removed_unexpected=verdicts["removed_unexpected"].astype(np.int64),
    )
    return replayed, dict(read.metadata)


def _endpoints(read: trace.Trace) -> int:
    endpoints = int(read.ops["endpoint"].max()) + 1 if len(read.ops) else 1
    if endpoints > MOST_ENDPOINTS:
        raise BadInput(
            f"{read.path}: found endpoint {endpoints - 1}, expected one below {MOST_ENDPOINTS}"
        )
    return endpoints


def _verdicts(library: Path, file: Path, endpoints: int) -> NDArray[Any]:
    """The model's verdicts in trace order, one element of abi.Verdict's layout each."""
    replayer = ctypes.CDLL(os.fspath(library))
    handle = ctypes.c_void_p()
    error = ctypes.create_string_buffer(256)
    arguments = (os.fsencode(file), ctypes.byref(handle), error, ctypes.c_size_t(len(error)))
    if replayer.tmu_trace_read(*arguments) != 0:
        raise BadInput(error.value.decode(errors="replace"))
    replayer.tmu_trace_count.restype = ctypes.c_size_t
    try:
        verdicts = (abi.Verdict * replayer.tmu_trace_count(handle))()
        config = abi.fill(abi.Config(), endpoints=endpoints)
        code = replayer.tmu_model_replay(
            ctypes.byref(config), handle, None, ctypes.byref(verdicts), None
        )
        if code != Status.OK:
            raise CheckFailed(f"the reference model answered {Status(code).name} to {file}")
    finally:
        replayer.tmu_trace_free(handle)
    return np.frombuffer(verdicts, dtype=np.dtype(abi.Verdict))
