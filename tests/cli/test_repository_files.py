# SPDX-License-Identifier: Apache-2.0
"""Files of the repository that nothing compiles: they say what the project's own lists say."""

import json
import re

from opentmu import paths
from opentmu.setup import system

CONTAINER = paths.ROOT / ".devcontainer"


def test_the_dev_container_has_every_system_package() -> None:
    text = (CONTAINER / "Dockerfile").read_text()
    named = re.search(r"--no-install-recommends \\\n(.*?)&& rm", text, re.DOTALL)
    assert named
    packages = named[1].replace("\\", "").split()
    missing = {need.package for need in system.NEEDS.values()} - set(packages)
    assert not missing
    assert json.loads((CONTAINER / "devcontainer.json").read_text())["build"] == {
        "dockerfile": "Dockerfile"
    }


def test_editors_are_told_what_the_formatters_do() -> None:
    """Indents and the longest line are those of clang-format, scalafmt and ruff."""
    text = (paths.ROOT / ".editorconfig").read_text()
    general, scala = (
        re.search(rf"^\[{re.escape(part)}\]\n((?:.+\n)+)", text, re.MULTILINE)
        for part in ("*", "*.{scala,sc,cmake,sv,svh,ys,yml,yaml,json,md}")
    )
    assert general and scala
    assert "indent_size = 4\nmax_line_length = 100\n" in general[1]
    assert scala[1] == "indent_size = 2\n"
    clang = (paths.ROOT / ".clang-format").read_text()
    assert "IndentWidth: 4" in clang and "ColumnLimit: 100" in clang
    assert "maxColumn = 100" in (paths.ROOT / ".scalafmt.conf").read_text()
    assert "line-length = 100" in (paths.ROOT / "pyproject.toml").read_text()


def test_issue_templates_ask_for_what_is_needed() -> None:
    wrong = (paths.ROOT / ".github" / "ISSUE_TEMPLATE" / "wrong.yml").read_text()
    assert "./tmu doctor" in wrong and wrong.count("required: true") == 4
