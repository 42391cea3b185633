# SPDX-License-Identifier: Apache-2.0
"""Traces as numpy arrays, read by the C reader so that there is one parser only."""

import ctypes
import os
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from opentmu import paths, regs
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed

NO_TIME = 2**64 - 1
_ERROR_SIZE = 8192  # TMU_TRACE_ERROR_MAX

OP = np.dtype(
    [
        ("id", "<u8"),  # msg of an arrival, req of every other kind
        ("target", "<u8"),  # a cancel's
        ("match", "<u8"),
        ("ignore", "<u8"),
        ("bytes", "<u8"),
        ("time_ns", "<u8"),  # NO_TIME where the line has none
        ("line", "<u8"),
        ("endpoint", "<u4"),
        ("source", "<u4"),
        ("source_ignore", "<u4"),
        ("kind", "u1"),  # a Kind
        ("raw", "u1"),
        ("reserved", "u1", (2,)),
        # Fields of the key beyond match bits and source.
        *((name, f"<u{bits // 8}") for *names, bits, _ in regs.KEY[2:] for name in names),
    ],
    align=True,
)


class Kind(IntEnum):
    """Kinds of operation; a raw form has the kind of its MPI form."""

    POST = 1
    ARRIVE = 2
    PROBE = 3
    CLAIM = 4
    CANCEL = 5
    FLUSH = 6


class TraceError(BadInput):
    """A trace that is refused; the text is `FILE:LINE: found ..., expected ...`."""


@dataclass(frozen=True)
class Trace:
    """A whole trace: one element of `ops` (of dtype OP) an operation, in file order."""

    path: Path
    ops: NDArray[np.void]
    metadata: tuple[tuple[str, str], ...]

    def value(self, name: str) -> str | None:
        """The value of the first metadata line with this name."""
        return next((value for key, value in self.metadata if key == name), None)


def load(path: Path | str, library: Path | None = None) -> Trace:
    """Read a trace, plain or gzipped; raises TraceError with the reader's sentence.

    `library` is libtmu_trace.so, by default the one that the C build made.
    """
    reader = _library(library or cbuild.library(paths.C_BUILD, "tmu_trace"))
    handle = ctypes.c_void_p()
    error = ctypes.create_string_buffer(_ERROR_SIZE)
    if reader.tmu_trace_read(os.fsencode(path), ctypes.byref(handle), error, _ERROR_SIZE) != 0:
        raise TraceError(error.value.decode(errors="replace"))
    try:
        return Trace(Path(path), _ops(reader, handle), _metadata(reader, handle))
    finally:
        reader.tmu_trace_free(handle)


def _ops(reader: ctypes.CDLL, handle: ctypes.c_void_p) -> NDArray[np.void]:
    size = reader.tmu_trace_count(handle) * OP.itemsize
    data = ctypes.string_at(reader.tmu_trace_ops(handle), size) if size else b""
    return np.frombuffer(bytearray(data), dtype=OP)


def _metadata(reader: ctypes.CDLL, handle: ctypes.c_void_p) -> tuple[tuple[str, str], ...]:
    def text(raw: bytes) -> str:
        return raw.decode(errors="replace")

    return tuple(
        (
            text(reader.tmu_trace_metadata_name(handle, index)),
            text(reader.tmu_trace_metadata_value(handle, index)),
        )
        for index in range(reader.tmu_trace_metadata_count(handle))
    )


@cache
def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(os.fspath(path))
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    library.tmu_trace_read.argtypes = [text, ctypes.POINTER(pointer), text, size]
    library.tmu_trace_read.restype = ctypes.c_int
    library.tmu_trace_free.argtypes = [pointer]
    library.tmu_trace_free.restype = None
    library.tmu_trace_count.argtypes = [pointer]
    library.tmu_trace_count.restype = size
    library.tmu_trace_ops.argtypes = [pointer]
    library.tmu_trace_ops.restype = pointer
    library.tmu_trace_metadata_count.argtypes = [pointer]
    library.tmu_trace_metadata_count.restype = size
    for get in (library.tmu_trace_metadata_name, library.tmu_trace_metadata_value):
        get.argtypes = [pointer, size]
        get.restype = text
    library.tmu_trace_kind_name.argtypes = [ctypes.c_uint]
    library.tmu_trace_kind_name.restype = text
    for kind in Kind:
        if library.tmu_trace_kind_name(kind) != kind.name.lower().encode():
            raise CheckFailed(f"{path} numbers the kind {kind.name} otherwise than {__name__}")
    return library
