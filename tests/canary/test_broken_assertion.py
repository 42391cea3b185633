# SPDX-License-Identifier: Apache-2.0
"""Assertions ring, and they are bound by files that a plain file list does not name."""

import shutil
from pathlib import Path

import pytest
from opentmu import stage, toolchain
from opentmu.bench import simulate
from opentmu.build import rtl, verilate
from opentmu.errors import CheckFailed

TESTS = Path(__file__).with_name("cocotb_full_table.py")
TEST = "append_beyond_the_last_slot"
TOP = "MatchArrayPosted"


def test_an_append_to_a_full_array_stops_the_simulation() -> None:
    """R11: the assertion fails, and the simulation with it."""
    result = simulate.run(simulate.build(TOP), TOP, TESTS, TEST)
    assert not result.passed
    assert "took an entry in without a hole" in result.log


def test_the_file_list_alone_would_miss_it() -> None:
    """The same append in a simulation made from filelist.f only passes unnoticed."""
    from cocotb_tools.runner import get_runner

    toolchain.need_verilator()
    design = rtl.ensure(simulate.PRESET)
    listed = [design / line for line in (design / "filelist.f").read_text().split()]
    target = simulate.SIMULATIONS / f"{TOP}-unchecked"
    key = stage.hash_of([(design / stage.STAMP).read_text(), Path(__file__)])

    def make(folder: Path) -> None:
        get_runner("verilator").build(
            sources=listed,
            hdl_toplevel=TOP,
            build_dir=folder,
            build_args=verilate.FLAGS,
            log_file=folder / "build.log",
        )

    stage.ensure(target, key, make, in_place=True)
    result = simulate.run(target, TOP, TESTS, TEST)
    result.require()
    assert "Assertion failed" not in result.log


def test_a_design_without_bind_files_is_refused(tmp_path: Path) -> None:
    """The one function that builds simulations does not build one without assertions."""
    design = tmp_path / "design"
    shutil.copytree(rtl.ensure(simulate.PRESET), design)
    assert set(verilate.bind_files(design)) <= set(verilate.sources(design))
    for bind in verilate.bind_files(design):
        bind.unlink()
    with pytest.raises(CheckFailed, match=r"no .* binds an assertion"):
        verilate.sources(design)
