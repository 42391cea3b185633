# SPDX-License-Identifier: Apache-2.0
"""Each stage of the matching unit and of the spill engine is a file, with a spec of its own."""

import re
from pathlib import Path

import pytest
from opentmu import paths

SOURCES = paths.ROOT / "hw" / "src" / "tmu"
TESTS = paths.ROOT / "hw" / "test" / "src" / "tmu"
# The stages that are wiring; what they promise is tested as a whole.
WIRING = {"Overflow.scala": "MatchUnitSpec"}


def complaints(folder: Path, tests: Path, text: str) -> list[str]:
    """A line for each row of a table of stages without its files or a spec of its own."""
    found = []
    for line in text.splitlines():
        files = re.findall(r"`([\w/]+\.scala)`", line)
        if not line.startswith("| ") or not files:
            continue
        specs = re.findall(r"`(\w+Spec)`", line)
        for file in files:
            own = WIRING.get(file, f"{Path(file).stem}Spec")
            if not (folder / file).is_file():
                found.append(f"{line}: found no file {file}")
            if own not in specs:
                found.append(f"{line}: found {specs}, expected {own}")
            elif not list(tests.rglob(f"{own}.scala")):
                found.append(f"{line}: found no spec {own}")
    return found


@pytest.mark.parametrize("package", ["matching", "spill"])
def test_every_stage_has_a_spec(package: str) -> None:
    text = (SOURCES / package / "README.md").read_text()
    assert len(re.findall(r"^\| .*\.scala`", text, re.MULTILINE)) >= 9
    wrong = complaints(SOURCES / package, TESTS / package, text)
    assert not wrong, "\n".join(wrong)


def test_a_stage_without_a_spec_is_seen(tmp_path: Path) -> None:
    (tmp_path / "A.scala").touch()
    (tmp_path / "ASpec.scala").touch()
    table = "| a | `A.scala` | `ASpec` |\n| b | `B.scala` | `ASpec` |\n| c | `A.scala` | |\n"
    assert len(complaints(tmp_path, tmp_path, table)) == 3
