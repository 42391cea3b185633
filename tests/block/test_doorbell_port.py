# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_doorbell_port.py, one simulation each."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

pytestmark = pytest.mark.mill

TESTS = Path(__file__).with_name("cocotb_doorbell_port.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_doorbell_port(name: str) -> None:
    """One cocotb test."""
    simulate.check("DoorbellPort", TESTS, name)
