# SPDX-License-Identifier: Apache-2.0
"""The driver's own tests on the simulated hardware; ctest runs them on the functional device."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.slow

# Those that tests/CMakeLists.txt of the driver runs by a library as well.
TESTS = (
    "cancel",
    "counters",
    "device",
    "dump",
    "filter",
    "flow",
    "fork",
    "operations",
    "queue",
    "random",
    "reserve",
    "shared_endpoint",
    "spill",
    "spill_dump",
    "spill_end",
    "spill_full",
    "spill_held",
    "threads",
    "threads_model",
)


def passed(program: Path, **environment: str) -> int:
    """Run a test program; how many of its tests passed, all of them."""
    done = subprocess.run(
        [program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = re.search(r"^(\d+) passed, 0 failed$", done.stdout, re.MULTILINE)
    assert found, done.stdout
    return int(found[1])


@pytest.mark.parametrize("name", TESTS)
def test_the_driver_on_the_simulated_hardware(name: str) -> None:
    """Each test runs once more than on the functional device alone."""
    program = cbuild.program(cbuild.ensure(), f"driver_test_{name}")
    alone = passed(program, TMU_TEST_SIM="")
    assert passed(program, TMU_TEST_SIM=str(verilate.library("tiny"))) > alone


def test_a_presets_name_finds_its_library_in_a_checkout() -> None:
    """Whoever builds the driver there need not know where simulations lie."""
    program = cbuild.program(cbuild.ensure(), "tmu-info")
    library = verilate.library("tiny")
    done = subprocess.run([program, "sim:tiny"], capture_output=True, text=True, check=False)
    assert library.is_file()
    assert done.returncode == 0, done.stderr
    assert re.search(r"^backend +sim$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("pauses=x", "found pauses=x, expected a decimal seed"),
        ("memory_latency=0", "found memory_latency=0, expected clocks from 1 to 10000"),
        ("memory_latency=10001", "found memory_latency=10001, expected clocks from 1 to 10000"),
        ("memory_latency=-3", "found memory_latency=-3, expected clocks from 1 to 10000"),
        ("memory_latency", "found memory_latency=, expected clocks from 1 to 10000"),
        ("memory_spread=10001", "found memory_spread=10001, expected clocks from 0 to 10000"),
        ("memory_gap=0", "found memory_gap=0, expected clocks from 1 to 10000"),
        ("wave", "found wave without a file name, expected wave=FILE"),
        ("window", "found window without a file name, expected window=FILE"),
        ("speed=9", "found option 'speed', expected pauses, lulls, memory_latency, memory_spread,"),
        ("lulls=50", "found lulls without pauses"),
        ("pauses=1&lulls=0", "found lulls=0, expected clocks from 1 on"),
    ],
)
def test_options_of_the_simulated_hardware_are_checked(options: str, problem: str) -> None:
    """A URI with an option that cannot be honoured opens nothing and says why."""
    program = cbuild.program(cbuild.ensure(), "tmu-info")
    uri = f"sim:{verilate.library('tiny')}?{options}"
    done = subprocess.run([program, uri], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"does not start with options '{options}': {problem}" in done.stderr


@pytest.mark.parametrize("latency", [1, 300])
def test_memory_may_be_near_and_far(latency: int) -> None:
    """R11: what is right does not depend on how long memory takes."""
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    uri = f"sim:{verilate.library('tiny')}?pauses=4&memory_latency={latency}"
    words: list[str | Path] = [program, "--uri", uri, "--random", "800", "--seed", "5"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["mismatches"] == 0
    assert result["counters"]["spill_taken"] > 0
