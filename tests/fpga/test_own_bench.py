# SPDX-License-Identifier: Apache-2.0
"""The example bench in examples/cocotb, in an environment where the package is installed."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.build import cbuild
from opentmu.setup.shims import MAKE_VARIABLES

EXAMPLE = paths.ROOT / "examples" / "cocotb"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a new environment with the package installed; cocotb is the checkout's."""
    folder = tmp_path_factory.mktemp("own")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    interpreter: Path = folder / "venv" / "bin" / "python"
    words = ["-m", "pip", "install", "-q", "--no-deps", "-e"]
    subprocess.run([interpreter, *words, paths.TOOLS], check=True)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "cocotb.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return interpreter


def environment() -> dict[str, str]:
    """That of a shell in which ./tmu has set nothing."""
    left = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    return left | {"PATH": f"{paths.BIN}:{left['PATH']}"}


@pytest.mark.long
def test_the_example_bench_runs_from_an_installed_package(python: Path, tmp_path: Path) -> None:
    cbuild.ensure()
    words = [str(paths.ROOT / "tmu"), "verilog", "--preset", "tiny", "--no-ipxact", "-o"]
    subprocess.run([*words, tmp_path / "tiny"], check=True)
    command = [python, EXAMPLE / "run.py", tmp_path / "tiny"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "1 tests passed" in done.stdout


def test_the_package_is_the_checkouts(python: Path) -> None:
    said = subprocess.run(
        [python, "-c", "import opentmu; print(opentmu.__file__, opentmu.__version__)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert Path(said[0]) == paths.TOOLS / "opentmu" / "__init__.py"
    shown = subprocess.run(
        [python, "-m", "pip", "show", "opentmu"], capture_output=True, text=True, check=True
    )
    assert f"Version: {said[1]}\n" in shown.stdout


def test_make_is_told_how_a_precompiled_header_is_included(monkeypatch: pytest.MonkeyPatch) -> None:
    from opentmu.bench import own

    monkeypatch.delenv("MAKEFLAGS", raising=False)
    with own.make_variables("A=1"):
        flags = os.environ["MAKEFLAGS"].split()
    assert flags[-1] == "A=1" and "CFG_CXXFLAGS_PCH_I=-include" in flags
    assert "MAKEFLAGS" not in os.environ and "CFG_CXXFLAGS_PCH_I=-include" in MAKE_VARIABLES
