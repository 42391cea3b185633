# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of the two wrappers around the tiny unit, assertions included."""

import shutil
from pathlib import Path

import pytest
from opentmu import paths, stage
from opentmu.bench import simulate
from opentmu.build import fpga, rtl, verilate

pytestmark = pytest.mark.long  # a build of the whole unit for each wrapper

HERE = Path(__file__).parent
FILES = {"tmu_wrapper": HERE / "cocotb_wrapper.py", "tmu_pins": HERE / "cocotb_pins.py"}
CASES = [(top, name) for top, file in FILES.items() for name in simulate.cocotb_tests(file)]


@pytest.fixture(scope="module")
def design() -> Path:
    """The tiny unit's design with the wrappers in its folder and file list."""
    source = rtl.ensure("tiny")
    wrappers = [fpga.FPGA / "wrapper" / f"{name}.sv" for name in fpga.WRAPPERS]
    folder = paths.BUILD / "fpga" / "tiny"
    key = stage.hash_of([(source / stage.STAMP).read_text(), *wrappers])

    def make(target: Path) -> None:
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=lambda *_: {stage.STAMP})
        for file in wrappers:
            shutil.copy(file, target)
        with (target / "filelist.f").open("a") as files:
            files.writelines(f"{file.name}\n" for file in wrappers)

    stage.ensure(folder, key, make)
    return folder


@pytest.mark.parametrize(("top", "name"), CASES)
def test_wrapper_in_simulation(design: Path, top: str, name: str) -> None:
    """One cocotb test; the parameter's default is the width of the tiny preset."""
    assert f"ADDRESS_BITS = {fpga.address_bits('tiny')}" in (design / f"{top}.sv").read_text()
    folder = simulate.build(top, design, top, optimise=verilate.OPTIMISE_LITTLE)
    simulate.run(folder, top, FILES[top], name).require()
