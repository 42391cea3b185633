# SPDX-License-Identifier: Apache-2.0
"""A changed generated file, an ill-formatted source and a wrong type are noticed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths, toolchain
from opentmu.build import rtl
from opentmu.setup import mill
from opentmu.testing import house, stages
from opentmu.testing.outcome import Outcome

pytestmark = pytest.mark.mill

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SETTINGS = ("pyproject.toml", ".clang-format", ".scalafmt.conf", "build.sc", ".mill-version")
PYTHON_FOLDERS = ("tools/opentmu", "tests")

PYTHON = f'# {LICENCE}\n"""A module."""\n\n\ndef double(x: int) -> int:\n    return 2 * x\n'
C = f"/* {LICENCE} */\nint twice(int x) {{\n    x *= 2;\n    return x;\n}}\n"
SCALA = f"// {LICENCE}\npackage canary\n\nobject Twice {{\n  val two: Int = 2\n}}\n"


def small_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of no files with the real settings, which the checks take for the checkout."""
    toolchain.use_path()
    for name in (*PYTHON_FOLDERS, "sw-driver/include/tmu", "hw/src", "hw/test/src", "fpga"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in SETTINGS:
        shutil.copy(paths.ROOT / name, root / name)
    for name in PYTHON_FOLDERS:
        (root / name / "__init__.py").write_text(f"# {LICENCE}\n")
    monkeypatch.setattr(paths, "ROOT", root)
    return root


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project for one test."""
    return small_project(tmp_path / "copy", monkeypatch)


def stage(name: str) -> Callable[[Path], Outcome]:
    """A stage of `tmu test` by name."""
    found = {one.name: one.run for lane in stages.lanes(None) for one in lane}
    return found[name]


def notices(name: str, file: Path, good: str, bad: str) -> None:
    """The stage passes with the good text and fails with the bad one."""
    log = paths.ROOT.parent / f"{name}.log"
    file.write_text(good)
    outcome = stage(name)(log)
    assert outcome.failed == 0 and outcome.passed > 0, log.read_text()
    file.write_text(bad)
    outcome = stage(name)(log)
    assert outcome.failed > 0, f"{name} did not notice\n{bad}\n{log.read_text()}"


def test_one_changed_byte_of_a_generated_file_is_noticed(tmp_path: Path) -> None:
    """Every generated file in turn: a changed byte, and a missing file."""
    names = list(rtl.fresh_files())
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths.ROOT / name, tmp_path / name)
    assert rtl.stale_files(tmp_path) == {}
    for name in names:
        good = (tmp_path / name).read_bytes()
        middle = len(good) // 2
        changed = bytes([good[middle] ^ 1])
        (tmp_path / name).write_bytes(good[:middle] + changed + good[middle + 1 :])
        assert rtl.stale_files(tmp_path) == {name: good}
        (tmp_path / name).unlink()
        assert list(rtl.stale_files(tmp_path)) == [name]
        (tmp_path / name).write_bytes(good)


def test_badly_formatted_python_is_noticed(copy: Path) -> None:
    """ruff format."""
    bad = PYTHON.replace("2 * x", "2*x")
    notices("python-format", copy / "tools" / "opentmu" / "canary.py", PYTHON, bad)


def test_careless_python_is_noticed(copy: Path) -> None:
    """ruff check."""
    bad = PYTHON.replace("\n\n\ndef", "\n\nimport os\n\n\ndef")
    notices("python-lint", copy / "tools" / "opentmu" / "canary.py", PYTHON, bad)


@pytest.mark.parametrize("folder", PYTHON_FOLDERS)
def test_wrong_python_types_are_noticed(copy: Path, folder: str) -> None:
    """mypy, strictly, in the package and in its tests."""
    bad = PYTHON.replace("(x: int) -> int", "(x)")
    notices("python-types", copy / folder / "canary.py", PYTHON, bad)


def test_badly_formatted_c_is_noticed(copy: Path) -> None:
    """clang-format: an indent, and a body without braces."""
    file = copy / "tools" / "canary.c"
    notices("c-format", file, C, C.replace("    return", "  return"))
    braced = C.replace("    x *= 2;\n", "    if (x > 0) {\n        x *= 2;\n    }\n")
    notices("c-format", file, braced, braced.replace(" {\n  ", "\n  ").replace("    }\n", ""))


@pytest.mark.parametrize("folder", stages.C_FOLDERS)
def test_c_of_every_folder_is_formatted(copy: Path, folder: str) -> None:
    """The tests' own C too."""
    (copy / folder).mkdir(exist_ok=True)
    notices("c-format", copy / folder / "canary.c", C, C.replace("    return", "  return"))


@pytest.mark.long
def test_badly_formatted_scala_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """scalafmt, in a project whose compiled build is kept, for making it takes a while."""
    toolchain.need_mill()
    work = paths.BUILD / "canary-scala"
    shim = work / "bin" / "mill"
    shim.parent.mkdir(parents=True, exist_ok=True)
    shim.write_text(
        f"#!/bin/sh\nexport MILL_OUTPUT_DIR='{work / 'out'}'\nexec sh '{mill.FILE}' \"$@\"\n"
    )
    shim.chmod(0o755)
    copy = small_project(work / "copy", monkeypatch)
    monkeypatch.setenv("PATH", str(shim.parent), prepend=os.pathsep)
    monkeypatch.setattr(toolchain, "need_mill", lambda: None)
    monkeypatch.setattr(toolchain, "use_path", lambda: None)
    bad = SCALA.replace("val two: Int = 2", "val two:Int=2")
    notices("scala-format", copy / "hw" / "src" / "Canary.scala", SCALA, bad)


def test_house_rules_are_noticed(copy: Path) -> None:
    """A missing licence line and a long file."""
    file = copy / "tools" / "opentmu" / "canary.py"
    for bad in (PYTHON.split("\n", 1)[1], PYTHON + "\n" * 300):
        notices("house-rules", file, PYTHON, bad)
    assert house.complaints("a.py", PYTHON, 300) == []
