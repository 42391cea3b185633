# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of queues in memory in the whole unit, one simulation each."""

from pathlib import Path

import pytest
from opentmu.bench import simulate

TESTS = Path(__file__).with_name("cocotb_spill.py")
LIMITS = Path(__file__).with_name("cocotb_spill_limits.py")

# The others run in long tests.
OFTEN = {
    "r11_everything_at_random_beyond_the_tables",
    "a_segment_too_many_is_an_error",
    "r14_flushes_take_whole_chunks",
    "r14_a_read_that_fails_ends_a_flush",
}
CASES = [(file, name) for file in (TESTS, LIMITS) for name in simulate.cocotb_tests(file)]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        pytest.param(*case, id=case[1], marks=[] if case[1] in OFTEN else pytest.mark.long)
        for case in CASES
    ],
)
def test_spill(file: Path, name: str) -> None:
    """One cocotb test."""
    simulate.check("TmuTop", file, name)
