# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_pdc.py on the card's table of connections alone."""

from pathlib import Path

import pytest
from opentmu.bench import simulate
from opentmu.build import rtl

pytestmark = pytest.mark.mill

TOP = "PdcStage"
TESTS = Path(__file__).with_name("cocotb_pdc.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_pdc(name: str) -> None:
    """One cocotb test."""
    folder = simulate.build(TOP, rtl.ensure_card() / "pdc")
    simulate.run(folder, TOP, TESTS, name).require()
