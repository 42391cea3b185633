# SPDX-License-Identifier: Apache-2.0
"""The ranks' reports, and their streams replayed by the reference model."""

import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

from opentmu import expected_log
from opentmu.errors import CheckFailed

Report = dict[str, Any]
# Prefix of the names of processes that a rank has started (MPI_Comm_spawn).
DYNAMIC = "job-"
KINDS = ("posts", "arrivals", "probes", "claims", "cancels", "flushes")


def reports(files: Path) -> list[Report]:
    """The ranks' reports in the order of their ranks, then those of processes that they started,
    each with what is wrong with it."""
    program = expected_log.program()
    found = [judge(read(file), file.with_suffix(""), program) for file in files.glob("*.json")]
    return sorted(found, key=order)


def order(report: Report) -> tuple[bool, list[int]]:
    """The sort key of a report: ranks first, by the numbers in its name."""
    name = str(report["name"])
    return not is_rank(name), [int(word) for word in name.split("-") if word.isdecimal()]


def lost(files: Path) -> list[str]:
    """Names of processes that began to record and left no report, those of the ranks not among
    them, which are known to be missing by their number."""
    names = sorted(file.stem for file in files.glob(f"{DYNAMIC}*.trace"))
    return [name for name in names if not (files / f"{name}.json").is_file()]


def is_rank(name: str) -> bool:
    """Whether a report of that name is of a process that the launcher was asked for."""
    return not name.startswith(DYNAMIC)


def read(file: Path) -> Report:
    try:
        report = json.loads(file.read_text())
    except json.JSONDecodeError as error:
        raise CheckFailed(f"{file.name}: found no whole report: {error}") from error
    if not isinstance(report, dict):
        raise CheckFailed(f"{file.name}: found {type(report).__name__}, expected a JSON object")
    return report


def judge(report: Report, stem: Path, replay: Path) -> Report:
    """Adds `operations`, `mismatches` and the first of them, `mismatch`, to a rank's report.

    `replay` is the program that has the model replay a trace.
    """
    trace, verdicts = stem.with_suffix(".trace"), stem.with_suffix(".verdicts")
    if not (trace.is_file() and verdicts.is_file()):
        raise CheckFailed(f"{report['name']}: found no trace and no verdicts beside its report")
    found = verdicts.read_text().splitlines()
    expected = expected_log.lines(replay, trace, *limits(report))
    wrong = [
        f"line {number}: found {one!r}, expected {other!r}"
        for number, (one, other) in enumerate(zip_longest(found, expected), 1)
        if one != other
    ]
    # A shared unit counts for all; one whose counters could not be read has none.
    counters = report["counted"] if report["shared"] else report["unit"]
    counted = sum(counters.get(kind, 0) for kind in KINDS) - counters.get("arrive_stalled", 0)
    if has_other_limits(report) or "network" in report:  # a card leaves them out
        counted -= counters.get("post_refused", 0)
    if counted != len(found):
        wrong.append(f"the unit counted {counted} operations, {len(found)} are recorded")
    return {
        **report,
        "operations": len(found),
        "mismatches": len(wrong),
        "mismatch": wrong[0] if wrong else None,
    }


def unit(found: list[Report]) -> dict[str, int]:
    """Growth of the counters of a unit that these ranks shared; a maximum is that of all time."""
    return {
        name: max(report["unit"].get(name, 0) for report in found)
        - (0 if name.endswith("_max") else min(report["before"][name] for report in found))
        for name in found[0]["before"]
    }


def shared(found: list[Report]) -> list[str]:
    """Differences in the counters of a unit that these ranks shared, and nobody else used.

    Each rank read them when it opened the unit, and again after its last answer: the lowest were
    read before all that the ranks did, and the highest after it.
    """
    wrong = []
    done = unit(found)
    for name in found[0]["counted"]:
        counted = sum(report["counted"][name] for report in found)
        grown = done[name]
        # Ranks that share the unit empty the endpoint of one that has ended.
        flushes = len(found) if name == "flushes" else 0
        if not counted <= grown <= counted + flushes:
            wrong.append(f"the unit's counter {name}: found {grown}, expected {counted}")
    return wrong


def has_other_limits(report: Report) -> bool:
    """Whether the tables are not the rank's only limit: it has memory, or others use them."""
    return report["shared"] or int(report["spill"]["segments"]) > 0


def limits(report: Report) -> list[str]:
    """The capacity of the rank's unit, as options of the model's program."""
    words = ["--endpoints", str(report["endpoints"])]
    if has_other_limits(report):
        return words
    words += ["--posted", str(report["posted_entries"])]
    return [*words, "--unexpected", str(report["unexpected_entries"])]
