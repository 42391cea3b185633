# SPDX-License-Identifier: Apache-2.0
"""Every mutant of the hardware has to be noticed by a test, and no test asks for another."""

import re
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.build import mutants
from opentmu.errors import CheckFailed
from opentmu.formal import proofs

from . import test_broken_spill, test_broken_unit, test_broken_verdict

MADE = re.compile(r'\bMutant\(\s*"(\w+)"')
MODULE = "module Top (\n);\n  Mutant_tail Mutant_tail (\n    .on (on)\n  );\nendmodule\n"


def made(folder: Path) -> set[str]:
    """The mutants in Scala sources."""
    return {name for file in folder.rglob("*.scala") for name in MADE.findall(file.read_text())}


def asked() -> set[str]:
    """The mutants that tests switch on."""
    simulated = (test_broken_spill, test_broken_unit, test_broken_verdict)
    return {name for test in simulated for name in test.MUTANTS} | {
        canary.mutant for canary in proofs.CANARIES
    }


def test_every_mutant_is_asked_for() -> None:
    assert made(paths.HW / "src") == asked()


def test_a_mutant_that_a_design_has_not_is_an_error(tmp_path: Path) -> None:
    """R11: a bench would run a right unit, and fail for want of a mistake or not at all."""
    with pytest.raises(CheckFailed, match=r"found no module Mutant_\*"):
        mutants.names(tmp_path)
    (tmp_path / "Top.sv").write_text(MODULE)
    assert mutants.names(tmp_path) == ["tail"]
    mutants.require(tmp_path, ["tail"])
    with pytest.raises(CheckFailed, match="found no mutants head, expected"):
        mutants.require(tmp_path, ["head", "tail"])


def test_each_body_of_a_switch_names_its_mutant(tmp_path: Path) -> None:
    (tmp_path / "Top.sv").write_text(MODULE)
    assert 'asked == "tail"' in mutants.simulated(tmp_path, mutants.ARGUMENT)
    assert '$fopen("tail"' in mutants.simulated(tmp_path, mutants.FILE)
    assert mutants.argument("tail") == "+mutant=tail"
    assert "on = 1'b1" in mutants.constant("tail", on=True)
    assert "on = 1'b0" in mutants.constant("tail", on=False)
