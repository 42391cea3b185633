# SPDX-License-Identifier: Apache-2.0
"""`./tmu bench --isolation`: verdicts beside an attacker, bounds that can be missed, a plot."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths
from opentmu.benchmark import isolation, plot_isolation
from opentmu.build import cbuild, verilate
from opentmu.errors import BadInput, CheckFailed

Tmu = Callable[..., subprocess.CompletedProcess[str]]
Result = dict[str, Any]
MEASURED = paths.ROOT / "docs" / "figures" / "bench-isolation.json"


def measured() -> list[Result]:
    """The figures of the preset nic that the documents show."""
    results: list[Result] = json.loads(MEASURED.read_text())
    return results


def planned() -> list[tuple[bool, str, int]]:
    """The cells that a run of the default preset has: memory registered, attack, entries."""
    cells = [(memory, word) for memory, words in isolation.PLANS["nic"].runs for word in words]
    return [(memory, word.split(":")[0], int(word.split(":")[1])) for memory, word in cells]


ATTACKED = [at for at, one in enumerate(measured()) if one["position"] != isolation.NONE]


def test_the_documented_figures_keep_every_promise_R13() -> None:
    results = measured()
    isolation.check_harm(results)
    assert [(one["memory"], one["position"], one["depth"]) for one in results] == planned()
    assert all(one["mismatches"] == 0 for one in results)
    assert all(one.met for one in isolation.promises(results))


@pytest.mark.parametrize("at", ATTACKED)
def test_a_promise_can_be_missed_R13(at: int) -> None:
    results = copy.deepcopy(measured())
    limit = isolation.bound(results, results[at])
    results[at]["host_latency_clocks"]["max"] = limit + 1
    results[at]["longest_wait"] = limit + 1
    missed = [one.name for one in isolation.promises(results) if not one.met]
    assert missed == [f"longest latency beside {isolation.title(results[at])}"]


def test_a_latency_that_a_completion_cannot_say_is_the_clocks() -> None:
    one = copy.deepcopy(measured()[1])
    one["host_latency_clocks"]["max"] = isolation.SATURATED
    one["longest_wait"] = 70_000
    assert isolation.longest(one) == 70_000


def test_an_attack_that_did_not_take_place_proves_nothing() -> None:
    results = copy.deepcopy(measured())
    results[3]["counts"]["malformed"] = 99
    with pytest.raises(CheckFailed, match="malformed: found 99 malformed, expected at least 100"):
        isolation.check_harm(results)


def test_other_presets_have_no_cells() -> None:
    with pytest.raises(BadInput, match="--isolation: found preset ecp5, expected nic or tiny"):
        isolation.plan_of("ecp5", quick=False)


def test_attacks_on_the_tiny_unit_R13_R14(tmu: Tmu, tmp_path: Path) -> None:
    """R13, R14: every attack beside victims whose verdicts are the model's, within the bounds."""
    words = ["--isolation", "--quick", "--preset", "tiny", "--plots", tmp_path / "plots"]
    done = tmu("bench", *words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    plan = isolation.QUICK["tiny"]
    assert len(found) == sum(len(cells) for _, cells in plan.runs)
    assert {one["position"] for one in found} == {isolation.NONE, *isolation.EVIDENCE}
    assert all(one["mismatches"] == 0 and one["verdicts"] >= 100 for one in found)
    assert [one.name for one in isolation.promises(found) if not one.met] == []
    lives = [one["lives"] for one in found if one["position"] == isolation.LIVES]
    assert all(one["count"] >= 2 and min(one.values()) > 0 for one in lives)
    names = sorted(file.name for file in (tmp_path / "plots").iterdir())
    assert names == ["bench-isolation.png", "bench-isolation.svg"]


def test_a_flush_in_flight_at_the_end_is_judged_by_what_was_there_R14() -> None:
    """R14: a cell may end while the attacker's last flush is on its way, with entries queued."""
    program = cbuild.program(cbuild.ensure(), isolation.PROGRAM)
    command = (program, "--uri", f"sim:{verilate.library('tiny')}", "lives:4:60", "lives:8:60")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["mismatches"] for line in done.stdout.splitlines()] == [0, 0]


@pytest.mark.long
def test_attacks_on_the_default_preset_R13_R14(tmu: Tmu) -> None:
    """R13, R14: the figures of the documents anew; exit code 1 when a bound is missed."""
    done = tmu("bench", "--isolation", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == sum(len(cells) for _, cells in isolation.PLANS["nic"].runs)
    assert all(one["mismatches"] == 0 for one in found)


def test_the_report_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    from opentmu.benchmark import isolation_report
    from rich.console import Console

    results = measured()
    isolation_report.show(Console(width=140), results, isolation.promises(results))
    said = capsys.readouterr().out
    verdicts = sum(one["verdicts"] for one in results)
    assert f"all {verdicts:,} measured verdicts of the victims are the model's" in said
    assert "longest latency beside wild of 2,048" in said
    assert isolation_report.spread({"p50": 9, "p99": 1234, "max": 65535}) == "9/1,234/65,535+"


def test_the_same_cells_give_the_same_plot(tmp_path: Path) -> None:
    first, second = (plot_isolation.write(tmp_path / name, measured())[1] for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--uri", "ref:tiny", "none:0"], "found 'none:0', expected ATTACK:ENTRIES:OPERATIONS"),
        (["--uri", "ref:tiny", "siege:0:9"], "found 'siege:0:9', expected ATTACK"),
        (["--uri", "ref:tiny", "full:0:9"], "found 'full:0:9', expected ATTACK"),
        (["--uri", "ref:tiny", "cancels:5:9"], "found 'cancels:5:9', expected ATTACK"),
        (["--uri", "ref:tiny", "none:0:0"], "found 'none:0:0', expected ATTACK"),
        (["--uri", "ref:tiny", "--victims", "0", "none:0:9"], "found --victims '0'"),
        (["--uri", "sim:none", "none:0:9"], "there is no libtmu_sim_none.so"),
        (["none:0:9"], "usage: tmu-isolation"),
    ],
)
def test_bad_words_end_with_2(words: list[str], sentence: str) -> None:
    program = cbuild.program(cbuild.ensure(), isolation.PROGRAM)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and sentence in done.stderr and done.stdout == ""


def test_more_victims_than_endpoints_is_an_error() -> None:
    program = cbuild.program(cbuild.ensure(), isolation.PROGRAM)
    words = ["--uri", "ref:tiny", "--victims", "3", "none:0:9"]
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "found 3 victims, expected at most 2 of 4 endpoints" in done.stderr
