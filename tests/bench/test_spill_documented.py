# SPDX-License-Identifier: Apache-2.0
"""The figures of `tmu bench --spill` in the documents: every promise kept, and each can be missed.

Which figures a promise is about is not repeated here: a cell is made slower, and what that misses
is looked at.
"""

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from opentmu import paths
from opentmu.benchmark import spill, spill_figures

Tmu = Callable[..., subprocess.CompletedProcess[str]]
Result = dict[str, Any]
MEASURED = paths.ROOT / "docs" / "figures" / "bench-spill.json"
# Keys of a result that identify its cell.
CELL = ("preset", "memory_latency", "memory_spread", "memory_gap", "queue", "position", "depth")


def measured() -> list[Result]:
    """The figures of the preset nic that the documents show."""
    results: list[Result] = json.loads(MEASURED.read_text())
    return results


def cells(results: list[Result]) -> list[tuple[Any, ...]]:
    return [tuple(one[key] for key in CELL) for one in results]


def planned() -> list[tuple[Any, ...]]:
    """The cells that a run of the default preset has."""
    words = [
        (memory, word) for memory, cell_words in spill.PLANS["nic"].cells for word in cell_words
    ]
    return [
        ("nic", memory.latency, memory.spread, memory.gap, queue, position, int(depth))
        for memory, word in words
        for queue, position, depth, _ in [word.split(":")]
    ]


def slower(found: Any) -> Any:
    """All numbers below, 1,000 times as large."""
    if isinstance(found, dict):
        return {key: slower(value) for key, value in found.items()}
    return 1000 * found if isinstance(found, int | float) else found


def slowed(one: Result) -> Result:
    """A cell whose clocks and latencies are 1,000 times as large."""
    return {
        key: slower(value) if "clocks" in key and key not in CELL else value
        for key, value in one.items()
    }


def missed(results: list[Result]) -> set[str]:
    return {one.name for one in spill_figures.promises(results) if not one.met}


def test_the_documented_figures_keep_every_promise_R13() -> None:
    results = measured()
    spill.check_harm(results)
    assert cells(results) == planned()
    assert spill_figures.promises(results) and missed(results) == set()
    assert all(one["preset"] == "nic" and one["mismatches"] == 0 for one in results)


@pytest.mark.parametrize("name", [one.name for one in spill_figures.promises(measured())])
def test_a_promise_can_be_missed_R13(name: str) -> None:
    """By a single cell that is slower."""
    results = measured()
    found = [
        missed([*results[:at], slowed(one), *results[at + 1 :]]) for at, one in enumerate(results)
    ]
    assert any(name in names for names in found)


@pytest.mark.long
def test_queues_beyond_the_tables_of_the_default_preset_R3_R4_R13(tmu: Tmu) -> None:
    """R3, R4, R13: the figures of the documents anew; exit code 1 when a promise is missed."""
    done = tmu("bench", "--spill", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert cells(found) == planned()
    assert all(one["mismatches"] == 0 for one in found)
