# SPDX-License-Identifier: Apache-2.0
"""The bundled traces notice every mistake in the list of mutants.py, one by one, in the model.

tests/traces/README.md says which trace notices which; what it says is checked here.
"""

import importlib.util
import re
from pathlib import Path

import pytest
from opentmu import paths

from . import mutants

TRACES = sorted(paths.TRACES.glob("*.trace.gz"))
README = paths.TRACES / "README.md"
GENERATOR = paths.TRACES / "generate.py"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Mistakes that each trace notices."""
    program = mutants.program(tmp_path_factory.mktemp("mutants"))
    return {trace.name: mutants.killed(program, trace) for trace in TRACES}


def test_every_mistake_is_noticed(found: dict[str, list[str]]) -> None:
    """R1 to R5, R8 to R10, R12, R13."""
    noticed = {name for names in found.values() for name in names}
    assert noticed <= set(mutants.every())
    assert [name for name in mutants.every() if name not in noticed] == []


def test_the_list_says_which_trace_notices_which(found: dict[str, list[str]]) -> None:
    said = dict(re.findall(r"^\| `(\S+)` \| ([^|]*) \|$", README.read_text(), re.MULTILINE))
    assert said == {name: mutants.short(names) for name, names in found.items()}


def test_a_mistake_that_a_trace_does_not_show_is_not_reported(found: dict[str, list[str]]) -> None:
    """lammps-peptide has no cancel and no probe."""
    assert not [name for name in found["lammps-peptide.trace.gz"] if "cancel" in name]
    assert "source bit 0" not in found["hpcc.trace.gz"]
    assert "source bit 0" in found["corners.trace.gz"]


def test_generated_traces_are_what_the_script_writes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("generate_traces", GENERATOR)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.main(tmp_path)
    written = sorted(tmp_path.iterdir())
    assert [file.name for file in written] == ["corners.trace.gz", "deep.trace.gz"]
    for file in written:
        assert file.read_bytes() == (paths.TRACES / file.name).read_bytes(), file.name
