# SPDX-License-Identifier: Apache-2.0
"""Wrong lines in an elaborated design, each of which a run can switch on by its name.

All mutants of a file are one simulation: without a switch it is the unit as it is.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from opentmu import paths, stage
from opentmu.bench import seed, simulate
from opentmu.build import rtl, verilate

BEGIN = "\n);\n"
# What switches the mutant {name} on: an argument of the simulation, or a file in its folder.
ARGUMENT = '  reg mutant_{name};\n  initial mutant_{name} = |$test$plusargs("{name}");\n'
FILE = (
    "  integer file_{name};\n  reg mutant_{name};\n  initial begin\n"
    '    file_{name} = $fopen("{name}", "r");\n    mutant_{name} = file_{name} != 0;\n  end\n'
)


class Edit(NamedTuple):
    """What a text of a file becomes; `{m}` in the new text is on while the mutant is."""

    file: str
    pattern: str
    new: str


Mutants = Mapping[str, Iterable[Edit]]


def both(files: Iterable[str], pattern: str, new: str) -> list[Edit]:
    """The same edit in several files."""
    return [Edit(file, pattern, new) for file in files]


def mutate(text: str, name: str, edits: Iterable[Edit], switch: str = ARGUMENT) -> str:
    """A module with one more mutant in it."""
    for _, pattern, new in edits:
        text, count = re.subn(pattern, new.replace("{m}", f"mutant_{name}"), text)
        assert count == 1, f"mutant {name}: {count} times {pattern!r}"
    assert text.count(BEGIN) >= 1
    return text.replace(BEGIN, BEGIN + switch.format(name=name), 1)


def put_into(folder: Path, mutants: Mutants, switch: str = ARGUMENT) -> None:
    """Change the modules of an elaborated design."""
    for name, edits in mutants.items():
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(edit.file, []).append(edit)
        for file, mine in by_file.items():
            (folder / file).write_text(mutate((folder / file).read_text(), name, mine, switch))


def simulation(top: str, name: str, mutants: Mutants) -> Path:
    """The simulation `name` of module `top` with all mutants in it, each switched off."""
    source = rtl.ensure(simulate.PRESET)
    design = paths.BUILD / f"canary-{name}"
    words = [repr(edit) for edits in mutants.values() for edit in edits]
    key = stage.hash_of([(source / stage.STAMP).read_text(), Path(__file__), *mutants, *words])

    def make(folder: Path) -> None:
        shutil.copytree(source, folder, dirs_exist_ok=True)
        put_into(folder, mutants)

    stage.ensure(design, key, make)
    return simulate.build(top, design, f"{top}-{name}", optimise=verilate.OPTIMISE_LITTLE)


def noticed(
    name: str,
    seeds: Iterable[int],
    run: Callable[[str], simulate.Result],
    monkeypatch: pytest.MonkeyPatch,
) -> simulate.Result:
    """The first run that does not pass, of some with traffic of different seeds.

    Not all traffic meets every mutant; which does changes with the unit's timing.
    """
    for value in seeds:
        monkeypatch.setenv(seed.VARIABLE, str(value))
        result = run(f"+{name}")
        if not result.passed:
            return result
    pytest.fail(f"nobody noticed the mutant {name} with seeds {seeds}")


def require_story(result: simulate.Result, stories: Iterable[str]) -> None:
    """The run ended with one of these texts, not just with an error."""
    assert any(story in result.log for story in stories), result.log[-3000:]
