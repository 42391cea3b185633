# SPDX-License-Identifier: Apache-2.0
"""Every file has a copyright and a licence, by the rules of REUSE."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.errors import ToolMissing
from opentmu.setup import pinned
from opentmu.testing.runner import ON_DEMAND

pytestmark = pytest.mark.slow

MADE = shutil.ignore_patterns("__pycache__", "*.pyc", ".*_cache", ".hypothesis", "*.swp", ".git")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The checkout without what is made in it, so that a copy without git is checked as well."""
    tree = tmp_path / "tree"
    shutil.copytree(paths.ROOT, tree, ignore=_left_out, symlinks=True)
    return tree


def _left_out(folder: str, names: list[str]) -> set[str]:
    top = {"build", "out"} if Path(folder) == paths.ROOT else set()
    return MADE(folder, names) | top & set(names)


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    try:
        checker = pinned.REUSE.ensure()
    except ToolMissing as error:
        pytest.skip(f"{ON_DEMAND}{error}")
    command = [sys.executable, "-P", "-m", "reuse", "--root", str(tree), "lint"]
    environment = {**os.environ, "PYTHONPATH": str(checker)}
    return subprocess.run(
        command, env=environment, cwd=tree, capture_output=True, text=True, check=False
    )


def test_every_file_has_a_licence(tree: Path) -> None:
    done = lint(tree)
    assert done.returncode == 0, done.stdout + done.stderr
    # A line that only looks like one goes into the list at the end of REUSE.toml.
    assert "cannot be parsed" not in done.stdout + done.stderr


def test_a_licence_without_its_text_is_seen(tree: Path) -> None:
    (tree / "LICENSES" / "GPL-2.0-only.txt").unlink()
    done = lint(tree)
    assert done.returncode != 0 and "GPL-2.0-only" in done.stdout


def test_the_texts_of_the_licences_are_the_ones_of_the_tree() -> None:
    pairs = {"Apache-2.0": "LICENSE", "GPL-2.0-only": "sw-driver/kernel/COPYING"}
    for name, file in pairs.items():
        text = paths.ROOT / "LICENSES" / f"{name}.txt"
        assert text.read_text() == (paths.ROOT / file).read_text()
