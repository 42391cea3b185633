# SPDX-License-Identifier: Apache-2.0
"""MPI_Comm_spawn under ./tmu mpi: processes that ranks start have reports of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.commands.mpi import summary
from opentmu.mpi import check, library

from . import nodes
from .test_mpi import REPORT, Tmu, result_of

Fetched = Callable[[str], library.Library]
Build = Callable[..., Path]
HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["system", "mpich"])
def test_processes_that_ranks_start_are_checked_too(
    name: str,
    tmu: Tmu,
    fetched: Fetched,
    provider_folder: Path,
    compile_with: Build,
    tmp_path: Path,
) -> None:
    program = compile_with(fetched(name).compiler, HERE / "spawn.c", tmp_path)
    words = ["--mpi", name, "-n", "2", "--engine", "model", "--preset", "tiny", "--json"]
    done = tmu("mpi", *words, "--record", "left", "--", program, "2")
    result = result_of(done)
    assert (done.returncode, result["ok"], result["missing"]) == (0, True, 0), done.stderr
    assert "every message of 2 children is in order" in done.stderr
    names = ["rank-0", "rank-1", "job-2-rank-0", "job-2-rank-1"]
    assert [rank["name"] for rank in result["ranks"]] == names
    for rank in result["ranks"]:
        assert (rank["mismatches"], rank["differences"]) == (0, [])
        assert rank["operations"] >= 8
        assert (tmp_path / "left" / f"{rank['name']}.trace").is_file()


def test_processes_of_four_nodes_start_others(
    fetched: Fetched, provider_folder: Path, compile_with: Build, tmp_path: Path
) -> None:
    """Eight ranks of MPICH on four nodes, two on each."""
    program = compile_with(fetched("mpich").compiler, HERE / "spawn.c", tmp_path)
    result, said = nodes.run(tmp_path, "mpich", 8, 4, program, "4")
    assert "every message of 4 children is in order" in said
    names = [f"rank-{i}" for i in range(8)] + [f"job-2-rank-{i}" for i in range(4)]
    assert [rank["name"] for rank in result["ranks"]] == names


def test_a_started_process_without_a_report_is_missing(tmp_path: Path) -> None:
    """A rank is known by its number, others by what they began to record."""
    for file in ("rank-0.trace", "job-2-rank-1.trace", "job-2-rank-0.trace", "job-2-rank-0.json"):
        (tmp_path / file).touch()
    assert check.lost(tmp_path) == ["job-2-rank-1"]
    good = {**REPORT, "operations": 2, "mismatches": 0}
    child = {**good, "name": "job-2-rank-0"}
    assert summary([good, child], 1, 0)["ok"]
    assert summary([good, child], 2, 0)["missing"] == 1
    assert summary([good, child], 1, 0, lost=["job-2-rank-1"])["missing"] == 1
    ordered = sorted(
        [child, {**good, "name": "rank-10"}, {**good, "name": "rank-9"}], key=check.order
    )
    assert [report["name"] for report in ordered] == ["rank-9", "rank-10", "job-2-rank-0"]
