# SPDX-License-Identifier: Apache-2.0
"""./tmu provider: what it prints is all that a program of libfabric or MPI needs."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from opentmu import paths

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]


def shell(lines: str, then: str) -> Done:
    command = f"unset FI_PROVIDER_PATH TMU_URI\n{lines}\n{then}"
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False, timeout=120
    )


def test_its_lines_make_a_program_use_it(
    tmu: Tmu, fabric_calls: Path, provider_folder: Path
) -> None:
    done = tmu("provider")
    assert done.returncode == 0, done.stderr
    lines = [f"export FI_PROVIDER_PATH={provider_folder}", "export TMU_URI=ref:tiny"]
    assert done.stdout.splitlines() == lines
    used = shell(done.stdout, str(fabric_calls))
    assert (used.returncode, used.stdout) == (0, "every completion is right\n"), used.stderr


def test_its_lines_make_an_mpi_program_use_it(
    tmu: Tmu, compile_mpi: Callable[[str], Path], tmp_path: Path
) -> None:
    program = compile_mpi("every_match.c")
    done = tmu("provider", "--mpi", "system", "--uri", "ref:tiny?engine=fuzzy")
    report = f"export TMU_FI_REPORT={tmp_path}"
    used = shell(f"{done.stdout}\n{report}", f"mpirun -n 2 {program} 4")
    assert used.returncode == 0, used.stderr
    (first, second) = (json.loads((tmp_path / f"rank-{i}.json").read_text()) for i in range(2))
    assert first["uri"] == second["uri"] == "ref:tiny?engine=fuzzy"
    assert first["unit"]["posts"] > 100


def test_it_says_the_same_as_json(tmu: Tmu, provider_folder: Path) -> None:
    done = tmu("provider", "--json", "--uri", "share:/tmp/a b")
    report = json.loads(done.stdout)
    assert Path(report["library"]) == provider_folder / "libtmu-fi.so"
    assert Path(report["library"]).is_relative_to(paths.BUILD)
    assert report["environment"]["TMU_URI"] == report["uri"] == "share:/tmp/a b"
    assert "export TMU_URI='share:/tmp/a b'\n" in tmu("provider", "--uri", "share:/tmp/a b").stdout
    done = tmu("provider", "--uri", "")
    assert (done.returncode, "expected a device, for example ref:tiny" in done.stderr) == (2, True)
    assert tmu("provider", "--mpi", "other").returncode == 2
