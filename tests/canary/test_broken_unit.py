# SPDX-License-Identifier: Apache-2.0
"""Whole units with one wrong line: the main job's checker notices and tells the story.

Those whose submission queues are wrong are noticed by many queues at work, and one that withholds
too much by flipped bits.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
from opentmu import paths, regs, stage
from opentmu.benchmark import queues
from opentmu.build import cbuild, mutants, verilate

from .mutants import design

# A unit of its own is compiled for them.
pytestmark = pytest.mark.long

# Folders and logs of the build have this name: it is none of a preset.
NAME = "canary-unit"


# Each is on in a run in whose folder a file has its name.
MUTANTS = (
    "truncation",
    "serial",
    # A verdict never comes.
    "silence",
    # A page has two turns on their way, and its commands come twice.
    "turns",
    # Two consecutive commands lie in one slot.
    "tail",
    # A command starts without room for its answer: a ring that is not read stops everybody.
    "room",
    # The end of a command is not counted: its ring seems to fill.
    "finals",
    # Pages go on however many commands wait for memory.
    "crowd",
    # Messages get the quota of receives.
    "quota",
    # An endpoint that has lost a bit keeps its reserve, whatever that is now.
    "lost_reserve",
    # One endpoint's flipped bit costs every endpoint its answers.
    "everyone",
)

# Words of the report about those that the main job's checker notices.
WORDS = {"truncation": "truncated", "serial": "serial"}

# The loads that meet a wrong queue, and what one of the reports must say.
QUEUE_MUTANTS = {
    "turns": (
        ["pairs:8:4", "pairs:2:16"],
        ("no command in flight has these", "not the law's"),
    ),
    "tail": (["pairs:1:16"], ("no completion in", "operations ended")),
    "room": (["unread:8:4"], ("no completion in",)),
    "finals": (["pairs:4:4"], ("no completion in",)),
}


@pytest.fixture(scope="module")
def unit() -> str:
    """URI of the unit with all mutants in it, each switched off."""
    source = design(f"{NAME}-design", mutants.FILE)
    mutants.require(source, MUTANTS)
    target = paths.BUILD / NAME
    code = [Path(__file__), Path(verilate.__file__), paths.ROOT / "requirements.in"]
    stamp = (source / stage.STAMP).read_text()
    key = stage.hash_of([stamp, *code, verilate.DEVICE, verilate.HEADERS])

    def make(folder: Path) -> None:
        top, library = folder / "top", folder / "library"
        top.mkdir()
        library.mkdir()
        verilate.make_top(NAME, source, top, wave=False)
        verilate.make_library(NAME, top, library, wave=False)

    stage.ensure(target, key, make)
    return f"sim:{target / 'library' / verilate.library_name(NAME)}"


def run(
    name: str | None, folder: Path, program: str, *words: str | Path
) -> subprocess.CompletedProcess[str]:
    """A program on the unit with one mutant switched on, or with none."""
    if name:
        (folder / name).touch()
    command = [str(cbuild.program(cbuild.ensure(), program)), *map(str, words)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )


def replay(unit: str, name: str | None, folder: Path) -> subprocess.CompletedProcess[str]:
    """The main job's checker on recorded traffic."""
    trace = min(paths.TRACES.glob("mpi4py*.gz"))
    return run(name, folder, "tmu-replay", "--uri", unit, "--trace", trace)


def load(unit: str, name: str | None, folder: Path, loads: list[str]) -> tuple[int, str]:
    """Exit code and complaints of many queues at work."""
    done = run(name, folder, queues.PROGRAM, "--uri", unit, "--operations", "6000", *loads)
    assert done.returncode == 0 or "tmu-queues: " in done.stderr, done.stderr
    return done.returncode, done.stderr


def test_without_a_mutant_all_is_well(unit: str, tmp_path: Path) -> None:
    """The switches alone change nothing: what notices a mutant below passes here."""
    assert replay(unit, None, tmp_path).returncode == 0
    loads = sorted({word for words, _ in QUEUE_MUTANTS.values() for word in words})
    assert load(unit, None, tmp_path, loads) == (0, "")


@pytest.mark.parametrize("name", WORDS)
def test_a_broken_unit_is_noticed(unit: str, name: str, tmp_path: Path) -> None:
    """The run ends with exit code 1, the first difference and the history of its entries."""
    done = replay(unit, name, tmp_path)
    assert done.returncode == 1, done.stdout
    story = ("first difference", "operation: ", "expected: ", "found: ", WORDS[name], "history")
    for text in story:
        assert text in done.stderr, f"{text!r} is not in\n{done.stderr}"
    result = json.loads(done.stdout)
    # Seen while the run went on, in clocks of the device, whose reset came first.
    assert 0 < result["first_difference_clock"] <= 2 * result["clocks"] + 100_000


def test_a_silent_unit_is_noticed(unit: str, tmp_path: Path) -> None:
    """R11: a verdict that never comes ends the run with exit code 1 instead of hanging it."""
    trace = tmp_path / "one.trace"
    trace.write_text("# tmu-trace v1\npost 0 1 0 any any 8\n")
    done = run("silence", tmp_path, "tmu-replay", "--uri", unit, "--trace", trace)
    assert done.returncode == 1, done.stdout
    assert "found no verdict in 1048576 clocks with 1 operations in flight" in done.stderr


def test_a_soak_notices_a_wrong_quota(unit: str, tmp_path: Path) -> None:
    """R11: nothing but a soak gives an endpoint's queues different quotas."""
    words = ("tmu-replay", "--uri", unit, "--random", "4000", "--seed", "2", "--soak")
    well = run(None, tmp_path, *words)
    assert well.returncode == 0, well.stderr
    done = run("quota", tmp_path, *words)
    assert done.returncode == 1, done.stdout
    for text in ("first difference", "arrive endpoint", "expected: ", "--random 4000 --seed 2"):
        assert text in done.stderr, f"{text!r} is not in\n{done.stderr}"


def test_a_unit_that_withholds_every_endpoint_is_noticed(unit: str, tmp_path: Path) -> None:
    """R13: nothing that it answers is wrong, but a flipped lane is one endpoint's matter."""
    store = str(regs.Fault.POSTED_LANES)
    words = ("tmu-faults", "--uri", unit, "--place", store, "--trials", "60", "--seed", "3")
    well = run(None, tmp_path, *words)
    assert well.returncode == 0, well.stderr
    assert json.loads(well.stdout)["uncontained"] == 0
    done = run("everyone", tmp_path, *words)
    assert done.returncode == 1, done.stdout
    result = json.loads(done.stdout)
    assert result["silent"] == 0
    assert result["uncontained"] == result["places"]["posted_lanes"]["uncontained"] > 0
    said = re.findall(
        r"found answers of \d endpoints withheld, expected 1 at most: .*", done.stderr
    )
    assert len(said) == result["uncontained"]
    assert f"--place {store} --trials 1 --seed " in said[0]


def test_a_unit_that_trusts_a_lost_reserve_is_noticed(unit: str, tmp_path: Path) -> None:
    """R13: slots that somebody has would be open to all, and refills would wait for ever."""
    store = str(regs.Fault.UNEXPECTED_QUOTAS)
    words = ("tmu-faults", "--uri", unit, "--place", store, "--trials", "200", "--seed", "3")
    well = run(None, tmp_path, *words)
    assert well.returncode == 0, well.stderr
    done = run("lost_reserve", tmp_path, *words)
    assert done.returncode != 0, done.stdout
    assert "R13: " in done.stderr and "slots are open where" in done.stderr, done.stderr


def test_a_crowd_that_nothing_bounds_is_noticed(unit: str, tmp_path: Path) -> None:
    """R11, R13: without turns that wait for those before, slots for deferred commands run out."""
    uri = f"{unit}{'&' if '?' in unit else '?'}memory_latency=270"
    words = ("tmu-isolation", "--uri", uri, "--victims", "2", "--memory", "crowd:24:1500")
    well = run(None, tmp_path, *words)
    assert well.returncode == 0, well.stderr
    done = run("crowd", tmp_path, *words)
    assert done.returncode == 1, done.stdout
    assert "R11: no room for a deferred command" in done.stderr, done.stderr


@pytest.mark.parametrize("name", QUEUE_MUTANTS)
def test_a_broken_queue_is_noticed(unit: str, name: str, tmp_path: Path) -> None:
    """R7, R11, R13: the load ends with exit code 1 and a sentence."""
    loads, sentences = QUEUE_MUTANTS[name]
    code, said = load(unit, name, tmp_path, loads)
    assert code == 1
    assert any(sentence in said for sentence in sentences), said
