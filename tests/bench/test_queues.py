# SPDX-License-Identifier: Apache-2.0
"""`tmu bench --queues`: every verdict judged, promises that can be missed, a plot."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths
from opentmu.benchmark import queues
from opentmu.build import cbuild
from opentmu.errors import CheckFailed

Tmu = Callable[..., subprocess.CompletedProcess[str]]
Result = dict[str, Any]
MEASURED = paths.ROOT / "docs" / "figures" / "bench-queues.json"


def measured() -> list[Result]:
    """The figures of the preset nic that the documents show."""
    results: list[Result] = json.loads(MEASURED.read_text())
    return results


def word(one: Result) -> str:
    """A measured load as the program is told it."""
    return f"{one['position']}:{one['queues']}:{one['window']}"


def cell(position: str, number: int, window: int, **values: Any) -> Result:
    """A measured load that keeps every promise, but for `values`."""
    usual: Result = {
        "preset": "nic",
        "kind": "queues",
        "position": position,
        "queues": number,
        "window": window,
        "verdicts": 1000,
        "clocks_per_verdict": 1.0,
        "overruns": 9999,
        "malformed": 9999,
        "least": 15,
        "most": 15,
        "latency_clocks": {"p50": 40, "p99": 40, "max": 60},
    }
    return usual | values


GOOD = [
    *(cell("pairs", number, window) for number in (1, 64) for window in (1, 4)),
    cell("pairs", 1, 64),
    cell("flood", 1, 1),
    *(cell(kind, 64, 4) for kind in queues.RIVALS),
]
BAD: dict[str, tuple[str, Result]] = {
    "one queue alone": ("pairs:1:64", {"clocks_per_verdict": 1.06}),
    "64 queues, clocks": ("pairs:64:4", {"clocks_per_verdict": 1.2}),
    "64 queues, most less": ("pairs:64:4", {"least": 6}),
    "beside unread rings": ("unread:64:4", {"latency_clocks": {"p50": 40, "p99": 43, "max": 60}}),
    "beside any neighbours": ("bad:64:4", {"latency_clocks": {"p50": 40, "p99": 40, "max": 297}}),
}


def test_good_figures_keep_every_promise() -> None:
    assert all(one.met for one in queues.promises(GOOD))


def test_the_documented_figures_keep_every_promise_R13() -> None:
    results = measured()
    queues.check_harm(results)
    assert [word(one) for one in results] == queues.cells(quick=False)
    assert all(one["preset"] == "nic" and one["mismatches"] == 0 for one in results)
    assert all(one.met for one in queues.promises(results))


def test_every_promise_is_one_that_is_missed_below() -> None:
    names = [one.name for one in queues.promises(GOOD)]
    assert len(names) == len(BAD)
    assert all(name.startswith(start) for name, start in zip(names, BAD, strict=True))


@pytest.mark.parametrize("figures", [GOOD, measured()], ids=["made up", "documented"])
@pytest.mark.parametrize("name", BAD)
def test_a_promise_can_be_missed_R13(name: str, figures: list[Result]) -> None:
    """Each of the promises, by the figure that it is about."""
    load, values = BAD[name]
    results = copy.deepcopy(figures)
    [at] = [one for one in results if word(one) == load]
    at |= values
    missed = [one.name for one in queues.promises(results) if not one.met]
    assert len(missed) == 1 and missed[0].startswith(name)


@pytest.mark.parametrize(("at", "counter"), [(-2, "overruns"), (-1, "malformed")])
def test_neighbours_that_do_no_harm_prove_nothing(at: int, counter: str) -> None:
    """R13: an attack that did not take place is no figure."""
    results = copy.deepcopy(GOOD)
    queues.check_harm(results)
    results[at][counter] = 1000
    with pytest.raises(CheckFailed, match=f"found 1000 {counter}, expected more than the 1000"):
        queues.check_harm(results)


def test_queues_of_the_tiny_unit(tmu: Tmu, tmp_path: Path) -> None:
    """R7, R13: a short run on the Verilated unit; each queue gets its own verdicts, in order."""
    words = ["--queues", "--quick", "--preset", "tiny", "--plots", tmp_path / "plots"]
    done = tmu("bench", *words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [word(one) for one in found] == queues.cells(quick=True)
    assert all(one["mismatches"] == 0 and one["verdicts"] >= 60 for one in found)
    single = next(one for one in found if (one["queues"], one["window"]) == (1, 64))
    assert single["clocks_per_verdict"] < 1.1
    usual = queues.alone(found)["latency_clocks"]["p99"]
    unread = next(one for one in found if one["position"] == "unread")
    assert unread["latency_clocks"]["p99"] <= usual + 2, "R13: who does not read waits alone"
    names = sorted(file.name for file in (tmp_path / "plots").iterdir())
    assert names == ["bench-queues.png", "bench-queues.svg"]
    assert "are those of the law" in tmu("bench", *words[:4]).stdout


@pytest.mark.long
def test_queues_of_the_default_preset_R7_R13(tmu: Tmu) -> None:
    """R7, R13: the figures of the documents anew; exit code 1 when a promise is missed."""
    done = tmu("bench", "--queues", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [word(one) for one in found] == queues.cells(quick=False)
    assert all(one["preset"] == "nic" and one["mismatches"] == 0 for one in found)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--uri", "ref:tiny", "pairs:1"], "found 'pairs:1', expected KIND:QUEUES:WINDOW"),
        (["--uri", "ref:tiny", "pears:1:1"], "found 'pears:1:1', expected KIND:QUEUES:WINDOW"),
        (["--uri", "sim:none", "pairs:1:1"], "there is no libtmu_sim_none.so"),
        (["pairs:1:1"], "usage: tmu-queues"),
    ],
)
def test_bad_words_end_with_2(words: list[str], sentence: str) -> None:
    program = cbuild.program(cbuild.ensure(), queues.PROGRAM)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and sentence in done.stderr and done.stdout == ""


def test_more_queues_than_the_device_has_is_an_error() -> None:
    program = cbuild.program(cbuild.ensure(), queues.PROGRAM)
    words = ["--uri", "ref:tiny", "--operations", "50", "pairs:65:1"]
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "tmu-queues: pairs:65:1: queue: " in done.stderr
