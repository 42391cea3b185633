# SPDX-License-Identifier: Apache-2.0
"""`tmu bench`: choices, promises, comparisons and plots; most of it without a simulation."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu.benchmark import cells, clock, plot, software, targets
from opentmu.benchmark.clock import Clock, Pace
from opentmu.benchmark.harness import MATCH_UNIT, WHOLE_UNIT
from opentmu.errors import BadInput, CheckFailed

Tmu = Callable[..., subprocess.CompletedProcess[str]]
Result = dict[str, Any]

WRONG = {
    "kind": (["--kind", "best"], "--kind: found 'best', expected one of exact, any_source"),
    "position": (["--position", "first"], "--position: found 'first', expected one of oldest,"),
    "depth": (["--preset", "tiny", "--depth", "65"], "found '65', expected 0 to the 64 entries"),
    "depth in words": (["--depth", "deep"], "--depth: found 'deep', expected 0 to the"),
    "no such cell": (
        ["--preset", "tiny", "--kind", "mix", "--depth", "1"],
        "found no cell of kind mix",
    ),
    "proofs": (["--preset", "formal"], "has narrow keys and handles"),
    "mhz alone": (["--mhz", "100"], "--mhz needs --software, which it is for"),
    "two clocks": (["--software", "--mhz", "9", "--synth", "s"], "found --mhz and --synth"),
    "no report": (["--spill", "--software", "--synth", "none.json"], "--synth none.json: found"),
    "the clock of other hardware": (
        ["--software", "--synth", "synth.json"],
        "found a clock of the whole unit, but the cells measure the matching unit alone",
    ),
    "spill and mhz alone": (["--spill", "--mhz", "9"], "--mhz needs --software"),
    "flowing": (["--flowing"], "--flowing: found it without --random, expected both"),
    "queues": (["--queues", "--kind", "exact"], "--queues takes only --preset, --quick, --plots"),
    "queues at random": (["--queues", "--random", "9"], "--queues takes only --preset, --quick"),
    "spill": (["--spill", "--depth", "16"], "--spill takes only --preset, --quick, --plots"),
    "isolation": (["--isolation", "--depth", "16"], "--isolation takes only --preset, --quick"),
    "isolation and spill": (["--isolation", "--spill"], "--spill takes only --preset, --quick"),
    "spill of queues": (["--spill", "--queues"], "--spill takes only --preset, --quick"),
    "spill of max": (
        ["--spill", "--preset", "max"],
        "found preset max, expected one of nic, tiny, ecp5",
    ),
    "random cells": (["--random", "9", "--kind", "exact"], "--random takes only --preset, --seed"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_bad_input_ends_with_2(tmu: Tmu, case: tuple[list[str], str]) -> None:
    words, sentence = case
    done = tmu("bench", *words)
    assert sentence in " ".join(done.stderr.split())
    assert done.returncode == 2
    assert done.stdout == ""


def test_json_and_plots_of_a_few_cells(tmu: Tmu, tmp_path: Path) -> None:
    words = ["--preset", "tiny", "--depth", "1,16", "--kind", "exact,paired", "--quick"]
    done = tmu("bench", *words, "--json", "--plots", tmp_path / "plots")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {(one["kind"], one["depth"]) for one in found} == {
        (kind, depth) for kind in ("exact", "paired") for depth in (1, 16)
    }
    for name in ("position", "clocks_per_verdict", "latency_clocks", "preset", "queue"):
        assert all(name in one for one in found), name
    for one in found:
        assert one["measured_at"] == MATCH_UNIT
        assert one["clocks_per_verdict"] == one["clocks"] / (one["verdicts"] - 2)
        assert one["clocks_per_step"] == one["clocks"] / (one["steps"] - 1)
    files = sorted(file.name for file in (tmp_path / "plots").iterdir())
    stems = ("bench-latency", "bench-pairs", "bench-rate")
    assert files == sorted(f"{stem}.{end}" for stem in stems for end in ("png", "svg"))
    for_people = tmu("bench", *words)
    assert "verdicts agree with the reference model" in for_people.stdout


def cell(**values: Any) -> Result:
    """A measured cell that keeps every promise, but for `values`."""
    latency = dict.fromkeys(("p50", "p90", "p99", "max"), 14)
    usual: Result = {
        "preset": "nic",
        "kind": "exact",
        "queue": "posted",
        "position": "youngest",
        "depth": 1024,
        "measured_at": MATCH_UNIT,
        "clocks_per_step": 1.0,
        "clocks_per_verdict": 0.5,
        "most_clocks_between": 1,
        "latency_clocks": latency,
    }
    return usual | values


PAIR = {"kind": "paired", "queue": "both", "pairs_per_clock": 1.0, "pairs_per_clock_one_way": 0.5}
GOOD = [
    cell(latency_clocks=dict.fromkeys(("p50", "max"), 24)),
    cell(kind="equal_mod256"),
    cell(kind="append", position="none"),
    cell(depth=16384, clocks_per_step=60.0),
    cell(kind="equal_mod65536", depth=16384, clocks_per_step=64.0),
    cell(**PAIR, pair_rate=2.0),
    cell(depth=256, latency_clocks=dict.fromkeys(("p50", "max"), 16)),
]
BROKEN: dict[str, tuple[int, Result, str]] = {
    "rate": (0, {"clocks_per_step": 1.01}, "clocks a step, to"),
    "latency": (0, {"latency_clocks": dict.fromkeys(("p50", "max"), 25)}, "most clocks to a"),
    "short": (
        6,
        {"latency_clocks": dict.fromkeys(("p50", "max"), 17)},
        "most clocks to a verdict, to 256 entries",
    ),
    "append": (2, {"clocks_per_step": 1.01}, "clocks an append, to"),
    "deep append": (2, {"clocks_per_step": 3, "depth": 4096}, "clocks an append of one stream"),
    "deep appends": (
        2,
        {"clocks_per_step": 64.1, "depth": 4096, "queue": "both"},
        "clocks a step, beyond",
    ),
    "deep": (4, {"clocks_per_step": 64.1}, "clocks a step, beyond"),
    "wait": (3, {"most_clocks_between": 65}, "longest wait between steps, beyond"),
    "pairs": (5, {"pair_rate": 1.89}, "pair rate against one search at a time, to"),
    "collisions": (4, {"clocks_per_step": 90.1}, "clocks under tag collisions"),
}


def test_promises_that_are_kept() -> None:
    found = targets.check(GOOD, 1024)
    assert len(found) == 8
    assert all(target.met for target in found)


@pytest.mark.parametrize("name", BROKEN)
def test_each_promise_can_be_missed(name: str) -> None:
    """One figure a little worse is a missed promise that names its cell."""
    at, values, words = BROKEN[name]
    results = [*GOOD]
    results[at] = GOOD[at] | values
    missed = [target for target in targets.check(results, 1024) if not target.met]
    assert any(target.name.startswith(words) for target in missed)
    assert targets.title(results[at]) in {target.cell for target in missed}


def test_small_arrays_promise_16_clocks() -> None:
    limits = {target.limit for target in targets.check([cell(depth=128)], 256)}
    assert 16 in limits
    late = cell(depth=9, latency_clocks=dict.fromkeys(("p50", "max"), 22))
    assert not next(t for t in targets.check([late], 256) if t.limit == 16).met
    found = next(t for t in targets.check([cell(depth=64)], 64) if t.limit == 16)
    assert found.met and found.name == "most clocks to a verdict, to 64 entries"
    assert targets.latencies(256) == [(256, 16)]
    assert targets.latencies(1024) == [(256, 16), (1024, 24)]
    assert targets.latencies(4096) == [(256, 16), (1024, 24)]


def test_the_depths_that_a_preset_holds() -> None:
    """The lanes' last entry and the table's last one are always among them."""
    every = cells.chosen(cells.Choice(), 16384, 1024)
    assert {cell.depth for cell in every} == set(cells.DEPTHS)
    assert {cell.depth for cell in cells.chosen(cells.Choice(), 64, 32)} == {0, 1, 16, 32, 64}
    assert {cell.kind for cell in every} == set(cells.KINDS)
    assert {cell.position for cell in every} == {*cells.POSITIONS, cells.NO_POSITION}
    assert len({cell.word for cell in every}) == len(every)


SYNTH = {
    "routed": ({"preset": "nic", "fmax_mhz": 121.5, "device": "D"}, (121.5, 121.5), "routed on D"),
    "estimate": (
        {
            "preset": "nic",
            "fmax_mhz": None,
            "family": "xcup",
            "clock_estimate": {"mhz_low": 260, "mhz_high": 290},
        },
        (260, 290),
        "an estimate for xcup",
    ),
}


@pytest.mark.parametrize("case", SYNTH.values(), ids=SYNTH.keys())
@pytest.mark.parametrize("several", [False, True])
def test_clocks_from_synthesis(
    tmp_path: Path, case: tuple[Result, Any, str], several: bool
) -> None:
    run, wanted, words = case
    file = tmp_path / "synth.json"
    file.write_text(json.dumps({"runs": [{"preset": "tiny"}, run]} if several else run))
    found = clock.clock_from(file, "nic")
    assert (found.low, found.high, found.of) == (*wanted, WHOLE_UNIT)
    assert words in found.text
    with pytest.raises(BadInput, match="found no clock of preset max, expected a run of it"):
        clock.clock_from(file, "max")


def engine(name: str, rate: float, **values: Any) -> Result:
    usual = {"engine": name, "kind": "exact", "position": "youngest", "depth": 1024}
    return usual | {"verdicts_per_second": rate} | values


def test_the_best_engine_is_compared() -> None:
    engines = [engine("fuzzy", 40e6), engine("list", 2e6)]
    results = [cell(), cell(queue="unexpected"), cell(kind="mix")]
    rows = software.compare(results, engines, Clock(100, 200, MATCH_UNIT, "here"))
    assert len(rows) == 1
    assert rows[0]["software_engine"] == "fuzzy"
    assert rows[0]["verdicts_per_second"] == 200_000_000
    assert rows[0]["ratio"] == 5.0
    assert [("software" in one) for one in software.merged(results, rows)] == [True, False, False]


def test_a_rate_takes_no_clock_of_other_hardware(tmp_path: Path) -> None:
    """Two verdicts a clock pass the matching unit's ports; the routed clock is the whole unit's."""
    whole = Clock(100, 100, WHOLE_UNIT, "routed")
    assert Pace(1.0, WHOLE_UNIT).verdicts_per_second(whole) == (100e6, 100e6)
    assert Pace(2.0, WHOLE_UNIT).nanoseconds(whole) == (20.0, 20.0)
    sentence = "found clocks of the matching unit alone and a clock of the whole unit"
    engines = [engine("fuzzy", 40e6)]
    with pytest.raises(CheckFailed, match=sentence):
        software.compare([cell()], engines, whole)
    with pytest.raises(CheckFailed, match=sentence):
        plot.write(tmp_path, [cell()], engines, whole, 1024)
    spilled = cell(kind="spill", measured_at=WHOLE_UNIT, clocks_per_verdict=1.0)
    assert software.compare([spilled], engines, whole)[0]["ratio"] == 2.5


def test_plots_need_what_they_show(tmp_path: Path) -> None:
    """Without pairs no plot of pairs, without a clock none of software; with them both."""
    engines = [engine("fuzzy", 4e7)]
    speed = Clock(260, 290, MATCH_UNIT, "here")
    few = plot.write(tmp_path / "a", [cell()], engines, None, 1024)
    assert {file.stem for file in few} == {"bench-rate", "bench-latency"}
    all_of_them = plot.write(tmp_path / "b", GOOD, engines, speed, 1024)
    stems = {"bench-rate", "bench-latency", "bench-pairs", "bench-software"}
    assert {file.stem for file in all_of_them} == stems
    again = plot.write(tmp_path / "c", GOOD, engines, speed, 1024)
    for one, other in zip(all_of_them, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="--plots "):
        plot.write(tmp_path / "file", GOOD, engines, None, 1024)
