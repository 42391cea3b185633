# SPDX-License-Identifier: Apache-2.0
"""The reference model (the law, R1 to R15) for Python."""

import ctypes
from collections.abc import Callable
from ctypes import c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from opentmu import model_abi as abi
from opentmu import paths, regs
from opentmu.build import cbuild
from opentmu.errors import CheckFailed

NO_RECEIVE_ID = 2**32 - 1


class Status(IntEnum):
    """A verdict of the model; see tmu_model.h."""

    OK = 0
    MATCHED = 1
    QUEUED = 2
    FOUND = 3
    NONE = 4
    CANCELLED = 5
    LATE = 6
    FLUSHED = 7
    REFUSED_QUOTA = 8
    REFUSED_ENDPOINT = 9
    STALLED = 10
    HELD = 11
    NO_MEMORY = 12
    BAD_ARGUMENT = 13


class Queue(IntEnum):
    """The two queues of an endpoint."""

    POSTED = 0
    UNEXPECTED = 1


@dataclass(frozen=True, kw_only=True)
class Key(regs.KeyFields):
    """The selection of a receive, probe, claim or flush; a mask bit of 1 is not compared (R2)."""

    @classmethod
    def mpi(cls, context: int, source: int | None, tag: int | None) -> Self:
        """An MPI key; None is ANY_SOURCE or ANY_TAG (R2)."""
        return cls(
            match=context << 32 | (0 if tag is None else tag & 0xFFFFFFFF),
            ignore=0x7FFFFFFF if tag is None else 0,
            source=0 if source is None else source,
            source_ignore=0xFFFFFFFF if source is None else 0,
        )


EVERYTHING = Key(**{mask: (1 << width) - 1 for _, mask, width, _ in regs.KEY})


@dataclass(frozen=True)
class Verdict(regs.KeyFields):
    """One answer; fields that the status does not name, and masks, are 0."""

    status: Status
    endpoint: int
    serial: int
    handle: int
    other: int
    message_length: int
    receive_length: int
    address: int
    visited: int
    removed_posted: int
    removed_unexpected: int
    truncated: bool


@dataclass(frozen=True)
class Entry:
    """One queued receive or message."""

    key: Key
    endpoint: int
    receive_id: int
    handle: int
    address: int
    length: int
    queue: Queue


def _values(structure: ctypes.Structure, like: type) -> dict[str, Any]:
    """The fields of a C structure by the names of the dataclass `like`."""
    return {field.name: getattr(structure, field.name, 0) for field in fields(like)}


def _entry(raw: abi.Entry) -> Entry:
    values = _values(raw, Entry)
    return Entry(**{**values, "key": Key(**_values(raw.key, Key)), "queue": Queue(raw.queue)})


def _key(key: Key) -> abi.Key:
    return abi.fill(abi.Key(), **vars(key))


class ReferenceModel:
    """Both queues of every endpoint; each method is one atomic step of the law.

    Limits are counted in entries, 0 is no limit: capacities over all endpoints, quotas in each.
    """

    def __init__(
        self,
        endpoints: int,
        *,
        posted_capacity: int = 0,
        unexpected_capacity: int = 0,
        quota_posted: int = 0,
        quota_unexpected: int = 0,
        library: Path | None = None,
    ) -> None:
        self._model = c_void_p()
        self._library = abi.load(library or cbuild.library(paths.C_BUILD, "tmu_model"))
        for status in Status:
            text = status.name.lower().replace("_", " ").encode()
            if self._library.tmu_model_status_text(status) != text:
                raise CheckFailed(f"libtmu_model numbers {status.name} otherwise than {__name__}")
        config = abi.fill(
            abi.Config(),
            endpoints=endpoints,
            posted_capacity=posted_capacity,
            unexpected_capacity=unexpected_capacity,
            quota_posted=quota_posted,
            quota_unexpected=quota_unexpected,
        )
        _check(self._library.tmu_model_create(ctypes.byref(config), ctypes.byref(self._model)))

    def close(self) -> None:
        """Free the model; operations raise ValueError afterwards."""
        self._library.tmu_model_destroy(self._model)
        self._model = c_void_p()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def post(
        self,
        endpoint: int,
        handle: int,
        key: Key,
        *,
        length: int = 0,
        address: int = 0,
        receive_id: int = NO_RECEIVE_ID,
    ) -> Verdict:
        """Take the oldest matching message or queue the receive (R4, R5)."""
        receive = abi.fill(
            abi.Receive(key=_key(key)),
            endpoint=endpoint,
            receive_id=receive_id,
            handle=handle,
            address=address,
            length=length,
        )
        return self._answer(self._library.tmu_model_post, ctypes.byref(receive))

    def arrive(
        self,
        endpoint: int,
        handle: int,
        match: int,
        source: int,
        *,
        length: int = 0,
        place: int = 0,
        **others: int,
    ) -> Verdict:
        """Take the oldest matching receive or queue the message (R3, R6).

        `others` are the values of the key's other fields.
        """
        message = abi.fill(
            abi.Message(),
            endpoint=endpoint,
            handle=handle,
            match=match,
            source=source,
            length=length,
            place=place,
            **others,
        )
        return self._answer(self._library.tmu_model_arrive, ctypes.byref(message))

    def probe(self, endpoint: int, handle: int, key: Key) -> Verdict:
        """Report the oldest matching message (R8)."""
        search = self._search(endpoint, handle, key)
        return self._answer(self._library.tmu_model_probe, ctypes.byref(search))

    def claim(self, endpoint: int, handle: int, key: Key) -> Verdict:
        """Take the oldest matching message (R9)."""
        search = self._search(endpoint, handle, key)
        return self._answer(self._library.tmu_model_claim, ctypes.byref(search))

    def cancel(self, endpoint: int, handle: int, target: int) -> Verdict:
        """Remove the queued receive with the caller's handle `target` (R10)."""
        abi.number(c_uint64, "target", target)
        return self._cancel(self._library.tmu_model_cancel, endpoint, handle, target)

    def cancel_id(self, endpoint: int, handle: int, receive_id: int) -> Verdict:
        """Remove the queued receive with the driver's id `receive_id` (R10)."""
        abi.number(c_uint32, "receive_id", receive_id)
        return self._cancel(self._library.tmu_model_cancel_id, endpoint, handle, receive_id)

    def flush(
        self, endpoint: int, handle: int, key: Key = EVERYTHING
    ) -> tuple[Verdict, list[Entry]]:
        """Remove what `key` selects; the removed entries come in the order of R14's reports."""
        removed: list[Entry] = []
        report = abi.Report(lambda _, entry: removed.append(_entry(entry.contents)))
        search = self._search(endpoint, handle, key)
        verdict = self._answer(self._library.tmu_model_flush, ctypes.byref(search), report, None)
        return verdict, removed

    def entries(self, endpoint: int, queue: Queue) -> list[Entry]:
        """A queue's entries, oldest first; none for an endpoint that does not exist."""
        result: list[Entry] = []
        raw = abi.Entry()
        inspect = self._library.tmu_model_inspect
        abi.number(c_uint32, "endpoint", endpoint)
        while inspect(self._model, endpoint, queue, len(result), ctypes.byref(raw)) == Status.OK:
            result.append(_entry(raw))
        return result

    def depth(self, endpoint: int, queue: Queue) -> int:
        """Entries queued now."""
        abi.number(c_uint32, "endpoint", endpoint)
        return int(self._library.tmu_model_depth(self._model, endpoint, queue))

    def set_quota(self, endpoint: int, posted: int, unexpected: int) -> Status:
        """Replace one endpoint's quotas; 0 is no limit."""
        return self._limits(self._library.tmu_model_set_quota, endpoint, posted, unexpected)

    def set_reserve(self, endpoint: int, posted: int, unexpected: int) -> Status:
        """Replace one endpoint's reserves: slots of the capacities that are kept for it."""
        return self._limits(self._library.tmu_model_set_reserve, endpoint, posted, unexpected)

    def reset(self) -> None:
        """Empty all queues (R14)."""
        self._library.tmu_model_reset(self._model)

    def stats(self) -> dict[str, int]:
        """The counters and depths of tmu_model_stats_t by name."""
        raw = abi.Stats()
        self._library.tmu_model_stats(self._model, ctypes.byref(raw))
        return {name: getattr(raw, name) for name, *_ in abi.Stats._fields_}

    def _search(self, endpoint: int, handle: int, key: Key) -> abi.Search:
        return abi.fill(abi.Search(key=_key(key)), endpoint=endpoint, handle=handle)

    def _cancel(
        self, function: Callable[..., int], endpoint: int, handle: int, target: int
    ) -> Verdict:
        abi.number(c_uint32, "endpoint", endpoint)
        abi.number(c_uint64, "handle", handle)
        return self._answer(function, endpoint, handle, target)

    def _limits(self, call: Callable[..., int], endpoint: int, *limits: int) -> Status:
        abi.number(c_uint32, "endpoint", endpoint)
        for name, limit in zip(("posted", "unexpected"), limits, strict=True):
            abi.number(c_uint64, name, limit)
        return _check(call(self._model, endpoint, *limits))

    def _answer(self, function: Callable[..., int], *arguments: object) -> Verdict:
        raw = abi.Verdict()
        status = _check(function(self._model, *arguments, ctypes.byref(raw)))
        return Verdict(**{**_values(raw, Verdict), "status": status})


def _check(number: int) -> Status:
    status = Status(number)
    if status is Status.NO_MEMORY:
        raise MemoryError("the reference model has no memory left")
    if status is Status.BAD_ARGUMENT:
        raise ValueError("the reference model refuses an argument, or is closed")
    return status
