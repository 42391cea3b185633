# SPDX-License-Identifier: Apache-2.0
"""`tmu bench --spill`: every verdict judged, promises that can be missed, a plot."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu.benchmark import plot_spill, spill
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed

Tmu = Callable[..., subprocess.CompletedProcess[str]]
Result = dict[str, Any]
KEYS = (
    ("queue", "position", "depth", "memory_latency", "memory_spread", "memory_gap", "preset"),
    ("clocks_per_verdict", "verdicts", "lone_clocks", "latency_clocks", "lone_latency_clocks"),
)


def cell(word: str, memory: spill.Memory, **values: Any) -> Result:
    """A measured cell that keeps every promise, but for `values`."""
    queue, position, depth = word.split(":")[:3]
    latencies = {"take": {"p50": 20, "p99": 34, "max": 34}}
    beyond = int(depth) > spill.table("tiny") and queue != spill.ALONE
    counts = {"operations": 80, "deferred": 40 if beyond else 0, "appended": 40, "taken": 20}
    usual: Result = {
        "preset": "tiny",
        "queue": queue,
        "position": position,
        "depth": int(depth),
        "clocks_per_verdict": float(memory.latency if beyond else 1),
        "counts": counts | {"reads": 120, "writes": 80, "refilled": 36},
        "lone_latency_clocks": latencies,
    }
    return usual | memory.result | values


GOOD = [cell(word, memory) for memory, words in spill.QUICK["tiny"].cells for word in words]


def at(results: list[Result], queue: str, position: str) -> Result:
    """The first cell of a kind."""
    return next(one for one in results if (one["queue"], one["position"]) == (queue, position))


def test_good_figures_keep_every_promise() -> None:
    assert all(one.met for one in spill.promises(GOOD))
    spill.check_harm(GOOD)


@pytest.mark.parametrize("position", spill.POSITIONS)
def test_a_promise_can_be_missed(position: str) -> None:
    """R13: an endpoint that matches on chip waits for another one's memory."""
    results = copy.deepcopy(GOOD)
    far = [one for one in results if (one["queue"], one["depth"]) == (spill.BESIDE, 192)]
    slow = {"take": {"p50": 20, "p99": 35, "max": 35}}
    at(far, spill.BESIDE, position)["lone_latency_clocks"] = slow
    missed = [one.name for one in spill.promises(results) if not one.met]
    assert missed == ["on chip beside a queue in memory of 30 clocks, p99 latency"]


def test_cells_that_do_not_what_they_are_for_prove_nothing() -> None:
    results = copy.deepcopy(GOOD)
    at(results[-1:], spill.POSTED, "random")["counts"]["deferred"] = 0
    named = "posted random at 192, 270 clocks, a beat in 4: found nothing"
    with pytest.raises(CheckFailed, match=named):
        spill.check_harm(results)
    results = copy.deepcopy(GOOD)
    at(results, spill.POSTED, "oldest")["counts"]["deferred"] = 1
    with pytest.raises(CheckFailed, match="posted oldest at 64, 30 clocks: found 1 deferred"):
        spill.check_harm(results)


def test_derived_figures() -> None:
    assert spill.cliff(GOOD, 270, "youngest") == 270
    found = spill.figures(cell("posted:random:66:9", spill.Memory(30)))
    assert found["bytes_per_step"] == 192 and found["writes_per_append"] == 2
    assert found["refills_per_step"] == 0.9 and found["taken_per_step"] == 0.5


def test_every_plan_has_cells_on_both_sides_of_the_table() -> None:
    for plans in (spill.PLANS, spill.QUICK):
        for preset, plan in plans.items():
            entries = spill.table(preset)
            assert plan.depths[0] <= entries < plan.depths[-1]
            assert min(plan.messages) > entries and entries < plan.deep in plan.depths
            assert plan.near < entries and plan.middle in plan.latencies
            assert all(len(set(words)) == len(words) for _, words in plan.cells)
            for memory, words in plan.cells:
                assert memory.even or set(words) < set(plan.words(memory.latency))
    with pytest.raises(BadInput, match="--spill: found preset ecp5, expected nic or tiny"):
        spill.plan_of("ecp5", quick=False)


def test_queues_beyond_the_tables_of_the_tiny_unit(tmu: Tmu, tmp_path: Path) -> None:
    """R3, R4, R7: a short run on the Verilated unit; takes get the entries that they have to."""
    words = ["--spill", "--quick", "--preset", "tiny", "--plots", tmp_path / "plots"]
    done = tmu("bench", *words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    plan = spill.QUICK["tiny"]
    assert len(found) == sum(len(words) for _, words in plan.cells)
    assert all(key in one for one in found for keys in KEYS for key in keys)
    assert all(one["mismatches"] == 0 and one["verdicts"] >= 80 for one in found)
    near, far = (
        [one for one in found if spill.Memory.of(one) == spill.Memory(latency)]
        for latency in plan.latencies
    )
    clocks = [sum(one["clocks"] + one["lone_clocks"] for one in cells) for cells in (near, far)]
    assert clocks[1] > clocks[0], "memory is as far as it is"
    # Words and the youngest entries lie on chip as well: the way to memory is not in these.
    youngest = [
        next(one for one in spill.curve(found, memory, "youngest") if one["depth"] == 192)
        for memory in map(spill.Memory, plan.latencies)
    ]
    assert youngest[1]["clocks_per_verdict"] < 1.1 * youngest[0]["clocks_per_verdict"]
    for one in youngest:
        assert one["counts"]["taken"] > one["counts"]["reads"], "they were read on chip"
    assert any(one["counts"]["reads"] > 0 for one in found), "what came longer ago is not there"
    pairs = spill.uneven(found)
    assert len(pairs) == len(plan.uneven) * len(spill.POSITIONS) * len(plan.uneven_depths)
    names = sorted(file.name for file in (tmp_path / "plots").iterdir())
    assert names == ["bench-spill.png", "bench-spill.svg"]
    (tmp_path / "found.json").write_text(done.stdout)


def test_the_report_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    from opentmu.benchmark import spill_report
    from rich.console import Console

    spread = {"p50": 20, "p99": 34, "max": 65535}
    latency = {"take": spread, "append": spread}
    more = {"lone_clocks": 90, "lone_verdicts": 10, "verdicts": 80, "rival_verdicts": 5}
    cells = [one | more | {"lone_latency_clocks": latency} for one in GOOD]
    cells = [one | {"latency_clocks": latency} for one in cells]
    spill_report.show(Console(width=120), cells, spill.promises(cells))
    said = capsys.readouterr().out
    assert "20/65,535+" in said and "270 clocks, 900 ns at 300 MHz" in said
    assert "clocks a verdict at 66 entries by those at 64" in said
    assert "memory that is not even" in said
    assert f"all {90 * len(cells):,} measured verdicts are those of the law" in said


def test_the_same_cells_give_the_same_plot(tmp_path: Path) -> None:
    first, second = (plot_spill.write(tmp_path / name, GOOD)[1] for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--uri", "ref:tiny", "posted:oldest:66"], "expected KIND:POSITION:DEPTH:STEPS"),
        (["--uri", "ref:tiny", "waiting:oldest:66:9"], "found 'waiting:oldest:66:9', expected"),
        (["--uri", "ref:tiny", "posted:first:66:9"], "found 'posted:first:66:9', expected"),
        (["--uri", "ref:tiny", "posted:oldest:1:9"], "found 'posted:oldest:1:9', expected"),
        (["--uri", "ref:tiny", "--window", "0", "posted:oldest:66:9"], "found --window '0'"),
        (["--uri", "sim:none", "posted:oldest:66:9"], "cannot load 'none'"),
        (["posted:oldest:66:9"], "usage: tmu-spill"),
    ],
)
def test_bad_words_end_with_2(words: list[str], sentence: str) -> None:
    program = cbuild.program(cbuild.ensure(), spill.PROGRAM)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and sentence in done.stderr and done.stdout == ""


def test_a_queue_that_no_memory_holds_is_an_error() -> None:
    """R11: refused posts are not measured as if they had been queued."""
    program = cbuild.program(cbuild.ensure(), spill.PROGRAM)
    words = ["--uri", "ref:tiny", "posted:oldest:200000:9"]
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "were not queued" in done.stderr
