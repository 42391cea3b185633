# SPDX-License-Identifier: Apache-2.0
"""`./tmu bench --mpi`: messages of MPI by each matcher, and checks that can fail."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths, toolchain
from opentmu.benchmark import messages, plot_messages
from opentmu.benchmark.messages import Cell
from opentmu.errors import CheckFailed, ToolMissing
from opentmu.mpi import library, provider

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]
Result = dict[str, Any]
MEASURED = paths.ROOT / "docs" / "figures" / "bench-mpi.json"
UNIT = {
    "arrivals": 40,
    "arrive_matched": 40,
    "arrive_queued": 40,
    "post_matched": 0,
    "posted_depth_max": 4,
    "unexpected_depth_max": 4,
    "clocks": 900,
    "busy_clocks": 300,
}


@pytest.fixture(scope="module")
def mpi() -> library.Library:
    """Debian's Open MPI and the provider; the test is skipped where they cannot be had."""
    try:
        toolchain.need_mpi()
        provider.folder()
        return library.choose(library.DEFAULT)
    except ToolMissing as error:
        pytest.skip(str(error))


def measured() -> list[Result]:
    """The figures that the documents show."""
    results: list[Result] = json.loads(MEASURED.read_text())
    return results


def rank(**more: Any) -> Result:
    usual: Result = {"mismatches": 0, "mismatch": None, "differences": [], "operations": 80}
    return {**usual, "unit": UNIT, **more}


def counted(cell: Cell, *ranks: Result, entries: int = 64) -> Result:
    return messages.counted("it", cell, 10, "rtl", list(ranks), entries)


@pytest.mark.usefixtures("mpi")
def test_messages_by_each_matcher(tmu: Tmu, tmp_path: Path) -> None:
    """R1 to R7: every cell with every matcher, every verdict the model's, clocks within bounds."""
    words = ["--mpi", "--quick", "--preset", "tiny", "--plots", tmp_path / "plots", "--json"]
    done = tmu("bench", *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == sum(len(messages.matchers(cell)) for cell in messages.QUICK)
    for one in found:
        assert (
            one["microseconds"]["min"] <= one["microseconds"]["p50"] <= one["microseconds"]["p99"]
        )
        assert one["messages_per_second"] > 0
        assert (one["verdicts"] == 0) is (one["engine"] == messages.PLAIN)
        assert (one["clocks_per_message"] is None) is (one["engine"] != "rtl")
    assert [one.name for one in messages.promises(found) if not one.met] == []
    names = sorted({file.stem for file in (tmp_path / "plots").iterdir()})
    assert names == ["bench-mpi-clocks", "bench-mpi-latency", "bench-mpi-rate"]


def test_the_documented_figures_are_whole() -> None:
    results = measured()
    cells = {(one["position"], one["depth"], one["bytes"], one["engine"]) for one in results}
    assert cells == {
        (cell.kind, cell.number, cell.bytes, engine)
        for cell in messages.CELLS
        for engine in messages.matchers(cell)
    }
    assert all(one["mismatches"] == 0 and one["runs"] == messages.ROUNDS for one in results)
    assert all(one.met for one in messages.promises(results))


def test_times_of_a_simulation_are_in_no_figure(tmp_path: Path) -> None:
    """The simulated unit has clocks; its seconds on the host stand beside nothing."""
    results = measured()
    slow = [one for one in results if one["engine"] == "rtl"]
    others = [one for one in results if one["engine"] != "rtl"]
    with_it, without = (
        plot_messages.write(tmp_path / n, r) for n, r in (("a", results), ("b", others))
    )
    pairs = {file.stem: file.read_bytes() for file in with_it if file.suffix == ".svg"}
    for file in (one for one in without if one.suffix == ".svg"):
        assert pairs.pop(file.stem) == file.read_bytes(), file.stem
    assert slow and set(pairs) == {"bench-mpi-clocks"}


def test_a_promise_can_be_missed() -> None:
    results = copy.deepcopy(measured())
    slow = next(one for one in results if one["engine"] == "rtl" and one["position"] == "reverse")
    slow["busy_clocks_per_message"] = messages.BUSY_CLOCKS + 1
    missed = [one.name for one in messages.promises(results) if not one.met]
    assert missed == [f"clocks at work, reverse {slow['depth']}"]


@pytest.mark.parametrize(
    ("kind", "counter", "least"),
    [
        (messages.LATENCY, "posted_depth_max", 4),
        (messages.EXPECTED, "arrive_matched", 40),
        (messages.REVERSE, "posted_depth_max", 4),
        (messages.UNEXPECTED, "arrive_queued", 40),
        (messages.UNEXPECTED, "unexpected_depth_max", 4),
    ],
)
def test_a_cell_that_was_not_what_it_says_proves_nothing(
    kind: str, counter: str, least: int
) -> None:
    cell = Cell(kind, 4, 8)
    assert counted(cell, rank(), rank())["matches"] == 80
    short = rank(unit={**UNIT, counter: least - 1})
    assert counted(cell, rank(), short)["matches"] > 0, "one of the two has the messages"
    with pytest.raises(CheckFailed, match=f"it: found {counter} {least - 1}, expected at least"):
        counted(cell, short, short)


def test_beyond_the_table_receives_may_come_after_their_messages() -> None:
    cell = Cell(messages.EXPECTED, 4, 8)
    late = rank(unit={**UNIT, "arrive_matched": 3})
    assert counted(cell, late, late, entries=3)["matches"] == 6
    few = rank(unit={**UNIT, "arrivals": 39})
    with pytest.raises(CheckFailed, match="it: found arrivals 39, expected at least 40"):
        counted(cell, few, few, entries=3)


def test_what_a_rank_reports_is_judged() -> None:
    cell = Cell(messages.EXPECTED, 4, 8)
    with pytest.raises(CheckFailed, match="it: found 1 reports of units"):
        counted(cell, rank())
    with pytest.raises(CheckFailed, match="it: line 3 is wrong"):
        counted(cell, rank(), rank(mismatches=1, mismatch="line 3 is wrong"))
    with pytest.raises(CheckFailed, match="it: counter posts"):
        counted(cell, rank(), rank(differences=["counter posts"]))
    with pytest.raises(CheckFailed, match="it: found 2 reports of units"):
        messages.counted("it", cell, 10, messages.PLAIN, [rank(), rank()], 64)


def test_the_run_that_was_disturbed_least_is_shown() -> None:
    def one(p50: float) -> Result:
        times = {"min": 1.0, "p50": p50, "p99": 9.0, "mean": 2 * p50}
        head = {"kind": "latency", "number": 0, "bytes": 8, "repeats": 10}
        return {**head, "microseconds": times, "matches": 5, "verdicts": 10, "clocks": 100} | {
            "busy_clocks": 50
        }

    found = messages.together("tiny", "rtl", [one(7.0), one(3.0), one(4.0)])
    assert found["microseconds"]["p50"] == 3.0
    assert found["p50_of_runs"] == [3.0, 4.0, 7.0]
    assert (found["clocks_per_message"], found["busy_clocks_per_message"]) == (20.0, 10.0)
    assert found["messages_per_second"] == 333_333


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("latency", "0", "8"), "usage: messages CELL NUMBER BYTES REPEATS, with 2 ranks"),
        (("expected", "0", "8", "1"), "usage: messages CELL NUMBER BYTES REPEATS, with 2 ranks"),
        (("sideways", "1", "8", "1"), "found another cell, expected latency, expected, reverse or"),
    ],
)
def test_words_that_the_program_does_not_know(
    words: tuple[str, ...], said: str, mpi: library.Library, tmp_path: Path
) -> None:
    setting = messages.Setting(
        "tiny", messages.program(mpi), mpi, provider.folder(), tmp_path, True
    )
    start, known = messages.environment(setting, messages.PLAIN, tmp_path)
    done = subprocess.run([*start, *words], env=known, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert said in done.stderr


def test_other_options_are_refused(tmu: Tmu) -> None:
    done = tmu("bench", "--mpi", "--software")
    assert done.returncode == 2
    assert "--mpi takes only --preset, --quick, --plots and --json beside it" in done.stderr


def test_a_plot_of_nothing_is_not_written(tmp_path: Path) -> None:
    latencies = [one for one in measured() if one["position"] == messages.LATENCY]
    written = plot_messages.write(tmp_path, latencies)
    assert sorted(file.name for file in written) == [
        "bench-mpi-latency.png",
        "bench-mpi-latency.svg",
    ]
