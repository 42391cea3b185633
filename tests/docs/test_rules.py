# SPDX-License-Identifier: Apache-2.0
"""Every rule of the law is explained, implemented and tested under its number."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from opentmu import paths

RULES = [f"R{number}" for number in range(1, 16)]
SOURCES = ("hw/src", "sw-driver/core", "sw-driver/backends")
MODEL = ("sim/law",)
TESTS = ("hw/test", "tests", "sim/law/test", "sw-driver/tests")
KINDS = {".scala", ".c", ".h", ".py"}


def cited(folders: Iterable[str], *, without: str = "/test/") -> str:
    """All code below some folders as one text."""
    files: list[Path] = []
    for folder in folders:
        files += [f for f in (paths.ROOT / folder).rglob("*") if f.suffix in KINDS]
    this = Path(__file__).name
    kept = (f for f in files if f.name != this and (not without or without not in f"{f}"))
    return "\n".join(file.read_text() for file in kept)


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str) -> None:
    number = re.compile(rf"(?<![A-Za-z0-9]){rule}(?![A-Za-z0-9])", re.IGNORECASE)
    assert number.search(cited(SOURCES)), "neither hardware nor driver cites it"
    assert number.search(cited(MODEL)), "the model does not cite it"
    assert number.search(cited(TESTS, without="")), "no test cites it"
    text = (paths.ROOT / "docs" / "matching-rules.md").read_text()
    sections = re.findall(rf"^## {rule}: .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(sections) == 1
    assert "\n- Where: " in sections[0] and "\n- For you: " in sections[0]


def test_there_is_no_other_rule() -> None:
    text = (paths.ROOT / "docs" / "matching-rules.md").read_text()
    assert re.findall(r"^## (R\d+): ", text, re.MULTILINE) == RULES
