# SPDX-License-Identifier: Apache-2.0
"""The driver's own tests on the simulated hardware; ctest runs them on the functional device."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from opentmu.build import cbuild, verilate

# Those that tests/CMakeLists.txt of the driver runs by a library as well.
TESTS = (
    "cancel",
    "device",
    "dump",
    "filter",
    "flow",
    "operations",
    "queue",
    "random",
    "shared_endpoint",
    "spill",
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
