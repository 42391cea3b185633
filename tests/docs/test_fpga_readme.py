# SPDX-License-Identifier: Apache-2.0
"""Widths of the doorbell aperture in fpga/README.md: a narrow one would cut pages off."""

import re

import pytest
from opentmu import paths, regs
from opentmu.build import fpga

TEXT = (paths.ROOT / "fpga" / "README.md").read_text()


def test_the_commands_by_hand_reach_every_page() -> None:
    preset = re.search(r"tmu verilog --preset (\w+) ", TEXT)
    widths = re.findall(r"-chparam ADDRESS_BITS (\d+)", TEXT)
    assert preset and widths
    assert {int(width) for width in widths} == {fpga.address_bits(preset[1])}


def test_the_widths_named_are_those_of_the_presets() -> None:
    sentence = re.search(r"^`ADDRESS_BITS` of the wrapper is .*$", TEXT, re.MULTILINE)
    assert sentence
    named = re.findall(r"(\d+) for `(\w+)`", sentence[0])
    assert len(named) >= 3
    assert {name: int(bits) for bits, name in named} == {
        name: fpga.address_bits(name) for _, name in named
    }


@pytest.mark.parametrize("preset", regs.PRESETS)
def test_the_aperture_holds_a_page_for_every_queue_and_the_privileged_one(preset: str) -> None:
    """R13: pages differ in the address bits above 12."""
    pages = regs.PRESETS[preset].queues + 1
    assert 1 << (fpga.address_bits(preset) - 12) >= pages > 1 << (fpga.address_bits(preset) - 13)


def test_the_wrappers_default_is_named_by_a_preset() -> None:
    for file in ("tmu_wrapper.sv", "tmu_pins.sv"):
        text = (paths.ROOT / "fpga" / "wrapper" / file).read_text()
        default = re.search(r"parameter integer ADDRESS_BITS = (\d+)", text)
        assert default and int(default[1]) == fpga.address_bits("tiny"), file
