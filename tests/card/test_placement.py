# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_placement.py on the card's placement alone."""

from pathlib import Path

import pytest
from opentmu.bench import simulate
from opentmu.build import rtl

pytestmark = pytest.mark.mill

TOP = "Placement"
TESTS = Path(__file__).with_name("cocotb_placement.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_placement(name: str) -> None:
    """One cocotb test."""
    folder = simulate.build(TOP, rtl.ensure_card() / "placement")
    simulate.run(folder, TOP, TESTS, name).require()
