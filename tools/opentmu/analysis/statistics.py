# SPDX-License-Identifier: Apache-2.0
"""Figures of one trace that the reference model has replayed without limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opentmu.trace import NO_TIME, Kind

ANY_TAG = 0x7FFFFFFF
ANY_SOURCE = 0xFFFFFFFF

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Replayed:
    """Operations and what the model answered to each, in trace order.

    `operations` has the fields of the trace reader's C structure.
    """

    operations: NDArray[Any]
    matched: Booleans
    queued: Booleans
    found: Booleans
    cancelled: Booleans
    truncated: Booleans
    visited: Integers
    removed_posted: Integers
    removed_unexpected: Integers


@dataclass(frozen=True)
class Depths:
    """Of each operation: entries in the two queues of its endpoint when it came."""

    posted: Integers
    unexpected: Integers

    # The same of all endpoints together, which share the tables of a unit.
    all_posted: Integers
    all_unexpected: Integers


def statistics(replayed: Replayed, metadata: Mapping[str, str]) -> dict[str, Any]:
    """All figures as one JSON object."""
    operations = replayed.operations
    kind = operations["kind"]
    kinds = {member.name.lower(): member for member in Kind}
    seen = depths(replayed)
    arrivals = kind == Kind.ARRIVE
    posts = kind == Kind.POST
    return {
        "metadata": dict(metadata),
        "operations": len(operations),
        "by_kind": {name: int(np.sum(kind == number)) for name, number in kinds.items()},
        "raw": int(np.sum(operations["raw"] != 0)),
        "endpoints": len(np.unique(operations["endpoint"])),
        "timed": bool(np.all(operations["time_ns"] != np.uint64(NO_TIME))),
        "matches": int(np.sum(replayed.matched)),
        "truncated": int(np.sum(replayed.truncated)),
        "unexpected_share": _share(arrivals & replayed.queued, arrivals),
        "found_unexpected_share": _share(posts & replayed.matched, posts),
        "depth": {
            "posted": _distribution(seen.posted[arrivals]),
            "unexpected": _distribution(seen.unexpected[_searches_unexpected(kind)]),
        },
        "endpoint_depth_max": {
            "posted": _greatest(seen.posted, replayed.queued & posts),
            "unexpected": _greatest(seen.unexpected, replayed.queued & arrivals),
        },
        "depth_max": {
            "posted": _greatest(seen.all_posted, replayed.queued & posts),
            "unexpected": _greatest(seen.all_unexpected, replayed.queued & arrivals),
        },
        "search_position": {
            queue: _distribution(values) for queue, values in positions(replayed).items()
        },
        "wildcards": wildcards(operations),
        "bits": bits(operations),
    }


def positions(replayed: Replayed) -> dict[str, Integers]:
    """Of each search that hit: how many entries it visited, the hit included, by queue."""
    kind = replayed.operations["kind"]
    hit = replayed.matched | replayed.found
    return {
        "posted": replayed.visited[(kind == Kind.ARRIVE) & replayed.matched],
        "unexpected": replayed.visited[_searches_unexpected(kind) & hit],
    }


def depths(replayed: Replayed) -> Depths:
    """Queue lengths from the changes that each operation makes, endpoint by endpoint."""
    kind = replayed.operations["kind"]
    takes_message = ((kind == Kind.POST) | (kind == Kind.CLAIM)) & replayed.matched
    posted = ((kind == Kind.POST) & replayed.queued).astype(np.int64)
    posted -= (kind == Kind.ARRIVE) & replayed.matched
    posted -= replayed.cancelled
    posted -= replayed.removed_posted
    unexpected = ((kind == Kind.ARRIVE) & replayed.queued).astype(np.int64)
    unexpected -= takes_message
    unexpected -= replayed.removed_unexpected
    order = np.argsort(replayed.operations["endpoint"], kind="stable")
    groups = replayed.operations["endpoint"][order]
    return Depths(
        _before(posted, order, groups),
        _before(unexpected, order, groups),
        np.cumsum(posted) - posted,
        np.cumsum(unexpected) - unexpected,
    )


def wildcards(operations: NDArray[Any]) -> dict[str, float | None]:
    """Shares among the operations that select messages (post, probe, claim)."""
    selects = np.isin(operations["kind"], (Kind.POST, Kind.PROBE, Kind.CLAIM))
    any_source = operations["source_ignore"] == ANY_SOURCE
    any_tag = operations["ignore"] == ANY_TAG
    other = (operations["ignore"] != 0) & ~any_tag
    other |= (operations["source_ignore"] != 0) & ~any_source
    return {
        "any_source_only": _share(selects & any_source & ~any_tag & ~other, selects),
        "any_tag_only": _share(selects & any_tag & ~any_source & ~other, selects),
        "any_source_and_tag": _share(selects & any_source & any_tag & ~other, selects),
        "other_masks": _share(selects & other, selects),
    }


def bits(operations: NDArray[Any]) -> dict[str, Any]:
    """Which bits ever differ between two messages; those alone tell messages apart."""
    arrivals = operations[operations["kind"] == Kind.ARRIVE]
    match = arrivals["match"]
    tag = match & np.uint64(0xFFFFFFFF)
    context = match >> np.uint64(32)
    source = arrivals["source"]
    return {
        name: _bit_use(values)
        for name, values in (("context", context), ("tag", tag), ("source", source))
    }


def _bit_use(values: NDArray[Any]) -> dict[str, Any]:
    if len(values) == 0:
        return {"distinct": 0, "varying": []}
    differing = int(np.bitwise_or.reduce(values ^ values[0]))
    varying = [bit for bit in range(32) if differing >> bit & 1]
    return {"distinct": len(np.unique(values)), "varying": varying}


def _searches_unexpected(kind: NDArray[Any]) -> Booleans:
    return np.asarray(np.isin(kind, (Kind.POST, Kind.PROBE, Kind.CLAIM)))


def _before(changes: Integers, order: NDArray[Any], groups: NDArray[Any]) -> Integers:
    """Sum of the earlier changes of the same group, in the original order."""
    sums = np.cumsum(changes[order]) - changes[order]
    if len(groups):
        starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
        lengths = np.diff(np.r_[starts, len(groups)])
        sums = sums - np.repeat(sums[starts], lengths)
    result: Integers = np.empty_like(sums)
    result[order] = sums
    return result


def _greatest(before: Integers, grows: Booleans) -> int:
    """Greatest length of a queue: reached by an operation that appended."""
    return int(before[grows].max()) + 1 if np.any(grows) else 0


def _share(part: Booleans, whole: Booleans) -> float | None:
    count = int(np.sum(whole))
    return round(int(np.sum(part)) / count, 6) if count else None


def _distribution(values: Integers) -> dict[str, float | int | None]:
    if len(values) == 0:
        return {"count": 0, "mean": None, "p50": None, "p99": None, "max": None}
    p50, p99 = np.percentile(values, (50, 99), method="inverted_cdf")
    return {
        "count": len(values),
        "mean": round(float(values.mean()), 3),
        "p50": int(p50),
        "p99": int(p99),
        "max": int(values.max()),
    }
