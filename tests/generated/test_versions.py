# SPDX-License-Identifier: Apache-2.0
"""The release has one number, wherever it is written."""

import re

import pytest
from opentmu import __version__, paths

pytestmark = pytest.mark.mill

HEADER = (paths.ROOT / "sw-driver" / "include" / "tmu" / "tmu_version.h").read_text()


def test_the_header_has_the_version() -> None:
    assert re.findall(r'^#define TMU_VERSION "(.*)"$', HEADER, re.MULTILINE) == [__version__]
    parts = re.findall(r"^#define TMU_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", HEADER, re.MULTILINE)
    assert ".".join(parts) == __version__


def test_who_cites_it_cites_the_version() -> None:
    text = (paths.ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", text, re.MULTILINE) == [__version__]


def test_documents_name_the_version() -> None:
    """Lines to type that name it."""
    for name in ("docs/kernel-driver.md",):
        found = set(re.findall(r"\btmu[-/](\d+\.\d+\.\d+)\b", (paths.ROOT / name).read_text()))
        assert found == {__version__}, name


def test_the_example_asks_for_this_minor_version() -> None:
    text = (paths.ROOT / "sw-driver" / "examples" / "CMakeLists.txt").read_text()
    assert f"find_package(tmu {__version__.rpartition('.')[0]} REQUIRED)" in text


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in release.split("."))


def test_changes_are_by_version() -> None:
    """Unreleased changes come first, then releases, the newest first, none after this version."""
    text = (paths.ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## (\S+)", text, re.MULTILINE)
    releases = [_numbers(one) for one in headings if one != "Unreleased"]
    assert headings.count("Unreleased") == (headings[0] == "Unreleased")
    assert releases and releases == sorted(set(releases), reverse=True)
    assert releases[0] <= _numbers(__version__)
    assert text.count("\nHardware interface ") == len(headings)
