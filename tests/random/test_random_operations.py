# SPDX-License-Identifier: Apache-2.0
"""Random operations from a compiled loop: driver, doorbells, RTL, completions, checker.

Each run prints its seed; TMU_SEED replays one.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from opentmu.bench import seed
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.slow

RUNS = {"tiny": 50_000, "nic": 6_000}
# Verilating and compiling `nic` takes two cores ten minutes, a third of what `./tmu test` may take.
PRESETS = ["tiny", pytest.param("nic", marks=pytest.mark.long)]
# With memory each search of a queue that has entries there takes a hundred clocks and more.
DEEP = 8_000


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("pauses", [False, True], ids=["flowing", "pausing"])
def test_random_operations_agree_with_the_law(preset: str, pauses: bool) -> None:
    """R1 to R15 on random traffic: wildcards, deep queues, cancels, claims, full tables."""
    counters = simulated(preset, pauses, RUNS[preset], "--spill", "0")
    for name in ("post_matched", "arrive_matched", "post_queued", "arrive_queued", "cancel_late"):
        assert counters[name] > 0, f"{name}: these operations tested nothing"


@pytest.mark.parametrize("pauses", [False, True], ids=["flowing", "pausing"])
def test_random_operations_beyond_the_tables(pauses: bool) -> None:
    """R1 to R15, R11 above all: queues that grow out of the tables into memory and back."""
    counters = simulated("tiny", pauses, DEEP, deep=True)
    for name in ("spill_deferred", "spill_appended", "spill_taken"):
        assert counters[name] > 0, f"{name}: these operations tested nothing"
    assert counters["spill_errors"] == 0


def simulated(
    preset: str, pauses: bool, count: int, *options: str, deep: bool = False
) -> dict[str, int]:
    """Replay random operations on the simulated hardware; its counters when the law agrees."""
    value = seed.choose()
    if deep:
        value += 1 - value % 4  # these outgrow the tables and have no quota
    seed.announce(value)
    uri = f"sim:{verilate.library(preset)}" + (f"?pauses={value}" if pauses else "")
    return replay(uri, count, value, *options)


def replay(uri: str, count: int, value: int, *options: str) -> dict[str, int]:
    """Replay random operations on a device; its counters when the law agrees."""
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    words = [str(program), "--uri", uri, "--random", str(count), "--seed", str(value), *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["operations"] == count
    assert result["mismatches"] == 0
    counters: dict[str, int] = result["counters"]
    return counters


@pytest.mark.parametrize("spill", ["0", "4"])
@pytest.mark.parametrize("matcher", ["", "?engine=fuzzy", "?engine=fuzzy-portable", "?engine=list"])
def test_the_functional_device_agrees_with_the_law(matcher: str, spill: str) -> None:
    """R1 to R15: the driver's functional device, by the model and by each software engine."""
    replay(f"ref:tiny{matcher}", 200_000, 5, "--spill", spill)


@pytest.mark.parametrize("spill", ["0", "4"])
def test_a_soak_of_a_software_engine(spill: str) -> None:
    """R11, R13, R14: other quotas, reserves and resets in the middle of it."""
    options = ["--spill", spill, "--soak"]
    replay("ref:tiny?engine=fuzzy", 200_000, 6, *options)


@pytest.mark.parametrize("option", ["", "--soak"])
@pytest.mark.parametrize("bits", ["id_bits=7", "handle_bits=7&id_bits=7"])
def test_a_narrow_unit_is_asked_for_no_more_than_it_has(bits: str, option: str) -> None:
    """R15: operations of one run differ in their handles, and its receives have ids."""
    replay(f"ref:tiny?{bits}", 20_000, 5, *option.split())


def test_a_run_that_stands_still_says_why(tmp_path: Path) -> None:
    """With memory a queue takes more receives than a unit with short ids can tell apart."""
    trace = tmp_path / "posts.trace"
    posts = "".join(f"post 0 {number} 0 1 1 8\n" for number in range(200))
    trace.write_text(f"# tmu-trace v1\n{posts}arrive 0 1 0 1 1 8\n")
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    words = [str(program), "--uri", "ref:tiny?id_bits=7", "--trace", str(trace)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1
    assert "an operation that the driver does not accept" in done.stderr
    assert "at most 127 have ids" in done.stderr
