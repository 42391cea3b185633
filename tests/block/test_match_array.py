# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_match_array.py, one simulation each."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

pytestmark = pytest.mark.mill

TESTS = Path(__file__).with_name("cocotb_match_array.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_match_array(name: str) -> None:
    """One cocotb test."""
    simulate.check("MatchArrayPosted", TESTS, name)
