# SPDX-License-Identifier: Apache-2.0
"""The software engines on this machine, and the unit beside them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentmu.benchmark.cells import COLLISIONS, MATCH, PAIRED, Choice
from opentmu.benchmark.clock import Clock, Pace
from opentmu.benchmark.harness import Result, run
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed
from opentmu.progress import step

PROGRAM = "tmu-engine-bench"
DEPTH_MAX = 65536
# More tags that are equal in their low bits there are not.
DEPTH_MAX_COLLISIONS = 32000
KINDS = (*MATCH, "fifo", "hole_workload", PAIRED)
POSITIONS = ("oldest", "youngest", "random")
# The keys of `bench --spill` all differ.
SAME_KEYS = {"spill": "exact"}


def check(choice: Choice) -> None:
    """Raise BadInput for a kind or a depth that was asked for and that software does not have."""
    lacking = [one for one in choice.kinds if one not in KINDS]
    lacking += [f"depth {depth}" for depth in choice.depths if depth > DEPTH_MAX]
    if lacking:
        raise BadInput(
            f"--software: found {', '.join(lacking)}, expected kinds that software has, "
            f"{', '.join(KINDS)}, and depths to {DEPTH_MAX:,}"
        )


def measure(results: Sequence[Result], *, quick: bool) -> dict[str, Any]:
    """The output of tmu-engine-bench for the cells that software has too: `machine` and `cells`.

    Raises BadInput if it has none of them, CheckFailed if an engine answers wrongly.
    """
    compared = [one for one in results if _comparable(one)]
    kinds = [kind for kind in KINDS if any(_kind(one) == kind for one in compared)]
    most = DEPTH_MAX_COLLISIONS if set(kinds) & set(COLLISIONS) else DEPTH_MAX
    depths = sorted({one["depth"] for one in compared if one["depth"] <= most})
    # Software gives a position to kinds that have none here, so a choice would leave them out.
    every = any(one["position"] not in POSITIONS for one in compared)
    positions = [p for p in POSITIONS if every or any(one["position"] == p for one in compared)]
    if not kinds or not depths:
        raise BadInput(f"--software: found no kind that software has; those are {', '.join(KINDS)}")
    words: list[str | Path] = [cbuild.program(cbuild.ensure(), PROGRAM)]
    words += ["--kind", ",".join(kinds), "--depth", ",".join(map(str, depths))]
    words += ["--position", ",".join(positions)]
    words += ["--batches", "11"] if quick else []
    lines: list[str] = []
    with step(f"measuring the software engines, {len(kinds)} kinds at {len(depths)} depths"):
        run(words, lines.append, lambda line: None)
    try:
        found = json.loads("".join(lines))
        for one in found["cells"]:
            _ = one["engine"], one["kind"], one["depth"], one["verdicts_per_second"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise CheckFailed(f"{PROGRAM}: found {error!r}, expected an object with cells") from error
    result: dict[str, Any] = found
    return result


def compare(
    results: Sequence[Result], software: Sequence[Result], clock: Clock | None
) -> list[Result]:
    """The unit beside the best software engine: cells of receives that both have.

    `ratio` is the unit's verdicts a second at the slower end of `clock` over the engine's.
    Raises CheckFailed for a clock of other hardware than that which was measured.
    """
    rows = []
    for result in filter(_comparable, results):
        same = [one for one in software if _same(result, one)]
        if not same:
            continue
        best = max(same, key=lambda one: float(one["verdicts_per_second"]))
        row: Result = {key: result[key] for key in (*_CELL, "measured_at") if key in result}
        row |= {
            "software_engine": best["engine"],
            "software_verdicts_per_second": best["verdicts_per_second"],
            "clocks_per_verdict": result["clocks_per_verdict"],
        }
        if clock is not None:
            low, high = Pace.measured(result).verdicts_per_second(clock)
            row |= {"verdicts_per_second": round(low), "verdicts_per_second_high": round(high)}
            row |= {"clock": clock.text, "ratio": low / best["verdicts_per_second"]}
        rows.append(row)
    return rows


def merged(results: Sequence[Result], rows: Sequence[Result]) -> list[Result]:
    """The measured cells, each with its comparison under `software` where there is one."""
    by_cell = {_cell(row): row for row in rows}
    return [
        {**result, "software": by_cell[_cell(result)]} if _cell(result) in by_cell else result
        for result in results
    ]


# Keys of a result that identify its cell.
_CELL = ("kind", "queue", "position", "depth", "memory_latency", "memory_spread", "memory_gap")


def _cell(row: Result) -> tuple[Any, ...]:
    return tuple(row.get(key) for key in _CELL)


def _kind(result: Result) -> str:
    kind: str = result["kind"]
    return SAME_KEYS.get(kind, kind)


def _comparable(result: Result) -> bool:
    """Software has receives, and both queues at once; its memory is even."""
    even = result.get("memory_spread", 0) == 0 and result.get("memory_gap", 1) == 1
    known = _kind(result) in KINDS and result["position"] != "fifo"
    return result["queue"] in ("posted", "both") and known and even


def _same(result: Result, other: Result) -> bool:
    same_position = result["position"] in ("none", other["position"])
    return _kind(result) == other["kind"] and result["depth"] == other["depth"] and same_position
