# SPDX-License-Identifier: Apache-2.0
"""Whole units with one wrong line where queues continue in memory: the scoreboard notices.

The simulation's compilation takes a minute, so these are long tests.
"""

from pathlib import Path

import pytest
from opentmu import paths
from opentmu.bench import simulate

from .mutants import Edit, noticed, require_story, simulation

pytestmark = pytest.mark.long

SYSTEM = paths.ROOT / "tests" / "system"
RANDOM = (SYSTEM / "cocotb_spill.py", "r11_everything_at_random_beyond_the_tables")
CHUNKS = (SYSTEM / "cocotb_spill_limits.py", "r14_flushes_take_whole_chunks")
SEEDS = range(1, 5)

# What is wrong, and the traffic that meets it.
MUTANTS = {
    # Four entries each are appended in the wrong order (R3).
    "order": [
        Edit(
            "SpillEditor.sv",
            r"place <= io_list_fill;",
            r"place <= io_list_fill ^ {4'h0, {2{{m} & (|io_list_fill[5:2])}}};",
        ),
        Edit(
            "SpillEditor.sv",
            r"64'h1 << io_list_fill;",
            r"64'h1 << (io_list_fill ^ {4'h0, {2{{m} & (|io_list_fill[5:2])}}});",
        ),
    ],
    # What goes back to its table passes commands that have been deferred (R7).
    "refill": [
        Edit(
            "SpillMarks.sv",
            rf"io_views_{view}_refills =\s+\(seen_{view}",
            rf"io_views_{view}_refills = ({{m}} | seen_{view}",
        )
        for view in (0, 1)
    ],
    # A taken entry stays where it was.
    "live": [Edit("SpillEditor.sv", r"60'h0 : left;", r"60'h0 : {m} ? io_state_live : left;")],
    # Of several candidates of a beat the second one goes first (R3, R4).
    "second": [
        Edit(
            "SpillVerify.sv",
            r"lowest =\s+left\[0\]",
            r"lowest = {m} & (|(left & (left - 16'h1))) ? left & (left - 16'h1) & "
            r"~((left & (left - 16'h1)) - 16'h1) : left[0]",
        )
    ],
    # A word goes to memory alone, and what lies on chip is older.
    "words": [Edit("WordCache.sv", r"= has \| begins;", r"= has & ~{m} | begins;")],
    # Entries of another chunk are taken for those of the one that is searched.
    "entries": [Edit("EntryCache.sv", r"assign io_has = ", r"assign io_has = {m} | ")],
    # A chunk is unlinked from one that has left in the same sweep.
    "behind": [
        Edit(
            "SpillEditor.sv",
            r"last_bits_chunk == removing_chunk_previous",
            r"\g<0> & ~{m}",
        )
    ],
}
TRAFFIC = dict.fromkeys(MUTANTS, RANDOM) | {"order": CHUNKS, "behind": CHUNKS}


@pytest.fixture(scope="module")
def mutants() -> Path:
    """The simulation of TmuTop with all mutants in it, each switched off."""
    return simulation("TmuTop", "spill-mutants", MUTANTS)


@pytest.mark.parametrize("case", [RANDOM, CHUNKS], ids=["random", "chunks"])
def test_without_a_mutant_all_is_well(mutants: Path, case: tuple[Path, str]) -> None:
    """The changed text alone changes nothing."""
    simulate.run(mutants, "TmuTop", *case).require()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(mutants: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3, R4, R7, R14: the traffic ends with a difference and its history, or an assertion."""

    def run(switch: str) -> simulate.Result:
        return simulate.run(mutants, "TmuTop", *TRAFFIC[name], switch)

    result = noticed(name, SEEDS, run, monkeypatch)
    stories = ("history of handle", "R3: ", "R7: ", "R11: ", "did not come", "nobody expects")
    require_story(result, stories)
