# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_frame.py on the card's frame parser alone."""

from pathlib import Path

import pytest
from opentmu.bench import simulate
from opentmu.build import rtl

pytestmark = pytest.mark.mill

TOP = "FrameParser"
TESTS = Path(__file__).with_name("cocotb_frame.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_frame(name: str) -> None:
    """One cocotb test."""
    folder = simulate.build(TOP, rtl.ensure_card() / "frame")
    simulate.run(folder, TOP, TESTS, name).require()
