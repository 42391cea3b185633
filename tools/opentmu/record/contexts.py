# SPDX-License-Identifier: Apache-2.0
"""One context number for a communicator on all of its ranks."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from opentmu.errors import CheckFailed
from opentmu.record.log import CommNote, RankLog

WORLD, SELF = 0, 1


@dataclass(frozen=True)
class Member:
    """A rank's view of a context: its own number there, and the world ranks of its peers."""

    context: int
    rank: int
    peers: tuple[int, ...]


@dataclass
class Contexts:
    """Views by (world rank, that rank's communicator number).

    Missing from it: communicators with processes outside MPI_COMM_WORLD, which have no endpoint.
    """

    views: dict[tuple[int, int], Member]
    count: int


def _sides(note: CommNote) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted((note.members, note.remote))) if note.remote else (note.members,)


def _names(log: RankLog, numbers: dict[Hashable, int]) -> dict[int, int]:
    """This rank's communicator numbers as contexts; new names take the next number.

    A creation that is collective over its parent is named by its index among those; the
    others by members and tag, and by their index among those that agree in both.
    """
    contexts: dict[int, int] = {}
    repeats: dict[Hashable, int] = defaultdict(int)
    for note in log.comms:
        parent = contexts.get(note.parent, -1)
        name: Hashable
        if note.how in ("world", "self"):
            name = note.how
        elif note.how in ("group", "inter"):
            alike = (parent, note.how, note.tag, _sides(note))
            name = (*alike, repeats[alike])
            repeats[alike] += 1
        else:
            name = (parent, note.ordinal, _sides(note))
        contexts[note.number] = numbers.setdefault(name, len(numbers))
    return contexts


def agree(logs: Sequence[RankLog]) -> Contexts:
    """Name every communicator alike on all its ranks, and check that its members all did."""
    numbers: dict[Hashable, int] = {"world": WORLD, "self": SELF}
    views: dict[tuple[int, int], Member] = {}
    holders: dict[int, set[int]] = defaultdict(set)
    expected: dict[int, set[int]] = {}
    for log in logs:
        contexts = _names(log, numbers)
        for note in log.comms:
            everyone = set(note.members) | set(note.remote)
            if -1 in everyone:
                continue
            context = contexts[note.number]
            views[log.rank, note.number] = Member(context, note.rank, note.remote or note.members)
            holders[context].add(log.rank)
            expected[context] = everyone
    if all(log.finalized for log in logs):
        for context, everyone in expected.items():
            if context != SELF and holders[context] != everyone:
                raise CheckFailed(
                    f"The ranks disagree about a communicator: {sorted(everyone)} are its members, "
                    f"{sorted(holders[context])} noted it."
                )
    return Contexts(views, len(numbers))
