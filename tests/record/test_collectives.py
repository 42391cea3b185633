# SPDX-License-Identifier: Apache-2.0
"""Messages of collectives: those of the algorithms, in a run, and of nobody else."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opentmu.errors import ToolMissing
from opentmu.record import log
from opentmu.record.algorithms import Call, rounds
from opentmu.record.cli import record
from opentmu.record.collectives import TAG, TAG_WAITED_FOR
from opentmu.record.library import library
from opentmu.record.log import Entry
from opentmu.record.merge import merge

from .plain_law import replay
from .synthetic import Run

INT = 4
RANKS = 5
SENT = tuple[int, int, int]


# Sends of one rank in each algorithm, told from its own side and not from that of the round.
def low_bit(number: int) -> int:
    return number & -number


def tree_sends(rank: int, ranks: int, root: int) -> Iterator[tuple[int, int]]:
    """Children of a rank in the binomial tree, and how many ranks are below each."""
    mine = (rank - root) % ranks
    step = low_bit(mine) if mine else 1 << (ranks - 1).bit_length()
    while step > 1:
        step >>= 1
        if mine + step < ranks:
            yield (mine + step + root) % ranks, min(step, ranks - mine - step)


def tree_parent(rank: int, ranks: int, root: int) -> int:
    mine = (rank - root) % ranks
    return (mine - low_bit(mine) + root) % ranks


def steps(ranks: int) -> list[int]:
    return [2**k for k in range(20) if 2**k < ranks]


def allreduce_sends(rank: int, ranks: int, size: int) -> Iterator[tuple[int, int]]:
    core = 2 ** (ranks.bit_length() - 1)
    extra = ranks - core
    if rank < 2 * extra and rank % 2 == 0:
        yield rank + 1, size
        return
    number = rank // 2 if rank < 2 * extra else rank - extra
    for step in steps(core):
        other = number ^ step
        yield (2 * other + 1 if other < extra else other + extra), size
    if rank < 2 * extra:
        yield rank - 1, size


def expected_of(call: Call, rank: int, ranks: int, root: int, ints: int) -> list[tuple[int, int]]:
    """Targets and bytes of what a rank sends; `ints` 0 stands for lengths by rank."""
    size = INT * (ints or rank + 1)
    others = [(rank + k) % ranks for k in range(1, ranks)]
    children = list(tree_sends(rank, ranks, root))
    below = 1 + sum(count for _, count in children)
    up = [] if rank == root else [tree_parent(rank, ranks, root)]
    table: dict[Call, list[tuple[int, int]]] = {
        Call.BARRIER: [((rank + step) % ranks, 0) for step in steps(ranks)],
        Call.BCAST: [(child, size) for child, _ in children],
        Call.REDUCE: [(parent, size) for parent in up],
        Call.ALLREDUCE: list(allreduce_sends(rank, ranks, size)),
        Call.SCAN: [(rank + step, size) for step in steps(ranks) if rank + step < ranks],
        Call.GATHER: [(parent, below * size) for parent in up],
        Call.GATHERV: [(root, size)] if rank != root else [],
        Call.SCATTER: [(child, count * size) for child, count in children],
        Call.SCATTERV: [(one, INT * (one + 1)) for one in others] if rank == root else [],
        Call.ALLGATHER: [
            (others[0], INT * (ints or (rank - k) % ranks + 1)) for k in range(ranks - 1)
        ],
        Call.ALLTOALL: [(one, size) for one in others],
        Call.ALLTOALLV: [(one, size) for one in others],
    }
    return table[call]


def told(call: Call, ranks: int, root: int, ints: int) -> Counter[SENT]:
    sends = ((r, expected_of(call, r, ranks, root, ints)) for r in range(ranks))
    return Counter((rank, target, size) for rank, some in sends for target, size in some)


@pytest.mark.parametrize("ranks", range(2, 18))
@pytest.mark.parametrize("call", Call, ids=lambda call: call.name.lower())
def test_rounds_are_what_each_rank_does(call: Call, ranks: int) -> None:
    for root in {0, ranks // 2, ranks - 1}:
        sizes = [INT * (rank + 1) for rank in range(ranks)]
        ints = 0
        if call in (Call.BCAST, Call.REDUCE, Call.ALLREDUCE, Call.SCAN, Call.GATHER, Call.SCATTER):
            sizes, ints = [INT * 6] * ranks, 6
        parts = [[INT * (rank + 1)] * ranks for rank in range(ranks)]
        made = list(rounds(call, root, sizes, parts))
        assert Counter(tuple(sent) for one in made for sent in one) == told(call, ranks, root, ints)


@pytest.mark.parametrize("ranks", [2, 3, 7, 8, 12])
def test_what_everyone_needs_reaches_everyone(ranks: int) -> None:
    """By the order of the rounds: of barrier, both to all, and from the root of a broadcast."""
    for call in (Call.BARRIER, Call.ALLREDUCE, Call.ALLGATHER, Call.ALLTOALL):
        assert _known(call, ranks, 0) == [set(range(ranks))] * ranks, call
    assert all(1 in known for known in _known(Call.BCAST, ranks, 1))
    assert _known(Call.REDUCE, ranks, 1)[1] == set(range(ranks))
    assert _known(Call.SCAN, ranks, 0) == [set(range(rank + 1)) for rank in range(ranks)]


def _known(call: Call, ranks: int, root: int) -> list[set[int]]:
    known = [{rank} for rank in range(ranks)]
    for messages in rounds(call, root, [1] * ranks, []):
        before = [set(one) for one in known]
        for sent in messages:
            known[sent.target] |= before[sent.source]
    return known


def enter(run: Run, rank: int, call: Call, at: int, end: int | None, *, flags: int = 0) -> None:
    number = 500 + len(run.logs[rank].entries)
    blank = Entry(at, number, 8, 0, log.COLLECTIVE, 0, 0, int(call), 0, 0, flags, 0)
    run.logs[rank].entries.append(blank)
    if end is not None:
        run.logs[rank].entries.append(blank._replace(time=end, kind=log.DONE, comm=-1))


def test_messages_lie_between_entering_and_leaving() -> None:
    run = Run(3)
    for rank in range(3):
        enter(run, rank, Call.BARRIER, 1000 * (rank + 1), 9000 + rank)
    trace = merge(run.logs, 10)
    assert trace.counts["collective-calls"] == 1
    assert trace.counts["post"] == trace.counts["arrive"] == 6
    times = [int(line.rpartition("@")[2]) for line in trace.lines]
    assert min(times) == 0 and max(times) <= 8002
    assert all(f" {TAG - Call.BARRIER} " in line for line in trace.lines)


def test_a_call_that_not_all_ranks_ended_is_left_out() -> None:
    run = Run(3)
    for rank in range(3):
        enter(run, rank, Call.BARRIER, 1000, 2000)
        enter(run, rank, Call.BCAST, 3000, None if rank == 2 else 4000)
    trace = merge(run.logs, 10)
    assert trace.counts["collective-calls"] == 1
    assert trace.counts["left-out-collectives"] == 1


def test_ranks_that_disagree_about_a_call_have_it_left_out() -> None:
    run = Run(2)
    enter(run, 0, Call.BARRIER, 1000, 2000)
    enter(run, 1, Call.BCAST, 1000, 2000)
    trace = merge(run.logs, 10)
    assert trace.counts["left-out-collectives"] == 1 and not trace.lines


# The calls of every_collective.c: the kind, and how many ints a rank contributes (0: its rank + 1).
BLOCKING = [
    (Call.BARRIER, 1),
    (Call.BCAST, 3),
    (Call.REDUCE, 5),
    (Call.ALLREDUCE, 7),
    (Call.SCAN, 9),
    (Call.SCAN, 11),
    (Call.GATHER, 13),
    (Call.GATHERV, 0),
    (Call.SCATTER, 17),
    (Call.SCATTERV, 0),
    (Call.ALLGATHER, 19),
    (Call.ALLGATHER, 0),
    (Call.ALLTOALL, 23),
    (Call.ALLTOALLV, 0),
    (Call.ALLTOALLV, 0),
    # Reduce_scatter: as many to each as that one is to get, which test_program adds.
    (Call.ALLTOALL, 29),
]
OVERLAPPING = [
    (Call.BCAST, 31),
    (Call.BARRIER, 1),
    (Call.ALLREDUCE, 37),
    (Call.GATHERV, 0),
    (Call.ALLTOALLV, 0),
    (Call.ALLGATHER, 41),
]


def program(ranks: int) -> dict[int, Counter[SENT]]:
    """The messages of blocking() on a communicator, by tag."""
    found: dict[int, Counter[SENT]] = {}
    for call, ints in BLOCKING:
        found.setdefault(TAG - call, Counter()).update(told(call, ranks, ranks - 1, ints))
    scattered = ((i, j) for i in range(ranks) for j in range(ranks) if i != j)
    found[TAG - Call.ALLTOALLV].update((i, j, INT * (j + 1)) for i, j in scattered)
    return found


def arrivals(
    lines: list[list[str]], members: dict[int, list[int]]
) -> dict[int, dict[int, Counter[SENT]]]:
    """Messages by context and tag, with ranks of the communicator."""
    found: dict[int, dict[int, Counter[SENT]]] = {}
    for words in lines:
        if words[0] != "arrive":
            continue
        endpoint, context, source, tag, size = (int(words[i]) for i in (1, 3, 4, 5, 6))
        by_tag = found.setdefault(context, {})
        target = members[context].index(endpoint)
        by_tag.setdefault(tag, Counter())[source, target, size] += 1
    return found


def test_a_program_with_every_collective(
    compile_mpi: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each message of each algorithm on each communicator, and no wildcard takes one (R2).

    `record` raises when the model's replay differs from the run.
    """
    try:
        library()
    except ToolMissing as error:
        pytest.skip(str(error))
    monkeypatch.chdir(tmp_path)
    compile_mpi("every_collective.c")
    command = ["mpirun", "-n", str(RANKS), "./every_collective"]
    made = record(command, Path("all.trace.gz"), collectives=True)
    assert made.facts["collectives"] == "textbook"
    assert "collective" not in made.facts["not-recorded"]
    assert made.facts["left-out-collectives"] == "2"  # on an intercommunicator
    assert not [name for name in made.facts if name.startswith("unexplained")]
    text = gzip.decompress(Path("all.trace.gz").read_bytes()).decode()
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    contexts = sorted({int(words[3]) for words in lines if words[0] == "arrive"})
    halves = contexts[1:]
    # The second half's ranks are by falling world rank.
    members = {0: list(range(RANKS)), halves[0]: [4, 2, 0], halves[1]: [3, 1]}
    found = arrivals(lines, members)
    assert {found[0].pop(5).total()} == {RANKS}  # the program's own
    late = {
        tag: found[0].pop(tag) for tag in sorted(found[0], reverse=True) if tag <= TAG_WAITED_FOR
    }
    assert found[0] == program(RANKS)
    assert found[halves[0]] == program(3) and found[halves[1]] == program(2)
    assert list(late.values()) == [told(call, RANKS, 0, ints) for call, ints in OVERLAPPING]
    verdicts = list(replay(" ".join(words) for words in lines))
    assert len(verdicts) == made.operations
    assert int(made.facts["collective-calls"]) == 3 * (len(BLOCKING) + 1) + len(OVERLAPPING)


def test_collectives_are_not_in_a_trace_that_did_not_ask(
    compile_mpi: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    compile_mpi("every_collective.c")
    made = record(["mpirun", "-n", "3", "./every_collective"], Path("none.trace"))
    assert made.operations == 6
    assert "messages inside collective operations" in made.facts["not-recorded"]
    assert "collectives" not in made.facts
