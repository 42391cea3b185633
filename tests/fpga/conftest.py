# SPDX-License-Identifier: Apache-2.0
"""Small designs of Verilog, in folders that Yosys can see."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from opentmu import paths, stage


@pytest.fixture(scope="session")
def verilog_in() -> Callable[[str, Mapping[str, str]], Path]:
    """Writes the texts of modules, by name, into a test's folder.

    Once for the same texts, for another process may be reading what a test before has written.
    """

    def verilog(folder: str, modules: Mapping[str, str]) -> Path:
        target = paths.BUILD / "test" / folder

        def write(made: Path) -> None:
            for module, text in modules.items():
                (made / f"{module}.sv").write_text(text)

        stage.ensure(
            target, stage.hash_of(text for pair in modules.items() for text in pair), write
        )
        return target

    return verilog
