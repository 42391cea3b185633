# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of the whole card: the unit of preset tiny with a network side that
receives and sends."""

from pathlib import Path

import pytest
from opentmu.bench import simulate
from opentmu.build import rtl
from opentmu.errors import BadInput

pytestmark = pytest.mark.mill
NAMES = ("card", "sends", "again", "shortage")
TESTS = [Path(__file__).with_name(f"cocotb_{name}.py") for name in NAMES]
LONG = (
    "no_number_is_left",
    "messages_to_itself_and_to_others",
)
CASES = [
    pytest.param(file, name, marks=pytest.mark.long if name in LONG else (), id=name)
    for file in TESTS
    for name in simulate.cocotb_tests(file)
]


@pytest.mark.parametrize(("file", "name"), CASES)
def test_card(file: Path, name: str) -> None:
    """One cocotb test."""
    simulate.run(simulate.card(), simulate.CARD, file, name).require()


def test_a_configuration_without_a_network_side_has_no_card() -> None:
    """A sentence says so before anything is built."""
    with pytest.raises(BadInput, match="small: pdcs is 0; a card has a network side"):
        rtl.ensure_card("small")
