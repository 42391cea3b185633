# SPDX-License-Identifier: Apache-2.0
"""The long campaign of `./tmu test --long`: 100 million random operations on two streams."""

import pytest
from opentmu.bench import seed
from opentmu.benchmark import harness

# Small tables reach every corner often; nic is large and slow to simulate.
OPERATIONS = {"tiny": 100_000_000, "ecp5": 10_000_000, "nic": 500_000}


@pytest.mark.long
@pytest.mark.parametrize("preset", OPERATIONS)
def test_a_hundred_million_operations_agree_with_the_law(preset: str) -> None:
    """R1 to R15 on both streams at once, with pauses; TMU_SEED replays one."""
    number = seed.announce()
    result = harness.campaign(preset, OPERATIONS[preset], seed=number, flowing=False)
    print(result)
    assert result["operations"] >= OPERATIONS[preset]
    assert result["differences"] == 0
