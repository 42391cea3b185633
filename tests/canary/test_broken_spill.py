# SPDX-License-Identifier: Apache-2.0
"""Whole units with one wrong line where queues continue in memory: the scoreboard notices.

All mutants are one simulation, in which an argument switches one of them on.
Its compilation takes a minute, so these are long tests.
"""

import re
import shutil
from pathlib import Path

import pytest
from opentmu import paths, stage
from opentmu.bench import seed, simulate
from opentmu.build import rtl

pytestmark = pytest.mark.long

SYSTEM = paths.ROOT / "tests" / "system"
RANDOM = (SYSTEM / "cocotb_spill.py", "r11_everything_at_random_beyond_the_tables")
CHUNKS = (SYSTEM / "cocotb_spill_limits.py", "r14_flushes_take_whole_chunks")
BEGIN = "\n);\n"
SEEDS = range(1, 5)

# What is wrong: in which file, the traffic that meets it, and what each text becomes while the
# mutant `{m}` is on.
MUTANTS = {
    # Four entries each are appended in the wrong order (R3).
    "order": (
        "SpillEditor.sv",
        CHUNKS,
        (
            r"place <= io_list_fill;",
            r"place <= io_list_fill ^ {4'h0, {2{{m} & (|io_list_fill[5:2])}}};",
        ),
        (
            r"64'h1 << io_list_fill;",
            r"64'h1 << (io_list_fill ^ {4'h0, {2{{m} & (|io_list_fill[5:2])}}});",
        ),
    ),
    # What goes back to its table passes commands that have been deferred (R7).
    "refill": (
        "SpillMarks.sv",
        RANDOM,
        (
            r"io_views_0_refills =\s+io_views_0_seen",
            r"io_views_0_refills = ({m} | io_views_0_seen)",
        ),
        (
            r"io_views_1_refills =\s+io_views_1_seen",
            r"io_views_1_refills = ({m} | io_views_1_seen)",
        ),
    ),
    # A taken entry stays where it was.
    "live": ("SpillEditor.sv", RANDOM, (r"60'h0 : left\)", r"60'h0 : {m} ? io_state_live : left)")),
    # Of several candidates of a beat the second one goes first (R3, R4).
    "second": (
        "SpillSearch.sv",
        RANDOM,
        (
            r"lowest =\s+left\[0\]",
            r"lowest = {m} & (|(left & (left - 16'h1))) ? left & (left - 16'h1) & "
            r"~((left & (left - 16'h1)) - 16'h1) : left[0]",
        ),
    ),
    # A chunk is unlinked from one that has left in the same sweep.
    "behind": (
        "SpillEditor.sv",
        CHUNKS,
        (r"last_bits_chunk_chunk == io_remove_bits_chunk_previous", r"\g<0> & ~{m}"),
    ),
}


def mutate(text: str, name: str, *edits: tuple[str, str]) -> str:
    """The module with one more mutant in it."""
    for pattern, new in edits:
        text, count = re.subn(pattern, new.replace("{m}", f"mutant_{name}"), text)
        assert count == 1, f"mutant {name}: {count} times {pattern!r}"
    switch = f'  reg mutant_{name};\n  initial mutant_{name} = |$test$plusargs("{name}");\n'
    assert text.count(BEGIN) >= 1
    return text.replace(BEGIN, BEGIN + switch, 1)


@pytest.fixture(scope="module")
def mutants() -> Path:
    """The simulation of TmuTop with all mutants in it, each switched off."""
    source = rtl.ensure(simulate.PRESET)
    design = paths.BUILD / "canary-spill"
    key = stage.hash_of([(source / stage.STAMP).read_text(), Path(__file__)])

    def make(folder: Path) -> None:
        shutil.copytree(source, folder, dirs_exist_ok=True)
        for name, (file, _, *edits) in MUTANTS.items():
            text = (folder / file).read_text()
            (folder / file).write_text(mutate(text, name, *edits))

    stage.ensure(design, key, make)
    return simulate.build("TmuTop", design, "TmuTop-spill-mutants")


@pytest.mark.parametrize("case", [RANDOM, CHUNKS], ids=["random", "chunks"])
def test_without_a_mutant_all_is_well(mutants: Path, case: tuple[Path, str]) -> None:
    """The changed text alone changes nothing."""
    simulate.run(mutants, "TmuTop", *case).require()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(mutants: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R3, R4, R7, R14: the traffic ends with a difference and its history, or an assertion."""
    _, case, *_ = MUTANTS[name]
    for value in SEEDS:
        monkeypatch.setenv(seed.VARIABLE, str(value))
        result = simulate.run(mutants, "TmuTop", *case, f"+{name}")
        if not result.passed:
            break
    else:
        pytest.fail(f"nobody noticed the mutant {name} with seeds {SEEDS}")
    stories = ("history of handle", "R3: ", "R7: ", "R11: ", "did not come", "nobody expects")
    assert any(story in result.log for story in stories), result.log[-3000:]
