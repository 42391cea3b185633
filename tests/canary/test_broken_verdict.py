# SPDX-License-Identifier: Apache-2.0
"""Units with one wrong line each: the scoreboard notices and tells the story."""

from pathlib import Path

import pytest
from opentmu import paths
from opentmu.bench import simulate

from .mutants import noticed, require_story, simulation

TESTS = paths.ROOT / "tests" / "block" / "cocotb_match_unit.py"
TEST = "r7_two_streams_at_once"
RESERVES = "r11_r13_reserves"
SEEDS = range(1, 13)

MUTANTS = (
    # The operation that meets an entry on its way between rows passes it by.
    "crossing",
    # Two operations take the same entry: one where it was, one where it goes to.
    "remains",
    # The arrival of a slot does not see the receive that its post appends.
    "pair",
    # Nobody sees an entry before it has its lane.
    "incoming",
    # A search ahead of its turn does not read again what the closing of a hole has moved.
    "ahead",
    # A search does not see what comes into the last row while that is being closed.
    "entering",
    # Others get what a reserve lacks.
    "reserve",
    # An entry that leaves is not kept for the reserve that it was of.
    "restored",
    # The youngest of a row goes before the oldest (R3, R4).
    "youngest",
)


@pytest.fixture(scope="module")
def mutants() -> Path:
    """The simulation of MatchUnit with all mutants in it, each switched off."""
    return simulation("MatchUnit", MUTANTS)


def caught(mutants: Path, test: str, name: str, monkeypatch: pytest.MonkeyPatch) -> simulate.Result:
    """The first run of a test that notices the mutant."""

    def run(switch: str) -> simulate.Result:
        return simulate.run(mutants, "MatchUnit", TESTS, test, switch)

    return noticed(name, SEEDS, run, monkeypatch)


def test_without_a_mutant_all_is_well(mutants: Path) -> None:
    """The switches alone change nothing."""
    simulate.run(mutants, "MatchUnit", TESTS, TEST).require()


# Noticed only after several seeds.
RARE = ("entering", "remains")


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[pytest.mark.long] if one in RARE else []) for one in MUTANTS],
)
def test_a_mutant_is_noticed(mutants: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3 to R7, R11: random traffic in both streams ends with the difference and its history."""
    test = RESERVES if name in ("reserve", "restored") else TEST
    result = caught(mutants, test, name, monkeypatch)
    stories = ["history of handle", "R11: ", "R7: ", "R15: ", "walk over", "did not come"]
    if name == "restored":  # an assertion may be first
        stories.append("slots are open where")
    require_story(result, stories)


def test_the_youngest_instead_of_the_oldest_is_noticed(
    mutants: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R3: equal keys: the report names the entries and what became of them."""
    result = caught(mutants, "r7_equal_keys_back_to_back", "youngest", monkeypatch)
    for words in ("scoreboard.Difference", "other: expected", "history of handle"):
        assert words in result.log, f"{words!r} is not in\n{result.log}"


def test_nobody_who_notices_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that all traffic passes with."""
    well = simulate.Result(True, "", 1)
    with pytest.raises(pytest.fail.Exception, match="nobody noticed the mutant quiet"):
        noticed("quiet", SEEDS, lambda switch: well, monkeypatch)
    with pytest.raises(AssertionError):
        require_story(well, ("history",))
