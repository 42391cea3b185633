# SPDX-License-Identifier: Apache-2.0
"""Turning Verilog into a simulation never leaves the assertions out."""

from pathlib import Path

import pytest
from opentmu.build import verilate
from opentmu.errors import CheckFailed


@pytest.fixture
def design(tmp_path: Path) -> Path:
    """An elaborated design as firtool lays it out: bind files below verification/."""
    (tmp_path / "filelist.f").write_text("Top.sv\nverification/assert/Top_Assert.sv\n")
    folder = tmp_path / "verification" / "assert"
    folder.mkdir(parents=True)
    (folder / "layers-Top-Assert.sv").write_text("  bind Top Top_Assert verification ();\n")
    return tmp_path


def test_bind_files_are_always_among_the_sources(design: Path) -> None:
    names = [str(file.relative_to(design)) for file in verilate.sources(design)]
    assert names == [
        "Top.sv",
        "verification/assert/Top_Assert.sv",
        "verification/assert/layers-Top-Assert.sv",
    ]
    assert verilate.include_folders(design) == [design, design / "verification/assert"]


def test_a_design_without_bound_assertions_is_refused(design: Path) -> None:
    bind = design / "verification" / "assert" / "layers-Top-Assert.sv"
    bind.write_text("`ifndef layers_Top\n`endif\n")
    with pytest.raises(CheckFailed, match="binds an assertion, so none would run"):
        verilate.sources(design)
    bind.unlink()
    with pytest.raises(CheckFailed, match="binds an assertion, so none would run"):
        verilate.sources(design)
