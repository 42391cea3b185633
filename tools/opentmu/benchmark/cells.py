# SPDX-License-Identifier: Apache-2.0
"""Which cells the benchmark has.  What each does is said in sim/unit and in docs/benchmark.md."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opentmu.errors import BadInput

DEPTHS = (0, 1, 16, 64, 256, 1024, 4096, 16384)
QUICK_DEPTHS = (0, 1, 64)
NO_POSITION = "none"
POSITIONS = ("oldest", "youngest", "random", "same_clock")
QUEUES = ("posted", "unexpected")
BOTH = "both"

# One queue, searched at constant depth: by queue and position.
MATCH = (
    "exact",
    "any_source",
    "any_tag",
    "both",
    "mixed",
    "equal_mod256",
    "equal_mod65536",
)
COLLISIONS = ("equal_mod256", "equal_mod65536")
# Kinds with a least depth and no position: one queue, or both at once.
ONE_QUEUE = {"fifo": 1, "hole_workload": 64, "same_key": 64}
BOTH_QUEUES = {"miss": 0, "mix": 64}
PAIRED = "paired"
APPEND = "append"
KINDS = (*MATCH, PAIRED, APPEND, *ONE_QUEUE, *BOTH_QUEUES)


@dataclass(frozen=True)
class Cell:
    """One cell; `steps` are measured after the queues have been filled."""

    kind: str
    queue: str
    position: str
    depth: int
    steps: int

    @property
    def word(self) -> str:
        """The harness's name of the cell."""
        return f"{self.kind}:{self.queue}:{self.position}:{self.depth}:{self.steps}"


@dataclass(frozen=True)
class Choice:
    """The cells that were asked for; empty means all."""

    kinds: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    depths: tuple[int, ...] = ()
    quick: bool = False


def split(option: str, texts: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The words of a repeatable option, with or without commas; BadInput for an unknown one."""
    words = [word.strip() for text in texts for word in text.split(",")]
    for word in words:
        if word not in known:
            raise BadInput(f"{option}: found {word!r}, expected one of {', '.join(known)}")
    return tuple(dict.fromkeys(words))


def depths_of(texts: Sequence[str], entries: int, preset: str) -> tuple[int, ...]:
    """The depths asked for; BadInput for what is no depth of a preset with so many entries."""
    words = [word.strip() for text in texts for word in text.split(",")]
    for word in words:
        if not word.isdecimal() or int(word) > entries:
            raise BadInput(
                f"--depth: found {word!r}, expected 0 to the {entries:,} entries of preset {preset}"
            )
    return tuple(dict.fromkeys(int(word) for word in words))


def chosen(choice: Choice, entries: int, array: int) -> list[Cell]:
    """All cells of a choice on tables of `entries`, `array` of them in lanes.

    Raises BadInput when the choice has no cell.
    """
    default = QUICK_DEPTHS if choice.quick else DEPTHS
    # The array's own size and the whole table are always among them.
    usual = [depth for depth in default if depth <= entries] + [array, entries]
    depths = choice.depths or sorted(set(usual))
    kinds, positions = choice.kinds or KINDS, choice.positions or (*POSITIONS, NO_POSITION)
    cells = [
        cell
        for depth in depths
        for cell in _of_depth(depth, steps(depth, array, quick=choice.quick))
        if cell.kind in kinds and (cell.position in positions or not choice.positions)
    ]
    if not cells:
        raise BadInput(
            f"found no cell of kind {', '.join(kinds)}, position {', '.join(positions)} and depth "
            f"{', '.join(map(str, depths))}, expected at least one"
        )
    _check_used(choice, cells)
    return cells


def _check_used(choice: Choice, cells: Sequence[Cell]) -> None:
    """Nothing that was asked for is left out in silence."""
    asked: dict[str, tuple[Sequence[object], set[object]]] = {
        "--kind": (choice.kinds, {cell.kind for cell in cells}),
        "--position": (choice.positions, {cell.position for cell in cells}),
        "--depth": (choice.depths, {cell.depth for cell in cells}),
    }
    for option, (wanted, found) in asked.items():
        if unused := [str(one) for one in wanted if one not in found]:
            raise BadInput(
                f"{option}: found no cell of {', '.join(unused)} beside the other choices, "
                "expected at least one; measure it in a run of its own"
            )


def steps(depth: int, array: int, *, quick: bool) -> int:
    """Measured steps: fewer where one takes many clocks."""
    if quick:
        return 96
    return 1000 if depth <= array else 160


def _of_depth(depth: int, count: int) -> Iterator[Cell]:
    for kind in MATCH:
        for queue in QUEUES:
            for position in _positions(queue, depth):
                yield Cell(kind, queue, position, depth, count)
    for kind, least in ONE_QUEUE.items():
        if depth >= least:
            yield from (Cell(kind, queue, NO_POSITION, depth, count) for queue in QUEUES)
    for kind, least in BOTH_QUEUES.items():
        if depth >= least:
            yield Cell(kind, BOTH, NO_POSITION, depth, count)
    if depth >= 1:
        for position in POSITIONS[:3]:
            yield Cell(PAIRED, BOTH, position, depth, count)
    if depth >= 2:
        yield from (Cell(APPEND, queue, NO_POSITION, depth, count) for queue in (*QUEUES, BOTH))


def _positions(queue: str, depth: int) -> tuple[str, ...]:
    """An empty queue has no position; only a receive can be posted and matched in one clock."""
    if depth == 0:
        return (NO_POSITION,)
    return POSITIONS if queue == "posted" else POSITIONS[:3]
