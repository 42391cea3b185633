# SPDX-License-Identifier: Apache-2.0
"""Units with one wrong line each: the scoreboard notices and tells the story.

All mutants are one simulation, in which an argument switches one of them on: without any, it is
the unit as it is.
"""

import re
import shutil
from pathlib import Path

import pytest
from opentmu import paths, stage
from opentmu.bench import seed, simulate
from opentmu.build import rtl

TESTS = paths.ROOT / "tests" / "block" / "cocotb_match_unit.py"
TEST = "r7_two_streams_at_once"
ROWS = ("ArrayRowPosted.sv", "ArrayRowUnexpected.sv")
TABLES = ("FilterTablePosted.sv", "FilterTableUnexpected.sv")
ARRAYS = ("MatchArrayPosted.sv", "MatchArrayUnexpected.sv")
BEGIN = "\n);\n"
SEEDS = range(1, 13)

# What is wrong: in which files, which text, and what it becomes while the mutant `{m}` is on.
MUTANTS = {
    # The operation that meets an entry on its way between rows passes it by.
    "crossing": (ROWS, r"hitAbove & io_push & io_above_remains", r"\g<0> & ~{m}"),
    # Two operations take the same entry: one where it was, one where it goes to.
    "remains": (ROWS, r"& ~\(hit\[0\] & open & takes\);", r"& ({m} | ~(hit[0] & open & takes));"),
    # The arrival of a slot does not see the receive that its post appends.
    "pair": (("MatchUnit.sv",), r"& walked_pairs_r\w* & ", r"\g<0>~{m} & "),
    # Nobody sees an entry before it has its lane.
    "incoming": (ARRAYS, r"findsIncoming = ", r"\g<0>~{m} & "),
    # A search ahead of its turn does not read again what the closing of a hole has moved.
    "ahead": (TABLES, r"goesBack =", r"\g<0> ~{m} &"),
    # It does not see what comes into the last row while that is being closed.
    "entering": (TABLES, r"= moved & enters;", r"= ~{m} & moved & enters;"),
    # The younger half of a row goes before the older (R3, R4).
    "youngest": (
        ROWS,
        r"(wire \[15:0\]\s+\w+ =) hit & valid;",
        r"\1 {m} & (|(hit[15:8] & valid[15:8])) ? hit & valid & 16'hFF00 : hit & valid;",
    ),
}


def mutate(text: str, name: str, pattern: str, new: str) -> str:
    """The module with one more mutant in it."""
    changed, count = re.subn(pattern, new.replace("{m}", f"mutant_{name}"), text)
    assert count == 1, f"mutant {name}: {count} times {pattern!r}"
    switch = f'  reg mutant_{name};\n  initial mutant_{name} = |$test$plusargs("{name}");\n'
    assert changed.count(BEGIN) >= 1
    return changed.replace(BEGIN, BEGIN + switch, 1)


@pytest.fixture(scope="module")
def mutants() -> Path:
    """The simulation of MatchUnit with all mutants in it, each switched off."""
    source = rtl.ensure(simulate.PRESET)
    design = paths.BUILD / "canary-mutants"
    key = stage.hash_of([(source / stage.STAMP).read_text(), Path(__file__)])

    def make(folder: Path) -> None:
        shutil.copytree(source, folder, dirs_exist_ok=True)
        for name, (files, pattern, new) in MUTANTS.items():
            for file in files:
                text = (folder / file).read_text()
                (folder / file).write_text(mutate(text, name, pattern, new))

    stage.ensure(design, key, make)
    return simulate.build("MatchUnit", design, "MatchUnit-mutants")


def noticed(
    mutants: Path, test: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> simulate.Result:
    """The first run that does not pass, of a few with traffic of different seeds.

    Not all traffic meets every mutant; which does changes with the unit's timing.
    """
    for value in SEEDS:
        monkeypatch.setenv(seed.VARIABLE, str(value))
        result = simulate.run(mutants, "MatchUnit", TESTS, test, f"+{name}")
        if not result.passed:
            return result
    pytest.fail(f"nobody noticed the mutant {name} with seeds {SEEDS}")


def test_without_a_mutant_all_is_well(mutants: Path) -> None:
    """The changed text alone changes nothing."""
    simulate.run(mutants, "MatchUnit", TESTS, TEST).require()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(mutants: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3, R4, R6, R7: random traffic in both streams ends with the difference and its history."""
    result = noticed(mutants, TEST, name, monkeypatch)
    stories = ("history of handle", "R11: ", "R7: ", "R15: ", "walk over", "did not come")
    assert any(story in result.log for story in stories), result.log[-3000:]


def test_the_youngest_instead_of_the_oldest_is_noticed(
    mutants: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R3: equal keys: the report names the entries and what became of them."""
    result = noticed(mutants, "r7_equal_keys_back_to_back", "youngest", monkeypatch)
    for words in ("scoreboard.Difference", "other: expected", "history of handle"):
        assert words in result.log, f"{words!r} is not in\n{result.log}"


def test_a_mutant_that_cannot_be_made_is_an_error() -> None:
    """A pattern that the design does not have any more."""
    with pytest.raises(AssertionError, match="mutant gone: 0 times"):
        mutate("module m (\n);\nendmodule\n", "gone", "hitAbove", "{m}")
