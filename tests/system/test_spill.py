# SPDX-License-Identifier: Apache-2.0
"""R11: queues that outgrow the tables go on in memory; nothing waits for ever, no log differs."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import regs

from . import shapes
from . import shapes_spill as deep
from .expected import law

Tmu = Callable[..., subprocess.CompletedProcess[str]]
Shape = Callable[[int], list[str]]
REVERSED: dict[str, Shape] = {
    "receives": deep.receives_reversed,
    "messages": deep.messages_reversed,
    "both": deep.both_reversed,
}
TINY = regs.PRESETS["tiny"]
TABLE = TINY.posted_entries
RTL = ("--engine", "rtl", "--pauses", "11")
MODEL = ("--engine", "model")
DEMANDED = 10_000


def judged(tmu: Tmu, trace: Path, *options: str, quota: int = 0) -> dict[str, Any]:
    """A run on the preset tiny that must agree with the law; its result."""
    log = trace.with_suffix(".log")
    words = ["run", "--trace", trace, "--preset", "tiny", "--verdicts", log, "--json", *options]
    words += ["--quota", str(quota)] if quota else []
    done = tmu(*words)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["mismatches"] == 0
    limits = {"quota_posted": quota, "quota_unexpected": quota}
    assert log.read_text() == law(trace, endpoints=TINY.endpoints, **limits)
    return result


def drained(result: dict[str, Any], count: int) -> None:
    """Everything matched, nothing was refused, and all memory is free again."""
    spill = result["spill"]
    assert result["matches"] >= count
    assert result["refused"] == result["held"] == result["flow"]["stalls"] == 0
    assert spill["segments"] == TINY.spill_segments
    assert spill["chunks_free"] == spill["chunks"] > 0


def through_memory(result: dict[str, Any], entries: int) -> None:
    """The hardware kept that many entries in memory, and nothing went wrong there."""
    counters = result["counters"]
    assert counters["spill_appended"] >= entries
    assert counters["spill_deferred"] > 0
    assert counters["spill_taken"] + counters["spill_refilled"] > 0
    assert counters["spill_refused"] == counters["spill_errors"] == 0


@pytest.mark.parametrize("shape", REVERSED)
@pytest.mark.parametrize(
    ("engine", "count"),
    [
        pytest.param(MODEL, DEMANDED, id="model"),
        pytest.param(RTL, 10 * TABLE, id="rtl"),
        pytest.param(RTL, DEMANDED, id="rtl-in-full", marks=pytest.mark.long),
    ],
)
def test_reverse_order(
    tmu: Tmu, tmp_path: Path, engine: tuple[str, ...], count: int, shape: str
) -> None:
    """R11: no deadlock and no order lost; the hardware with pauses on the memory's channels too."""
    trace = shapes.write(tmp_path / "reverse.trace", REVERSED[shape](count))
    result = judged(tmu, trace, *engine)
    drained(result, count)
    if engine == MODEL:
        assert max(result["depth_max"].values()) == count
    else:
        through_memory(result, count - TABLE)


@pytest.mark.parametrize("quota", [0, 150], ids=["free", "quota"])
@pytest.mark.parametrize("engine", [MODEL, RTL], ids=["model", "rtl"])
def test_mixed_operations_far_beyond_the_tables(
    tmu: Tmu, tmp_path: Path, engine: tuple[str, ...], quota: int
) -> None:
    """R1 to R15 on four endpoints: cancels, probes, claims and flushes of what lies in memory."""
    trace = shapes.write(tmp_path / "mixed.trace", deep.mixed(3000, tags=300, seed=quota + 1))
    result = judged(tmu, trace, *engine, quota=quota)
    assert min(result["depth_max"].values()) > 4 * TABLE
    assert (result["held"] + result["refused"] > 0) == (quota > 0)
    for name in ("cancelled", "probe_found", "claim_matched", "removed_posted"):
        assert result["counters"][name] > 0, f"{name}: these operations tested nothing"
    if engine == RTL:
        through_memory(result, 4 * TABLE)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_mixed_operations_for_long(tmu: Tmu, tmp_path: Path, seed: int) -> None:
    """R1 to R15: the same, with more of everything."""
    trace = shapes.write(tmp_path / "mixed.trace", deep.mixed(20_000, tags=1500, seed=seed))
    through_memory(judged(tmu, trace, *RTL), 40 * TABLE)


@pytest.mark.parametrize("engine", ["rtl", "model", "list"])
def test_without_memory_a_full_table_refuses(tmu: Tmu, tmp_path: Path, engine: str) -> None:
    """R11: `--spill 0` is the unit with its tables alone."""
    count = TABLE + 5
    trace = shapes.write(tmp_path / "full.trace", deep.receives_reversed(count))
    words = ["run", "--trace", trace, "--preset", "tiny", "--engine", engine, "--json"]
    done = tmu(*words, "--spill", "0")
    assert done.returncode == 0, done.stderr
    alone = json.loads(done.stdout)
    assert alone["refused"] == 5 and alone["matches"] == TABLE
    done = tmu(*words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matches"] == count


def test_one_segment_of_four(tmu: Tmu, tmp_path: Path) -> None:
    """`--spill N` registers that many; more than the preset takes is refused."""
    trace = shapes.write(tmp_path / "one.trace", deep.receives_reversed(2 * TABLE))
    words = ["run", "--trace", trace, "--preset", "tiny", "--engine", "model", "--json"]
    done = tmu(*words, "--spill", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["spill"] == {"segments": 1, "chunks": 512, "chunks_free": 512}
    done = tmu(*words, "--spill", "5")
    assert done.returncode == 2
    assert "--spill 5: preset tiny takes 4 segments at most" in done.stderr
