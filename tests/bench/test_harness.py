# SPDX-License-Identifier: Apache-2.0
"""The benchmark harness on the preset tiny: cells, random campaigns, and what it must notice."""

import json
import subprocess
from pathlib import Path

import pytest
from opentmu import paths, regs
from opentmu.bench import seed
from opentmu.benchmark import cells, harness
from opentmu.build import verilate
from opentmu.errors import BadInput, CheckFailed

PRESET = "tiny"
SHALLOW = 16
RANDOM_OPERATIONS = 1_000_000
# Of a send, which a unit without a network refuses.
CARDS_STATUSES = {status for status in regs.Status if status >= regs.Status.SENT}
MODEL = paths.SIM / "law"
# Mistakes of the model, and a word of the complaint: the unit then seems to be wrong.
BROKEN_MODELS = {
    "R12": ("message->length > hit->entry.length", "message->length >= hit->entry.length", "trunc"),
    "R3": (
        "for (node_t *node = list->oldest; node; node = node->next) {\n        *visited += 1;",
        "for (node_t *node = list->youngest; node; node = node->previous) {\n"
        "        *visited += 1;",
        "other: found",
    ),
}


@pytest.fixture(scope="module")
def program() -> Path:
    return verilate.bench_program(PRESET)


def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(program), "--shape", harness.shape(PRESET), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("pauses", [False, True], ids=["flowing", "pausing"])
def test_every_kind_of_cell_agrees_with_the_law(pauses: bool) -> None:
    """R3 to R10: all kinds, shallow and to the last entry, each verdict as it was meant to be."""
    entries = harness.entries(PRESET)
    choice = cells.Choice(depths=(0, 1, SHALLOW, entries), quick=True)
    chosen = cells.chosen(choice, entries, harness.array(PRESET))
    assert {cell.kind for cell in chosen} == set(cells.KINDS)
    results = harness.measure(PRESET, chosen, seed=7, pauses=pauses)
    for cell, result in zip(chosen, results, strict=True):
        assert (result["kind"], result["queue"]) == (cell.kind, cell.queue)
        assert result["latency_clocks"]["p50"] <= result["latency_clocks"]["max"]
        assert max(result["depth_max"].values()) <= max(cell.depth, 1)
        if cell.kind != cells.APPEND:
            assert result["steps"] >= cell.steps


def test_a_cell_searches_as_deep_as_it_says() -> None:
    """R3, R4: the model's own count of entries searched, hit included."""
    depth = harness.array(PRESET)
    wanted = {
        ("unexpected", "youngest"): depth,
        ("unexpected", "oldest"): 1,
        ("posted", "youngest"): depth - 1,
        ("posted", "oldest"): 1,
        ("posted", "same_clock"): depth,
    }
    chosen = [cells.Cell("exact", queue, at, depth, 50) for queue, at in wanted]
    results = harness.measure(PRESET, chosen, seed=1, pauses=False)
    assert [result["visited"] for result in results] == list(wanted.values())


def test_the_unit_says_the_latency_that_the_bench_sees() -> None:
    chosen = [cells.Cell("mixed", "posted", "random", SHALLOW, 100)]
    for pauses in (False, True):
        result = harness.measure(PRESET, chosen, seed=3, pauses=pauses)[0]
        assert result["latency_clocks"] == result["unit_latency_clocks"]


def test_one_verdict_a_clock_in_the_lanes() -> None:
    """Two streams: a match and the append that replaces its entry in every clock."""
    choice = cells.Choice(depths=(0, 1, SHALLOW), quick=True)
    chosen = cells.chosen(choice, harness.entries(PRESET), harness.array(PRESET))
    for result in harness.measure(PRESET, chosen, seed=1, pauses=False):
        alone = result["kind"] == cells.APPEND and result["queue"] != cells.BOTH
        assert result["clocks_per_step"] == 1.0, result
        assert result["clocks_per_verdict"] == (1.0 if alone else 0.5), result
        assert result["latency_clocks"]["max"] <= 16, result
        if result["kind"] == cells.PAIRED:
            assert result["pair_rate"] >= 1.9, result


@pytest.mark.parametrize("flowing", [True, False], ids=["flowing", "pausing"])
def test_random_operations_in_two_streams_agree_with_the_law(flowing: bool) -> None:
    """R1 to R15 on both streams at once: every operation, wildcards, quotas, floods, dumps."""
    number = seed.announce()
    result = harness.campaign(PRESET, RANDOM_OPERATIONS, seed=number, flowing=flowing)
    assert result["operations"] >= RANDOM_OPERATIONS
    assert result["differences"] == 0
    # No memory is registered here, no bit flipped, and nothing sent.
    others = {regs.Status.SPILL_FAILED, regs.Status.TABLE_FAULT, *CARDS_STATUSES}
    for status in set(regs.Status) - others:
        assert result["statuses"][status.name.lower()] > 0, f"{status.name}: never answered"
    entries = harness.entries(PRESET)
    assert result["depth_max"] == {"posted": entries, "unexpected": entries}
    for name in ("both_in_one_clock", "limit_changes", "dumps", "truncated"):
        assert result[name] > 0, f"{name}: these tested nothing"


@pytest.mark.long
def test_random_operations_agree_where_there_are_fewer_pages_than_endpoints() -> None:
    """R7, R13: a verdict names the page of its command, and any page may act for an endpoint."""
    p = regs.PRESETS["ecp5"]
    assert p.queues < p.endpoints
    number = seed.announce()
    result = harness.campaign("ecp5", 100_000, seed=number, flowing=False)
    assert result["differences"] == 0 and result["operations"] >= 100_000


def test_the_same_seed_gives_the_same_run() -> None:
    first, second = (harness.campaign(PRESET, 20_000, seed=5, flowing=False) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("rule", BROKEN_MODELS)
def test_a_difference_is_noticed(rule: str, tmp_path: Path) -> None:
    """With another law (R3, R12) the same unit is wrong: exit code 1, seed, clock, both sides."""
    old, new, word = BROKEN_MODELS[rule]
    text = (MODEL / "tmu_model.c").read_text()
    assert old in text, f"the model does not have {old!r}"
    (tmp_path / "tmu_model.c").write_text(text.replace(old, new))
    for source in (tmp_path / "tmu_model.c", MODEL / "model_state.c"):
        command: list[str | Path] = ["gcc", "-O2", "-std=c11", f"-I{MODEL}", "-c", source]
        subprocess.run(command, cwd=tmp_path, check=True)
    archive = tmp_path / "model.a"
    objects = ["tmu_model.o", "model_state.o"]
    subprocess.run(["ar", "rcs", archive, *objects], cwd=tmp_path, check=True)
    top = verilate.verilated_top(PRESET, top=verilate.UNIT)
    verilate.make_bench(PRESET, top, archive, tmp_path)
    done = run(tmp_path / verilate.BENCH_PROGRAM, "--random", "100000", "--seed", "3")
    assert done.returncode == 1, done.stdout
    for expected in ("tmu-bench: seed 3: clock ", word, "found:", "expected:"):
        assert expected in done.stderr, f"{expected!r} is not in\n{done.stderr}"


def test_a_workload_that_measures_something_else_is_noticed(program: Path) -> None:
    """A unit that is told to be smaller than it is refuses what the cell needs."""
    shape = harness.shape(PRESET).split(":")
    wrong = ":".join([shape[0], *("128" for _ in range(2)), *shape[3:]])
    words = [str(program), "--shape", wrong, "append:posted:none:128:2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cell append, queue posted, position none, depth 128, clock " in done.stderr
    assert "status: found 9, expected 2" in done.stderr


WRONG = {
    "shape": (
        ("--shape", "4:64:64:64:64:32:20"),
        "--shape: found '4:64:64:64:64:32:20', expected ENDPOINTS:POSTED:UNEXPECTED:",
    ),
    "no queues": (
        ("--shape", "4:64:64:64:64:32:20:0"),
        "--shape: found '4:64:64:64:64:32:20:0', expected ENDPOINTS:",
    ),
    "no cell": ((), "found 0 cells and --random 0, expected cells or a campaign"),
    "words": (("exact:posted",), "cell: found 'exact:posted', expected KIND:QUEUE:POSITION:DEPTH"),
    "kind": (("best:posted:oldest:1:9",), "kind: found 'best', expected one of exact, any_source,"),
    "queue": (("exact:all:oldest:1:9",), "queue: found 'all', expected one of posted, unexpected"),
    "position": (("exact:posted:last:1:9",), "position: found 'last', expected one of none, old"),
    "depth": (("exact:posted:oldest:x:9",), "depth: found 'x', expected a number from 0 to 16384"),
    "steps": (("exact:posted:oldest:1:1",), "steps: found '1', expected a number from 2 to 10000"),
    "too deep": (("exact:posted:oldest:65:9",), "found depth 65, expected at most the 64 entries"),
    "too flat": (("mix:both:none:3:9",), "cell mix: found depth 3, expected at least 64"),
    "one queue": (("exact:both:oldest:3:9",), "found queue both, expected posted or unexpected"),
    "both queues": (("paired:posted:oldest:3:9",), "found queue posted, expected both"),
    "no position": (("exact:posted:none:3:9",), "found position none at depth 3, expected one"),
    "same clock": (("exact:unexpected:same_clock:3:9",), "expected it for one queue of receives"),
    "seed": (("--seed", "x", "--random", "9"), "--seed: found 'x', expected a decimal number"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_bad_input_is_told(program: Path, case: tuple[tuple[str, ...], str]) -> None:
    words, sentence = case
    done = run(program, *words)
    assert sentence in done.stderr
    assert done.returncode == 2
    assert done.stdout == ""


def test_the_harness_failing_is_the_commands_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's message and exit code reach the caller; a missing result is a failure."""
    with pytest.raises(BadInput, match="found depth 65, expected at most the 64 entries"):
        harness.measure(
            PRESET, [cells.Cell("exact", "posted", "oldest", 65, 9)], seed=1, pauses=False
        )
    monkeypatch.setattr(harness, "run", lambda *_: None)
    with pytest.raises(CheckFailed, match="found 0 results, expected 1"):
        harness.measure(
            PRESET, [cells.Cell("exact", "posted", "oldest", 1, 9)], seed=1, pauses=False
        )


def test_json_is_one_object_a_line(program: Path) -> None:
    done = run(program, "exact:posted:oldest:1:9", "append:both:none:9:2")
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert (done.returncode, kinds) == (0, ["exact", "append"])
