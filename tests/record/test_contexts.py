# SPDX-License-Identifier: Apache-2.0
"""Communicators get one context on all ranks, whatever each rank calls them."""

import pytest
from opentmu.errors import CheckFailed
from opentmu.record.contexts import SELF, WORLD, agree
from opentmu.record.log import CommNote
from opentmu.record.merge import merge

from .synthetic import Run


def note(run: Run, rank: int, number: int, ordinal: int, *members: int, parent: int = 0) -> None:
    """A communicator that the `ordinal`-th collective creation on `parent` gave this rank."""
    own = members.index(rank)
    made = CommNote(number, "split", parent, ordinal, 0, own, members, ())
    run.logs[rank].comms.append(made)


def test_world_and_self_are_the_first_two() -> None:
    contexts = agree(Run(2).logs)
    assert [contexts.views[rank, 0].context for rank in (0, 1)] == [WORLD, WORLD]
    assert contexts.views[1, 1].context == SELF
    assert contexts.views[1, 1].peers == (1,)


def test_the_parts_of_a_split_differ_and_keep_their_ranks() -> None:
    run = Run(4)
    for rank in range(4):
        note(run, rank, 2, 0, *((2, 0) if rank % 2 == 0 else (3, 1)))
    views = agree(run.logs).views
    assert views[0, 2].context == views[2, 2].context != views[1, 2].context
    assert (views[0, 2].rank, views[2, 2].rank) == (1, 0)
    assert views[0, 2].peers == (2, 0)


def test_a_rank_that_was_left_out_of_one_still_agrees_on_the_next() -> None:
    """Rank 0 got nothing from the first split, so its own numbers are one behind."""
    run = Run(3)
    for rank in (1, 2):
        note(run, rank, 2, 0, 1, 2)
        note(run, rank, 3, 1, 0, 1, 2)
    note(run, 0, 2, 1, 0, 1, 2)
    views = agree(run.logs).views
    assert views[0, 2].context == views[1, 3].context == views[2, 3].context


def test_both_sides_of_an_intercommunicator_share_a_context() -> None:
    run = Run(4)
    for _ in range(2):
        for rank in range(4):
            own, far = ((0, 2), (1, 3)) if rank % 2 == 0 else ((1, 3), (0, 2))
            comms = run.logs[rank].comms
            comms.append(CommNote(len(comms), "inter", -1, 0, 9, own.index(rank), own, far))
    views = agree(run.logs).views
    first, second = ({views[rank, number].context for rank in range(4)} for number in (2, 3))
    assert len(first) == len(second) == 1
    assert first != second
    assert views[0, 2].peers == (1, 3)


def test_a_disagreement_is_refused() -> None:
    run = Run(2)
    note(run, 0, 2, 0, 0, 1)
    with pytest.raises(CheckFailed, match=r"\[0, 1\] are its members, \[0\] noted it"):
        agree(run.logs)


def test_traffic_with_processes_outside_the_world_is_left_out_and_counted() -> None:
    run = Run(1)
    run.logs[0].comms.append(CommNote(2, "merge", -1, 0, 0, 0, (0, -1), ()))
    run.send(0, 1, 5, comm=2)
    run.send(0, 0, 5, comm=-1)
    trace = merge(run.logs, 0)
    assert (trace.lines, trace.counts["without-context"]) == ([], 2)
