# SPDX-License-Identifier: Apache-2.0
"""`tmu bench --spill`: every verdict judged, promises that can be missed, a plot."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import regs
from opentmu.benchmark import plot_depth, plot_spill, spill, spill_figures
from opentmu.benchmark.clock import Clock
from opentmu.benchmark.harness import WHOLE_UNIT
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
        "kind": "spill",
        "measured_at": WHOLE_UNIT,
        "queue": queue,
        "position": position,
        "depth": int(depth),
        "clocks_per_verdict": 1 + (int(depth) / 100 if beyond else 0),
        "counts": counts | {"reads": 120, "writes": 80, "refilled": 36},
        "lone_latency_clocks": latencies,
    }
    return usual | memory.result | values


GOOD = [cell(word, memory) for memory, words in spill.QUICK["tiny"].cells for word in words]


def at(results: list[Result], queue: str, position: str) -> Result:
    """The first cell of a kind."""
    return next(one for one in results if (one["queue"], one["position"]) == (queue, position))


def missed(results: list[Result]) -> set[str]:
    return {one.name for one in spill_figures.promises(results) if not one.met}


def test_good_figures_keep_every_promise() -> None:
    assert missed(GOOD) == set()
    spill.check_harm(GOOD)


def test_edge_and_slope_can_be_missed() -> None:
    """At the edge of the table, and for each entry more."""
    edge = [one | {"clocks_per_verdict": 4.1} if one["depth"] > 64 else one for one in GOOD]
    assert missed(edge) == {f"memory of {n} clocks: clocks at its edge" for n in (30, 270)}
    steep = [one | {"clocks_per_verdict": 9.5} if one["depth"] == 192 else one for one in GOOD]
    names = {f"memory of {n} clocks: clocks a verdict for each entry more" for n in (30, 270)}
    assert missed(steep) == names


@pytest.mark.parametrize("position", spill.POSITIONS)
def test_a_promise_can_be_missed(position: str) -> None:
    """R13: an endpoint that matches on chip waits for another one's memory."""
    results = copy.deepcopy(GOOD)
    far = [one for one in results if (one["queue"], one["depth"]) == (spill.BESIDE, 192)]
    slow = {"take": {"p50": 20, "p99": 35, "max": 35}}
    at(far, spill.BESIDE, position)["lone_latency_clocks"] = slow
    wanted = "on chip beside a queue in memory of 30 clocks, p99 latency"
    assert missed(results) == missed(GOOD) | {wanted}


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
    assert spill_figures.cliff(GOOD, 270, "youngest") == pytest.approx(1.66)
    assert spill_figures.slope(GOOD, 270, "youngest") == pytest.approx(0.01)
    found = spill_figures.figures(cell("posted:random:66:9", spill.Memory(30)))
    assert found["bytes_per_step"] == 192 and found["writes_per_append"] == 2
    assert found["refills_per_step"] == 0.9 and found["taken_per_step"] == 0.5


def test_every_plan_has_cells_on_both_sides_of_the_table() -> None:
    for plans in (spill.PLANS, spill.QUICK):
        for preset, plan in plans.items():
            entries = spill.table(preset)
            if regs.PRESETS[preset].spill_segments == 0:
                assert plan.depths[-1] == entries and plan.near == 0 and not plan.uneven
                continue
            assert plan.depths[0] <= entries < plan.depths[-1]
            assert min(plan.messages) > entries and entries < plan.deep in plan.depths
            assert plan.near < entries and plan.middle in plan.latencies
            assert all(len(set(words)) == len(words) for _, words in plan.cells)
            for memory, words in plan.cells:
                assert memory.even or set(words) < set(plan.words(memory.latency))
    with pytest.raises(
        BadInput, match="--spill: found preset max, expected one of nic, tiny, ecp5"
    ):
        spill.plan_of("max", quick=False)


def test_queues_beyond_the_tables_of_the_tiny_unit(tmu: Tmu, tmp_path: Path) -> None:
    """R3, R4, R7: a short run on the Verilated unit; takes get the entries that they have to."""
    words = ["--spill", "--quick", "--preset", "tiny", "--plots", tmp_path / "plots"]
    done = tmu("bench", *words, "--software", "--mhz", "100", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    plan = spill.QUICK["tiny"]
    assert len(found) == sum(len(words) for _, words in plan.cells)
    assert all(key in one for one in found for keys in KEYS for key in keys)
    assert all(one["mismatches"] == 0 and one["verdicts"] >= 80 for one in found)
    for one in found:
        assert one["measured_at"] == WHOLE_UNIT
        assert one["clocks_per_verdict"] == pytest.approx(one["clocks"] / one["verdicts"], abs=1e-4)
        compared = one["queue"] == spill.POSTED and spill.Memory.of(one).even
        assert ("software" in one) == (compared and one["position"] != spill.FIFO)
    deep = next(one for one in found if (one["depth"], one["position"]) == (192, "youngest"))
    assert deep["software"]["verdicts_per_second"] == round(100e6 / deep["clocks_per_verdict"])
    near, far = (
        [one for one in found if spill.Memory.of(one) == spill.Memory(latency)]
        for latency in plan.latencies
    )
    clocks = [sum(one["clocks"] + one["lone_clocks"] for one in cells) for cells in (near, far)]
    assert clocks[1] > clocks[0], "memory is as far as it is"
    # Words and the youngest entries lie on chip as well: the latency of memory is not in these.
    youngest = [
        next(one for one in spill_figures.curve(found, memory, "youngest") if one["depth"] == 192)
        for memory in map(spill.Memory, plan.latencies)
    ]
    assert youngest[1]["clocks_per_verdict"] < 1.1 * youngest[0]["clocks_per_verdict"]
    for one in youngest:
        assert one["counts"]["taken"] > one["counts"]["reads"], "they were read on chip"
    assert any(one["counts"]["reads"] > 0 for one in found), "what came longer ago is not there"
    pairs = spill_figures.uneven(found)
    assert len(pairs) == len(plan.uneven) * len(spill.POSITIONS) * len(plan.uneven_depths)
    names = sorted(file.name for file in (tmp_path / "plots").iterdir())
    stems = ("bench-depth", "bench-spill")
    assert names == sorted(f"{stem}.{end}" for stem in stems for end in ("png", "svg"))
    (tmp_path / "found.json").write_text(done.stdout)


def test_the_report_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    from opentmu.benchmark import spill_report
    from rich.console import Console

    spread = {"p50": 20, "p99": 34, "max": 65535}
    latency = {"take": spread, "append": spread}
    more = {"lone_clocks": 90, "lone_verdicts": 10, "verdicts": 80, "rival_verdicts": 5}
    cells = [one | more | {"lone_latency_clocks": latency} for one in GOOD]
    cells = [one | {"latency_clocks": latency} for one in cells]
    spill_report.show(Console(width=120), cells, spill_figures.promises(cells))
    said = capsys.readouterr().out
    assert "20/65,535+" in said and "270 clocks, 900 ns at 300 MHz" in said
    assert "clocks a verdict at 66 entries by those at 64, and for each 1,000 entries more" in said
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
        (["--uri", "sim:none", "posted:oldest:66:9"], "there is no libtmu_sim_none.so"),
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


def test_units_and_engines_by_depth_in_one_plot(tmp_path: Path) -> None:
    """Nanoseconds need both; without a clock or an engine there is no plot."""
    unit = plot_depth.Unit(GOOD, Clock(100, 120, WHOLE_UNIT, "here"))
    engine = {"engine": "fuzzy", "kind": "exact", "position": "youngest", "depth": 64}
    engines = [engine | {"verdicts_per_second": 4e7}]
    assert plot_depth.write(tmp_path / "none", [], engines) == []
    assert plot_depth.write(tmp_path / "none", [unit], []) == []
    first, second = (plot_depth.write(tmp_path / name, [unit], engines)[1] for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.long
def test_the_whole_unit_by_depth_without_memory(tmu: Tmu) -> None:
    """A preset that takes none: one verdict a clock through the host interface."""
    done = tmu("bench", "--spill", "--preset", "ecp5", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {one["depth"] for one in found} == {2, 64}
    assert all(one["clocks_per_verdict"] < 1.1 and one["mismatches"] == 0 for one in found)
    shown = tmu("bench", "--spill", "--preset", "ecp5", "--quick")
    assert "measured verdicts are those of the law" in shown.stdout
