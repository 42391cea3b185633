# SPDX-License-Identifier: Apache-2.0
"""Ranks on several nodes, where MPI learns a peer's address when it first names that peer."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths
from opentmu.mpi import library

from . import nodes

Fetched = Callable[[str], library.Library]
Build = Callable[..., Path]
HERE = Path(__file__).parent


def run(
    folder: Path, name: str, ranks: int, count: int, program: Path
) -> tuple[dict[str, Any], str]:
    """The result of a run on so many nodes in which every check held, and the program's words."""
    words = ["mpi", "--mpi", name, "-n", str(ranks), "--engine", "model", "--preset", "tiny"]
    done = subprocess.run(
        [paths.ROOT / "tmu", *words, "--json", "--", program],
        cwd=folder,
        env=nodes.environment(folder, count, ranks // count),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0), done.stderr
    assert result["missing"] == 0
    return result, done.stderr


@pytest.mark.parametrize(
    ("name", "ranks", "count"), [("system", 2, 2), ("mpich", 2, 2)], ids=["system", "mpich"]
)
def test_messages_from_another_node_are_in_order(
    name: str,
    ranks: int,
    count: int,
    fetched: Fetched,
    provider_folder: Path,
    compile_with: Build,
    tmp_path: Path,
) -> None:
    """R7 for messages that are in the unit before their receiver has named their sender."""
    program = compile_with(fetched(name).compiler, HERE / "two_nodes.c", tmp_path)
    result, said = run(tmp_path, name, ranks, count, program)
    assert f"every message is in order from {ranks - 1} nodes" in said
    assert [rank["name"] for rank in result["ranks"]] == [f"rank-{i}" for i in range(ranks)]
    assert all(rank["differences"] == [] for rank in result["ranks"])
