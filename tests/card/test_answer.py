# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of cocotb_answer.py on the card's builder of answers alone."""

from pathlib import Path

import pytest
from opentmu.bench import simulate
from opentmu.build import rtl

pytestmark = pytest.mark.mill

TOP = "AnswerBuilder"
TESTS = Path(__file__).with_name("cocotb_answer.py")


@pytest.mark.parametrize("name", simulate.cocotb_tests(TESTS))
def test_answer(name: str) -> None:
    """One cocotb test."""
    folder = simulate.build(TOP, rtl.ensure_card() / "answer")
    simulate.run(folder, TOP, TESTS, name).require()
