# SPDX-License-Identifier: Apache-2.0
"""Ranks on several nodes, where MPI learns a peer's address when it first names that peer."""

from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.mpi import library

from . import nodes

Fetched = Callable[[str], library.Library]
Build = Callable[..., Path]
HERE = Path(__file__).parent


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
    result, said = nodes.run(tmp_path, name, ranks, count, program)
    assert f"every message is in order from {ranks - 1} nodes" in said
    assert [rank["name"] for rank in result["ranks"]] == [f"rank-{i}" for i in range(ranks)]
    assert all(rank["differences"] == [] for rank in result["ranks"])
