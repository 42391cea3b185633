# SPDX-License-Identifier: Apache-2.0
"""Textbook algorithms of collective operations, as rounds of messages.

In a round every rank posts its receives, sends, and waits for its receives; so what a rank sends in
a round depends on what it got in the rounds before it.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple


class Call(IntEnum):
    """Collectives by their messages; `enum rec_call` of tools/recorder/recorder.h."""

    BARRIER = 1
    BCAST = 2
    REDUCE = 3
    ALLREDUCE = 4
    SCAN = 5
    GATHER = 6
    GATHERV = 7
    SCATTER = 8
    SCATTERV = 9
    ALLGATHER = 10
    ALLTOALL = 11
    ALLTOALLV = 12


class Sent(NamedTuple):
    """One message between ranks of the communicator."""

    source: int
    target: int
    bytes: int


Rounds = Iterator[list[Sent]]
# Bytes that each rank contributes, and that it sends to each other one where lengths differ.
Sizes = Sequence[int]
Parts = Sequence[Sequence[int]]


def rounds(call: Call, root: int, sizes: Sizes, parts: Parts) -> Rounds:
    """The messages of one collective call of `len(sizes)` ranks."""
    if call == Call.ALLTOALLV:
        return pairwise(len(sizes), lambda source, target: parts[source][target])
    if call == Call.ALLTOALL:
        return pairwise(len(sizes), lambda source, target: sizes[source])
    algorithm: Callable[[int, Sizes], Rounds] = {
        Call.BARRIER: dissemination,
        Call.BCAST: binomial_down,
        Call.REDUCE: binomial_up,
        Call.ALLREDUCE: recursive_doubling,
        Call.SCAN: prefix_doubling,
        Call.GATHER: binomial_gather,
        Call.GATHERV: linear_up,
        Call.SCATTER: binomial_scatter,
        Call.SCATTERV: linear_down,
        Call.ALLGATHER: ring,
    }[call]
    return algorithm(root, sizes)


def powers(below: int) -> list[int]:
    """1, 2, 4 and so on below a number."""
    return [1 << bit for bit in range(max(0, (below - 1).bit_length()))]


def dissemination(root: int, sizes: Sizes) -> Rounds:
    """Barrier: in round k each rank tells the one 2^k behind it."""
    ranks = len(sizes)
    for step in powers(ranks):
        yield [Sent(rank, (rank + step) % ranks, 0) for rank in range(ranks)]


def tree(root: int, ranks: int, step: int) -> Iterator[tuple[int, int, int]]:
    """Parents and children of a binomial tree that are `step` apart, with the child's subtree."""
    for parent in range(0, ranks - step, 2 * step):
        child = parent + step
        yield (parent + root) % ranks, (child + root) % ranks, min(step, ranks - child)


def binomial_down(root: int, sizes: Sizes) -> Rounds:
    """Broadcast: those that have it send it to as many others."""
    for step in reversed(powers(len(sizes))):
        pairs = tree(root, len(sizes), step)
        yield [Sent(parent, child, sizes[parent]) for parent, child, _ in pairs]


def binomial_up(root: int, sizes: Sizes) -> Rounds:
    """Reduction: the same tree, from its leaves."""
    for step in powers(len(sizes)):
        pairs = tree(root, len(sizes), step)
        yield [Sent(child, parent, sizes[child]) for parent, child, _ in pairs]


def binomial_gather(root: int, sizes: Sizes) -> Rounds:
    """Gather: each child sends what its subtree has."""
    for step in powers(len(sizes)):
        pairs = tree(root, len(sizes), step)
        yield [Sent(child, parent, below * sizes[child]) for parent, child, below in pairs]


def binomial_scatter(root: int, sizes: Sizes) -> Rounds:
    """Scatter: each child gets what its subtree is to have."""
    for step in reversed(powers(len(sizes))):
        pairs = tree(root, len(sizes), step)
        yield [Sent(parent, child, below * sizes[child]) for parent, child, below in pairs]


def linear_up(root: int, sizes: Sizes) -> Rounds:
    """Gather of unequal parts: everyone sends to the root."""
    yield [Sent(rank, root, size) for rank, size in enumerate(sizes) if rank != root]


def linear_down(root: int, sizes: Sizes) -> Rounds:
    """Scatter of unequal parts: the root sends to everyone."""
    yield [Sent(root, rank, size) for rank, size in enumerate(sizes) if rank != root]


def ring(root: int, sizes: Sizes) -> Rounds:
    """Gather to all: each part goes around."""
    ranks = len(sizes)
    for step in range(ranks - 1):
        yield [Sent(r, (r + 1) % ranks, sizes[(r - step) % ranks]) for r in range(ranks)]


def pairwise(ranks: int, size: Callable[[int, int], int]) -> Rounds:
    """Exchange of all with all: in round k each rank sends to the one k behind it."""
    for step in range(1, ranks):
        pairs = ((rank, (rank + step) % ranks) for rank in range(ranks))
        yield [Sent(source, target, size(source, target)) for source, target in pairs]


def prefix_doubling(root: int, sizes: Sizes) -> Rounds:
    """Scan: in round k each rank sends its partial result to the one 2^k above it."""
    ranks = len(sizes)
    for step in powers(ranks):
        yield [Sent(rank, rank + step, sizes[rank]) for rank in range(ranks - step)]


def recursive_doubling(root: int, sizes: Sizes) -> Rounds:
    """Reduction to all: partners twice as far apart in each round.

    Where ranks are no power of two, so many of the first ones as are beyond it hand what they have
    to a neighbour before, and get the result from it afterwards.
    """
    ranks = len(sizes)
    core = 1 << (ranks.bit_length() - 1)
    extra = ranks - core
    if extra:
        yield [Sent(2 * i, 2 * i + 1, sizes[2 * i]) for i in range(extra)]
    members = [2 * i + 1 for i in range(extra)] + list(range(2 * extra, ranks))
    for step in powers(core):
        yield [Sent(members[i], members[i ^ step], sizes[members[i]]) for i in range(core)]
    if extra:
        yield [Sent(2 * i + 1, 2 * i, sizes[2 * i]) for i in range(extra)]
