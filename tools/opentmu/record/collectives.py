# SPDX-License-Identifier: Apache-2.0
"""The messages of collective operations, put into the ranks' logs in place of the calls.

An MPI library keeps the messages inside its collectives to itself.  The log tells when each rank
entered a call and when it had ended there; between these, the call becomes the messages of a
textbook algorithm (algorithms.py).  They have negative tags on the program's own communicator, as
MPI libraries do it, so no receive of the program can take one (R2).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opentmu.record.algorithms import Call, Sent, rounds
from opentmu.record.contexts import Contexts
from opentmu.record.log import COLLECTIVE, DONE, PART, POST, SEND, WAITED_FOR, Entry, RankLog

# Numbers of receives that the program did not make.
FIRST_ID = 1 << 48
# Calls of one kind share a tag, for they are in one order on all ranks; those that others may
# overtake have one each.
TAG = -100
TAG_WAITED_FOR = -1000

# Order within a log: by time, then behind the record of the call, as the algorithm has it.
Position = tuple[int, int, int]


@dataclass
class Entered:
    """One rank's part of a collective call."""

    entry: Entry
    index: int
    end: int | None = None
    parts: dict[int, int] = field(default_factory=dict)
    made: list[Entry] = field(default_factory=list)

    @property
    def alike(self) -> tuple[int, int, int]:
        """Values that all ranks of a call agree about."""
        return self.entry.tag, self.entry.peer, self.entry.flags & WAITED_FOR


def expand(logs: Sequence[RankLog], contexts: Contexts, delay: int, counts: Counter[str]) -> None:
    """Replace the records of collectives in all logs by sends and receives."""
    calls: dict[tuple[int, tuple[int, ...]], dict[int, list[Entered]]]
    calls = defaultdict(lambda: defaultdict(list))
    between: dict[int, Counter[int]] = defaultdict(Counter)
    own: list[list[Entered]] = []
    for log in logs:
        own.append(_entered(log))
        inter = {note.number for note in log.comms if note.remote}
        for call in own[-1]:
            view = contexts.views.get((log.rank, call.entry.comm))
            if view is None:
                counts["without-context"] += 1
            elif call.entry.comm in inter:
                between[view.context][log.rank] += 1
            elif len(view.peers) > 1:
                calls[view.context, view.peers][view.rank].append(call)
    counts["left-out-collectives"] += sum(max(ranks.values()) for ranks in between.values())
    numbers: Counter[int] = Counter()
    for (_, peers), by_rank in sorted(calls.items()):
        for serial in range(max(map(len, by_rank.values()))):
            parts = [by_rank[rank][serial : serial + 1] for rank in range(len(peers))]
            together = [call for part in parts for call in part]
            if _is_whole(together, len(peers)):
                _play(together, peers, TAG_WAITED_FOR - serial, delay, numbers)
                counts["collective-calls"] += 1
            else:
                counts["left-out-collectives"] += 1
    for log, entered in zip(logs, own, strict=True):
        if entered:
            log.entries = _merged(log.entries, entered)


def _entered(log: RankLog) -> list[Entered]:
    """The collective calls of a rank, in their order."""
    found: dict[int, Entered] = {}
    for index, entry in enumerate(log.entries):
        if entry.kind == COLLECTIVE:
            found[entry.id] = Entered(entry, index)
        elif entry.id in found and entry.kind == PART:
            found[entry.id].parts[entry.peer] = entry.bytes
        elif entry.id in found and entry.kind == DONE and found[entry.id].end is None:
            found[entry.id].end = entry.time
    for call in found.values():
        if call.end is None and call.entry.flags & WAITED_FOR and log.finalized:
            call.end = log.entries[-1].time  # nobody was told of its end
    return list(found.values())


def _is_whole(together: Sequence[Entered], ranks: int) -> bool:
    """Whether all ranks took part to the end, in what they take for the same call."""
    ended = all(call.end is not None for call in together)
    return len(together) == ranks and ended and len({call.alike for call in together}) == 1


def _play(
    together: Sequence[Entered], peers: Sequence[int], late_tag: int, delay: int, ids: Counter[int]
) -> None:
    """Give every rank its sends and receives; none before it entered or after it had ended."""
    kind = Call(together[0].entry.tag)
    waited_for = together[0].entry.flags & WAITED_FOR
    tag = late_tag if waited_for else TAG - kind
    clock = [call.entry.time for call in together]
    ranks = range(len(together))
    parts = [[call.parts.get(rank, 0) for rank in ranks] for call in together]
    sizes = [call.entry.bytes for call in together]
    for messages in rounds(kind, together[0].entry.peer, sizes, parts):
        before = list(clock)
        posted: list[tuple[Sent, int]] = []
        for sent in messages:
            ids[peers[sent.target]] += 1
            number = FIRST_ID + ids[peers[sent.target]]
            posted.append((sent, number))
            _add(together[sent.target], POST, before[sent.target], number, sent.source, tag, sent)
        for sent, _ in posted:
            _add(together[sent.source], SEND, before[sent.source], 0, sent.target, tag, sent)
        for sent, number in posted:
            target = sent.target
            got = max(clock[target], before[sent.source] + delay)
            clock[target] = min(got, together[target].end or got)
            _add(together[target], DONE, clock[target], number, sent.source, tag, sent)


def _add(call: Entered, kind: int, time: int, number: int, peer: int, tag: int, sent: Sent) -> None:
    """One record of the rank whose part `call` is."""
    comm = -1 if kind == DONE else call.entry.comm
    found = (peer, tag) if kind == DONE else (0, 0)
    call.made.append(Entry(time, number, sent.bytes, 0, kind, comm, peer, tag, *found, 0, 0))


def _merged(entries: Sequence[Entry], entered: Sequence[Entered]) -> list[Entry]:
    """A rank's log with what its calls have become; records of calls are left out."""
    ids = {call.entry.id for call in entered}
    placed: list[tuple[Position, Entry]] = [
        ((entry.time, index, 0), entry)
        for index, entry in enumerate(entries)
        if entry.kind not in (COLLECTIVE, PART) and not (entry.kind == DONE and entry.id in ids)
    ]
    for call in entered:
        placed += list(_positioned(call))
    placed.sort(key=lambda one: one[0])
    return [entry for _, entry in placed]


def _positioned(call: Entered) -> Iterator[tuple[Position, Entry]]:
    for order, entry in enumerate(call.made):
        yield (entry.time, call.index, order), entry
