# SPDX-License-Identifier: Apache-2.0
"""The hardware of the card behind the driver: two cards over a switch, as programs see them."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from opentmu import presets
from opentmu.bench import simulate
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.mill


@pytest.fixture(scope="module")
def library() -> Path:
    return verilate.card_library(presets.use(simulate.CARD_CONFIGURATION))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("test_card", ""),
        pytest.param("test_card_pages", "?pauses=3", marks=pytest.mark.long),
        pytest.param("test_card_soak", "?pauses=4&lulls=2000", marks=pytest.mark.long),
    ],
)
def test_the_hardware_does_what_the_functional_card_does(
    name: str, options: str, library: Path
) -> None:
    """W1 to W9: the tests of the functional card, on two simulated ones."""
    folder = cbuild.ensure()
    program, switch = cbuild.program(folder, name), cbuild.program(folder, "tmu-switch")
    done = subprocess.run(
        [program, switch],
        env={**os.environ, "TMU_TEST_CARD": f"sim:{library}{options}"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[1-9]\d* passed, 0 failed$", done.stdout, re.MULTILINE)
