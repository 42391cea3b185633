# SPDX-License-Identifier: Apache-2.0
"""Whole units with one wrong line where queues continue in memory: the scoreboard notices.

The simulation's compilation takes a minute, so these are long tests.
"""

from pathlib import Path

import pytest
from opentmu import paths
from opentmu.bench import simulate

from .mutants import noticed, require_story, simulation

pytestmark = pytest.mark.long

SYSTEM = paths.ROOT / "tests" / "system"
RANDOM = (SYSTEM / "cocotb_spill.py", "r11_everything_at_random_beyond_the_tables")
CHUNKS = (SYSTEM / "cocotb_spill_limits.py", "r14_flushes_take_whole_chunks")
SEEDS = range(1, 5)

# Mutants, and the traffic that meets each.
MUTANTS = (
    # Four entries each are appended in the wrong order (R3).
    "order",
    # An entry that goes back to its table passes commands that have been deferred (R7).
    "refill",
    # A taken entry stays where it was.
    "live",
    # Of several candidates of a beat the second one goes first (R3, R4).
    "second",
    # A word goes to memory alone, and what lies on chip is older.
    "words",
    # Entries of another chunk are taken for those of the one that is searched.
    "entries",
    # A chunk is unlinked from one that has left in the same sweep.
    "behind",
)
TRAFFIC = dict.fromkeys(MUTANTS, RANDOM) | {"order": CHUNKS, "behind": CHUNKS}


@pytest.fixture(scope="module")
def mutants() -> Path:
    """The simulation of TmuTop with all mutants in it, each switched off."""
    return simulation("TmuTop", MUTANTS)


@pytest.mark.parametrize("case", [RANDOM, CHUNKS], ids=["random", "chunks"])
def test_without_a_mutant_all_is_well(mutants: Path, case: tuple[Path, str]) -> None:
    """The switches alone change nothing."""
    simulate.run(mutants, "TmuTop", *case).require()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(mutants: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3, R4, R7, R14: the traffic ends with a difference and its history, or an assertion."""

    def run(switch: str) -> simulate.Result:
        return simulate.run(mutants, "TmuTop", *TRAFFIC[name], switch)

    result = noticed(name, SEEDS, run, monkeypatch)
    stories = ("history of handle", "R3: ", "R7: ", "R11: ", "did not come", "nobody expects")
    require_story(result, stories)
