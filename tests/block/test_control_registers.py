# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_control_registers.py, one simulation each."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

pytestmark = pytest.mark.mill

TESTS = Path(__file__).with_name("cocotb_control_registers.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_control_registers(name: str) -> None:
    """One cocotb test."""
    simulate.check("ControlRegisters", TESTS, name)
