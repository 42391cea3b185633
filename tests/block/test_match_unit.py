# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_match_unit.py, one simulation each."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

pytestmark = pytest.mark.mill

TESTS = Path(__file__).with_name("cocotb_match_unit.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_match_unit(name: str) -> None:
    """One cocotb test."""
    simulate.check("MatchUnit", TESTS, name)
