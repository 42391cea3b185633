# SPDX-License-Identifier: Apache-2.0
"""Soaks: many endpoints at random, other quotas, reserves and resets in the middle, nothing lost.

Beside the law a ledger of handles watches: each operation is answered once, each entry comes back
once, nothing comes from before a reset, and what is left is what the unit says that it has.
The long ones are campaigns of `tmu test --long`.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from opentmu.bench.seed import announce, choose
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.slow

Result = dict[str, Any]


def soak(uri: str, count: int, seed: int, *options: str) -> Result:
    """The result of a soak in which every verdict was the law's, and every handle came back."""
    announce(seed)
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    words = [str(program), "--uri", uri, "--random", str(count), "--seed", str(seed), "--soak"]
    done = subprocess.run([*words, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: Result = json.loads(done.stdout)
    assert result["operations"] == count and result["mismatches"] == 0
    found = result["soak"]
    assert found["answered"] + result["held"] == count
    assert found["queued"] == found["given_back"] + found["forgotten"] + found["left"]
    return result


def require_everything(result: Result) -> None:
    """The soak met what it is for."""
    found, counters = result["soak"], result["counters"]
    for name in ("resets", "quota_changes", "reserve_changes", "given_back", "forgotten"):
        assert found[name] > 0, f"{name}: this soak tested nothing"
    names = ("post_refused", "arrive_stalled", "cancelled", "cancel_late", "flushes")
    for name in (*names, "removed_posted", "removed_unexpected", "refused_endpoint"):
        assert counters[name] > 0, f"{name}: this soak tested nothing"
    assert result["flow"]["resumes"] > 0


@pytest.mark.parametrize("deep", [False, True], ids=["tables", "deep"])
def test_a_soak_of_the_hardware(deep: bool) -> None:
    """R7, R11, R13, R14, R15: a workload with resets and pauses; the deep one lives in memory."""
    seed = choose() | 1 if deep else choose() & ~1  # those of odd seeds outgrow the tables
    result = soak(f"sim:{verilate.library('tiny')}?pauses={seed}", 5_000, seed)
    found = result["soak"]
    for name in ("resets", "quota_changes", "reserve_changes", "forgotten"):
        assert found[name] > 0, f"{name}: this soak tested nothing"
    assert found["left"] == 0, "R14: the flushes at the end have left something"
    assert not deep or result["counters"]["spill_taken"] > 0
    assert result["spill"]["chunks_free"] == result["spill"]["chunks"]


@pytest.mark.long
def test_a_soak_of_hardware_without_memory() -> None:
    """R7, R11, R13, R14, R15: `ecp5` takes no memory, so its full tables refuse and stall."""
    seed = choose()
    result = soak(f"sim:{verilate.library('ecp5')}?pauses={seed}", 20_000, seed)
    for name in ("post_refused", "arrive_stalled", "cancelled", "flushes"):
        assert result["counters"][name] > 0, f"{name}: this soak tested nothing"
    assert result["soak"]["resets"] > 0
    assert result["spill"] == {"segments": 0, "chunks": 0, "chunks_free": 0}
    assert result["counters"]["spill_deferred"] == 0


@pytest.mark.parametrize("preset", ["tiny", "nic"])
def test_a_soak_of_the_functional_device(preset: str) -> None:
    """R7, R11, R13, R14, R15: up to 256 endpoints of `nic`."""
    result = soak(f"ref:{preset}", 400_000, choose())
    require_everything(result)
    assert result["soak"]["left"] == 0


@pytest.mark.parametrize(
    ("preset", "options"),
    [("tiny", ("--spill", "0")), ("ecp5", ()), ("tiny", ("--quota", "5"))],
    ids=["tables", "no memory", "quota"],
)
def test_a_soak_with_limits(preset: str, options: tuple[str, ...]) -> None:
    """R11: tables that fill, and quotas everywhere from the start."""
    require_everything(soak(f"ref:{preset}", 100_000, choose(), *options))


def test_a_seed_gives_the_same_soak() -> None:
    first, second = (soak("ref:tiny", 30_000, 5) for _ in range(2))
    assert first == second


def test_a_soak_is_random(tmp_path: Path) -> None:
    """A trace is no soak."""
    trace = tmp_path / "one.trace"
    trace.write_text("# tmu-trace v1\npost 0 1 0 any any 8\n")
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    words: list[str | Path] = [program, "--uri", "ref:tiny", "--trace", trace, "--soak"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "tmu-replay: found --soak without --random" in done.stderr
