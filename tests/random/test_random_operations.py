# SPDX-License-Identifier: Apache-2.0
"""Random operations from a compiled loop: driver, doorbells, RTL, completions, checker.

Each run prints its seed; TMU_SEED replays one.
"""

import json
import os
import random
import subprocess

import pytest
from opentmu.build import cbuild, verilate

RUNS = {"tiny": 100_000, "nic": 40_000}


@pytest.mark.parametrize("preset", RUNS)
@pytest.mark.parametrize("pauses", [False, True], ids=["flowing", "pausing"])
def test_random_operations_agree_with_the_law(preset: str, pauses: bool) -> None:
    """R1 to R15 on random traffic: wildcards, deep queues, cancels, claims, full tables."""
    seed = int(os.environ.get("TMU_SEED", random.randrange(2**31)))
    print(f"seed {seed}; TMU_SEED={seed} replays this run")
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    uri = f"sim:{verilate.library(preset)}" + (f"?pauses={seed}" if pauses else "")
    words = [str(program), "--uri", uri, "--random", str(RUNS[preset]), "--seed", str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["operations"] == RUNS[preset]
    assert result["mismatches"] == 0
    counters = result["counters"]
    for name in ("post_matched", "arrive_matched", "post_queued", "arrive_queued", "cancel_late"):
        assert counters[name] > 0, f"{name}: these operations tested nothing"


@pytest.mark.parametrize("preset", ["tiny"])
def test_the_functional_device_agrees_with_the_law(preset: str) -> None:
    """The driver's functional device under the same random operations."""
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    words = [str(program), "--uri", f"ref:{preset}", "--random", "200000", "--seed", "5"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mismatches"] == 0
