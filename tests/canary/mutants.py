# SPDX-License-Identifier: Apache-2.0
"""Simulations of the tiny unit with a switch for every mutant: without one on, it is the unit."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from opentmu import paths, stage
from opentmu.bench import seed, simulate
from opentmu.build import mutants, rtl, verilate

BODIES = "mutants.sv"
FILES = "filelist.f"


def design(name: str, body: str) -> Path:
    """The unit with this body for each of its switches, in the folder `name` of the build."""
    source = rtl.ensure_mutants(simulate.PRESET)
    target = paths.BUILD / name
    key = stage.hash_of([(source / stage.STAMP).read_text(), body, Path(__file__)])

    def make(folder: Path) -> None:
        shutil.copytree(source, folder, dirs_exist_ok=True)
        (folder / BODIES).write_text(mutants.simulated(source, body))
        with (folder / FILES).open("a") as listed:
            listed.write(f"{BODIES}\n")

    stage.ensure(target, key, make)
    return target


def simulation(top: str, wanted: Iterable[str]) -> Path:
    """The simulation of module `top` with a switch for each wanted mutant and every other one."""
    folder = design("canary-design", mutants.ARGUMENT)
    mutants.require(folder, wanted)
    return simulate.build(top, folder, f"{top}-mutants", optimise=verilate.OPTIMISE_LITTLE)


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
        result = run(mutants.argument(name))
        if not result.passed:
            return result
    pytest.fail(f"nobody noticed the mutant {name} with seeds {seeds}")


def require_story(result: simulate.Result, stories: Iterable[str]) -> None:
    """The run ended with one of these texts, not just with an error."""
    assert any(story in result.log for story in stories), result.log[-3000:]
