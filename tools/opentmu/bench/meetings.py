# SPDX-License-Identifier: Apache-2.0
"""Meetings of the two streams of a matching unit: bins that a race has to reach."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from opentmu import regs
from opentmu.bench.records import Answer, Operation
from opentmu.regs import Status

POST, ARRIVAL = range(2)
TAKING = (Status.MATCHED, Status.CANCELLED)
MEETINGS = (
    "both in one slot",
    "both at one endpoint",
    "pair in one slot",
    "cancelled in its slot",
    "matched one clock later",
    "message taken one clock later",
)


@dataclass(frozen=True)
class Accepted:
    """An operation of the run and the clock in which the unit took it."""

    operation: Operation
    stream: int
    clock: int


def meetings(
    preset: regs.Preset, accepted: Sequence[Accepted], answers: Sequence[Answer]
) -> Counter[str]:
    """The number of meetings of each kind of MEETINGS in a run."""
    found: Counter[str] = Counter()
    when = {one.operation.handle: one for one in accepted}
    clocks: dict[int, list[Accepted]] = defaultdict(list)
    for one in accepted:
        clocks[one.clock].append(one)
    for pair in clocks.values():
        ends = {one.operation.target(preset) for one in pair}
        found["both in one slot"] += len(pair) == 2
        found["both at one endpoint"] += len(pair) == 2 and len(ends) == 1
    for answer in answers:
        now, other = when.get(answer.handle), when.get(answer.other)
        if now is None or other is None or answer.status not in TAKING:
            continue
        distance = now.clock - other.clock
        cancels = answer.status == Status.CANCELLED
        found["pair in one slot"] += distance == 0 and not cancels
        found["cancelled in its slot"] += distance == 0 and cancels
        found["matched one clock later"] += distance == 1 and now.stream == ARRIVAL
        found["message taken one clock later"] += distance == 1 and now.stream == POST
    return found
