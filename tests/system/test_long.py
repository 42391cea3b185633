# SPDX-License-Identifier: Apache-2.0
"""Runs cocotb_long.py in the whole unit."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

TESTS = Path(__file__).with_name("cocotb_long.py")


@pytest.mark.long
@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_long(name: str) -> None:
    """One cocotb test."""
    simulate.check("TmuTop", TESTS, name)
