# SPDX-License-Identifier: Apache-2.0
"""Programs under their usual names: in a path with a space, and for benches of others."""

import subprocess
from pathlib import Path

import pytest
from opentmu import paths, toolchain
from opentmu.errors import BadInput
from opentmu.setup import shims

# Mill's own launcher leaves out these quotes.
LAUNCHER = """#!/bin/sh
printf '%s\\n' -DMILL_CLASSPATH=$0 "$@" "$(pwd)"
"""


@pytest.mark.parametrize("name", ["tree", "a tree"])
def test_mill_starts_in_a_path_with_a_space(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    file = root / "build" / "mill" / "mill.exe"
    file.parent.mkdir(parents=True)
    file.write_text(LAUNCHER)
    line = shims.start_mill(root, file)
    done = subprocess.run(
        ["sh", "-c", line, "mill", "hw.run", "two words"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    first, *rest = done.stdout.splitlines()
    assert rest == ["hw.run", "two words", str(root)]
    assert (root / first.removeprefix("-DMILL_CLASSPATH=")).samefile(file)


def test_a_simulation_in_a_path_with_a_space_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path / "a tree")
    with pytest.raises(BadInput, match="a tree: found a space in the checkout's path"):
        toolchain.need_verilator()


MAKEFILE = "CFG_CXXFLAGS_PCH = -x c++-header\nCFG_CXXFLAGS_PCH_I = \nCFG_GCH_IF_CLANG = \n"


def test_verilators_makefile_takes_compiled_headers_as_gcc_does(tmp_path: Path) -> None:
    file = tmp_path / "verilated.mk"
    file.write_text(MAKEFILE)
    shims.mend_makefile(file)
    mended = MAKEFILE.replace("PCH_I = ", "PCH_I = -include")
    assert file.read_text() == mended
    before = file.stat().st_mtime_ns
    shims.mend_makefile(file)
    assert file.stat().st_mtime_ns == before, "it is written once"


@pytest.mark.slow
def test_a_bench_of_ones_own_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word of ours in the environment: as cocotb's runner, Verilator first, then make."""
    toolchain.need_verilator()
    for name in ("MAKEFLAGS", "CXX", "CFG_CXXFLAGS_PCH_I"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "own.sv").write_text("module own(input a, output b); assign b = !a; endmodule\n")
    verilate: list[str | Path] = [
        paths.BIN / "verilator",
        "--cc",
        "--Mdir",
        "made",
        "--top",
        "own",
        "own.sv",
    ]
    subprocess.run(verilate, cwd=tmp_path, check=True)
    make = ["make", "-C", "made", "-f", "Vown.mk", "OPT_FAST=-O0", "OPT_GLOBAL=-O0"]
    done = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made" / "libVown.a").is_file()
