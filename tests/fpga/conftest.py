# SPDX-License-Identifier: Apache-2.0
"""Small designs of Verilog, in folders that Yosys can see."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from opentmu import paths, stage


@pytest.fixture(scope="session")
def verilog_in() -> Callable[[str, Mapping[str, str]], Path]:
    """Writes the texts of modules, by name, into a folder that tests of one file share.

    Once for the same texts, for another process may be reading what a test before has written.
    Tests may read what is there and have it mapped; one that writes files of its own takes
    `verilog`.
    """

    def verilog_in(folder: str, modules: Mapping[str, str]) -> Path:
        target = paths.BUILD / "test" / folder

        def write(made: Path) -> None:
            for module, text in modules.items():
                (made / f"{module}.sv").write_text(text)

        stage.ensure(
            target, stage.hash_of(text for pair in modules.items() for text in pair), write
        )
        return target

    return verilog_in


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Path:
    """A folder of the test's own that tools see, as they run from the root: two may run at once."""
    name = re.sub(r"\W+", "-", f"{request.node.path.stem}-{request.node.name}")
    found: Path = paths.BUILD / "test" / name
    found.mkdir(parents=True, exist_ok=True)
    return found


@pytest.fixture
def verilog(
    folder: Path, verilog_in: Callable[[str, Mapping[str, str]], Path]
) -> Callable[[Mapping[str, str]], Path]:
    """Writes the texts of modules, by name, into the test's own folder."""

    def verilog(modules: Mapping[str, str]) -> Path:
        return verilog_in(folder.name, modules)

    return verilog
