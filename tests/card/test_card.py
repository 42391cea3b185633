# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of the whole card: the unit of preset tiny with a network side that
receives and sends."""

from pathlib import Path

import pytest
from opentmu import presets
from opentmu.bench import simulate
from opentmu.build import verilate
from opentmu.errors import BadInput

pytestmark = pytest.mark.mill
NAMES = ("card", "sends", "again", "shortage")
TESTS = [Path(__file__).with_name(f"cocotb_{name}.py") for name in NAMES]
LONG = ("no_number_is_left",)
CASES = [
    pytest.param(file, name, marks=pytest.mark.long if name in LONG else (), id=name)
    for file in TESTS
    for name in simulate.cocotb_tests(file)
]


@pytest.mark.parametrize(("file", "name"), CASES)
def test_card(file: Path, name: str) -> None:
    """One cocotb test."""
    simulate.run(simulate.card(), simulate.CARD, file, name).require()


def test_no_program_drives_a_card(tmp_path: Path) -> None:
    """The device's simulation is that of a unit alone; it says so before anything is built."""
    with pytest.raises(BadInput, match=r"tiny_card\.toml: pdcs is 8"):
        verilate.make_top(presets.use(simulate.CARD_CONFIGURATION), tmp_path, tmp_path, wave=False)
