# SPDX-License-Identifier: Apache-2.0
"""`./tmu run` as a user types it: real and hostile traces, every engine, identical logs."""

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths

from . import shapes
from .expected import law

pytestmark = pytest.mark.slow

Tmu = Callable[..., subprocess.CompletedProcess[str]]
HOSTILE = {
    "reverse": shapes.reverse(4096),
    "mod256": shapes.equal_modulo(1000, 256),
    "mod65536": shapes.equal_modulo(1000, 65536),
    "negative": shapes.negative_tags(300),
    "unexpected": shapes.unexpected_reverse(600),
}
# The same for tables of 64 entries.
HOSTILE_SMALL = {
    "reverse": shapes.reverse(64, endpoint=3),
    "mod256": shapes.equal_modulo(64, 256),
    "mod65536": shapes.equal_modulo(64, 65536),
    "negative": shapes.negative_tags(64),
    "unexpected": shapes.unexpected_reverse(64),
}
COMMITTED = {trace.name.split(".")[0]: trace for trace in paths.TRACES.glob("*.trace.gz")}
TINY = ("--preset", "tiny", "--spill", "0")
NIC = ("--preset", "nic")


def logs(tmu: Tmu, trace: Path, folder: Path, *options: str) -> dict[str, str]:
    """The verdict logs of both engines; each run must end well and without a difference."""
    found = {}
    for engine in ("rtl", "model"):
        log = folder / f"{engine}.log"
        words = ["run", "--trace", trace, "--engine", engine, "--verdicts", log, "--json", *options]
        if engine == "rtl":
            words += ["--pauses", "11"]
        done = tmu(*words)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["mismatches"] == 0
        assert result["operations"] == len(log.read_text().splitlines()) > 0
        found[engine] = log.read_text()
    return found


@pytest.mark.long
@pytest.mark.parametrize("shape", HOSTILE)
def test_hostile_traces_give_the_log_of_the_law(tmu: Tmu, tmp_path: Path, shape: str) -> None:
    """R1 to R6, R12 at depth: the preset nic, both engines, the law."""
    trace = shapes.write(tmp_path / "hostile.trace", HOSTILE[shape])
    expected = law(trace, endpoints=2048, posted=16384, unexpected=16384)
    assert logs(tmu, trace, tmp_path, *NIC) == {"rtl": expected, "model": expected}


@pytest.mark.parametrize("shape", HOSTILE_SMALL)
def test_hostile_traces_on_small_tables_give_the_log_of_the_law(
    tmu: Tmu, tmp_path: Path, shape: str
) -> None:
    """R1 to R6, R12: the same, as deep as tables of 64 entries go."""
    trace = shapes.write(tmp_path / "hostile.trace", HOSTILE_SMALL[shape])
    expected = law(trace, endpoints=4, posted=64, unexpected=64)
    found = logs(tmu, trace, tmp_path, *TINY)
    assert found == {"rtl": expected, "model": expected}


@pytest.mark.parametrize("preset", [(), pytest.param(NIC, marks=pytest.mark.long)], ids=["", "nic"])
@pytest.mark.parametrize("name", sorted(COMMITTED))
def test_recorded_traffic_gives_the_log_of_the_law(
    tmu: Tmu, tmp_path: Path, name: str, preset: tuple[str, ...]
) -> None:
    """R7: real programs' traffic, on the default preset and on nic, both engines, the law.

    Nothing is refused: the default has an endpoint for each rank of every committed trace.
    """
    trace = COMMITTED[name]
    expected = law(trace, endpoints=2048, posted=16384, unexpected=16384)
    assert "refused" not in expected
    assert logs(tmu, trace, tmp_path, *preset) == {"rtl": expected, "model": expected}


@pytest.mark.parametrize("name", sorted(COMMITTED))
def test_recorded_traffic_on_small_tables_gives_the_log_of_the_law(
    tmu: Tmu, tmp_path: Path, name: str
) -> None:
    """R7, R11: the same, every operation, with tables of 64 entries."""
    trace = COMMITTED[name]
    expected = law(trace, endpoints=4, posted=64, unexpected=64)
    found = logs(tmu, trace, tmp_path, *TINY, "--refuse-endpoints")
    assert found == {"rtl": expected, "model": expected}


@pytest.mark.parametrize("quota", [1, 5])
def test_quotas_give_the_log_of_the_law(tmu: Tmu, tmp_path: Path, quota: int) -> None:
    """R11: refused posts and held-back arrivals, in both engines as in the law."""
    trace = shapes.write(tmp_path / "quota.trace", shapes.unexpected_reverse(60))
    expected = law(
        trace,
        endpoints=4,
        posted=64,
        unexpected=64,
        quota_posted=quota,
        quota_unexpected=quota,
    )
    assert "refused quota" in expected or "held" in expected
    found = logs(tmu, trace, tmp_path, "--preset", "tiny", "--quota", str(quota))
    assert found == {"rtl": expected, "model": expected}


def test_an_endpoint_that_is_not_there_is_refused(tmu: Tmu, tmp_path: Path) -> None:
    """R13: every kind of operation, flush included."""
    lines = [
        "post 4 1 0 any any 8",
        "arrive 5 1 0 0 0 8",
        "probe 4294967295 2 0 any any",
        "claim 4 3 0 any any",
        "cancel 4 4 1",
        "flush 4 5",
        "post 3 6 0 any any 8",
    ]
    trace = shapes.write(tmp_path / "endpoint.trace", lines)
    kinds = [("post", 1), ("arrive", 1), ("probe", 2), ("claim", 3), ("cancel", 4), ("flush", 5)]
    expected = "".join(f"{kind} {number} refused endpoint\n" for kind, number in kinds)
    expected += "post 6 queued\n"
    found = logs(tmu, trace, tmp_path, "--preset", "tiny", "--refuse-endpoints")
    assert found == {"rtl": expected, "model": expected}


def test_several_traces_print_runs(tmu: Tmu, tmp_path: Path) -> None:
    """One JSON object with a run a trace, and a folder with a log a trace."""
    traces = [
        shapes.write(tmp_path / f"{name}.trace", shapes.reverse(count))
        for name, count in (("a", 20), ("b", 30))
    ]
    words = [word for trace in traces for word in ("--trace", trace)]
    folder = tmp_path / "logs"
    done = tmu("run", *words, "--engine", "model", "--verdicts", folder, "--json")
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    assert [run["operations"] for run in runs] == [40, 60]
    assert sorted(log.name for log in folder.iterdir()) == ["a.verdicts", "b.verdicts"]


def test_a_wave_is_written(tmu: Tmu, tmp_path: Path) -> None:
    """An FST file that starts with its header block and holds the unit's signals."""
    trace = shapes.write(tmp_path / "wave.trace", shapes.reverse(10))
    wave = tmp_path / "wave.fst"
    done = tmu("run", "--trace", trace, "--preset", "tiny", "--wave", wave, "--json")
    assert done.returncode == 0, done.stderr
    content = wave.read_bytes()
    assert content[0] == 0, "an FST file starts with a header block"
    assert len(content) > 10_000
    assert json.loads(done.stdout)["mismatches"] == 0


def test_a_timed_run_keeps_the_times_of_the_trace(tmu: Tmu, tmp_path: Path) -> None:
    """A gap of a second is skipped, not simulated, and counts as clocks."""
    lines = ["post 0 1 0 0 0 8 @0", "arrive 0 1 0 0 0 8 @1000000000"]
    trace = shapes.write(tmp_path / "timed.trace", lines)
    words = ["run", "--trace", trace, "--preset", "tiny", "--timed", "--clock-mhz", "300", "--json"]
    result = json.loads(tmu(*words).stdout)
    assert 300_000_000 <= result["clocks"] < 300_001_000
    assert result["matches"] == 1


def test_a_compressed_trace_is_read(tmu: Tmu, tmp_path: Path) -> None:
    """The same log from a trace and from its gzip file."""
    plain = shapes.write(tmp_path / "plain.trace", shapes.reverse(50))
    packed = tmp_path / "packed.trace.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    texts = []
    for trace in (plain, packed):
        log = tmp_path / "log"
        assert tmu("run", "--trace", trace, "--engine", "model", "--verdicts", log).returncode == 0
        texts.append(log.read_text())
    assert texts[0] == texts[1] != ""
