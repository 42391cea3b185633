# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_page_counters.py in the whole unit, one simulation each."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

TESTS = Path(__file__).with_name("cocotb_page_counters.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_page_counters(name: str) -> None:
    """One cocotb test."""
    simulate.check("TmuTop", TESTS, name)
