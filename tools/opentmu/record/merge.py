# SPDX-License-Identifier: Apache-2.0
"""The ranks' logs merged into one trace, and what its replay must answer."""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opentmu.record.collectives import expand
from opentmu.record.contexts import agree
from opentmu.record.log import CLAIM, HIT, POST, PROBE, RankLog
from opentmu.record.order import arrange
from opentmu.record.pairing import pair
from opentmu.record.traffic import Look, Message, Queue, collect

KINDS = ("post", "arrive", "probe", "claim", "cancel")


@dataclass(frozen=True)
class Step:
    """One operation on its way into the trace; `position` and `late` order an endpoint's own."""

    position: int
    late: int
    time: int
    serial: int
    kind: str
    queue: Queue
    look: Look | None = None
    message: Message | None = None


@dataclass
class Trace:
    """The merged operations as trace lines, without metadata, and the recorded outcome.

    `got` tells for each post, claim and probe number which message it got or saw (None: none);
    `cancelled` for each cancel number whether it was in time.
    """

    lines: list[str] = field(default_factory=list)
    got: dict[int, int | None] = field(default_factory=dict)
    cancelled: dict[int, bool] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    total: int = 0
    contexts: int = 0


def _steps(queue: Queue, times: Sequence[int]) -> Iterator[Step]:
    for message in queue.messages:
        yield Step(message.position, 0, message.time, message.order, "arrive", queue, None, message)
    for look in queue.looks:
        if look.left_out:
            continue
        kind = {POST: "post", PROBE: "probe", CLAIM: "claim"}[look.entry.kind]
        yield Step(look.index, 1, look.entry.time, 0, kind, queue, look)
        for index in look.cancels:
            yield Step(index, 1, times[index], 0, "cancel", queue, look)


def _pattern(look: Look) -> str:
    source = "any" if look.source is None else str(look.source)
    tag = "any" if look.tag is None else str(look.tag)
    return f"{source} {tag}"


class _Writer:
    """Gives the numbers in trace order and writes the lines."""

    def __init__(self, start: int) -> None:
        self.trace = Trace()
        self.start = start
        self.requests = 0
        self.posts: dict[int, int] = {}
        self.messages: dict[int, int] = {}
        self.sought: list[tuple[int, Look]] = []

    def add(self, step: Step) -> None:
        endpoint, context = step.queue.endpoint, step.queue.context
        if step.message is not None:
            message = step.message
            number = self.messages[id(message)] = len(self.messages) + 1
            rest = f"{number} {context} {message.source} {message.tag} {message.bytes}"
        else:
            assert step.look is not None
            self.requests += 1
            rest = self._look(step.kind, step.look, context)
        self.trace.lines.append(f"{step.kind} {endpoint} {rest} @{step.time - self.start}")
        self.trace.counts[step.kind] += 1

    def _look(self, kind: str, look: Look, context: int) -> str:
        number = self.requests
        if kind == "cancel":
            self.trace.cancelled[number] = look.message is None
            return f"{number} {self.posts[id(look)]}"
        self.sought.append((number, look))
        if kind == "post":
            self.posts[id(look)] = number
        size = f" {look.entry.bytes}" if kind == "post" else ""
        return f"{number} {context} {_pattern(look)}{size}"

    def finish(self) -> Trace:
        """A message that a cut left behind the end counts as not yet arrived."""
        for number, look in self.sought:
            message = look.message
            self.trace.got[number] = None if message is None else self.messages.get(id(message))
        return self.trace


def merge(logs: Sequence[RankLog], delay: int, limit: int | None = None) -> Trace:
    """Merge the logs; with `limit`, only that many operations from the start.

    Every prefix of a trace is one that could have been recorded, so a cut needs no repair.
    """
    contexts = agree(logs)
    counts: Counter[str] = Counter()
    expand(logs, contexts, delay, counts)
    queues = collect(logs, contexts, counts)
    endpoints: dict[int, list[Step]] = {}
    clocks = [[entry.time for entry in log.entries] for log in logs]
    for queue in queues:
        times = clocks[queue.endpoint]
        pair(queue, counts)
        arrange(queue, times, delay, counts)
        _count_probes(queue, counts)
        endpoints.setdefault(queue.endpoint, []).extend(_steps(queue, times))
    for steps in endpoints.values():
        steps.sort(key=lambda s: (s.position, s.late, s.time, s.queue.context, s.serial))
    streams = [steps for _, steps in sorted(endpoints.items())]
    starts = [steps[0].time for steps in streams if steps]
    writer = _Writer(min(starts, default=0))
    total = sum(len(steps) for steps in streams)
    for step in heapq.merge(*streams, key=lambda s: s.time):
        if limit is not None and len(writer.trace.lines) >= limit:
            break
        writer.add(step)
    trace = writer.finish()
    trace.counts.update(counts)
    trace.total, trace.contexts = total, contexts.count
    return trace


def _count_probes(queue: Queue, counts: Counter[str]) -> None:
    for look in queue.looks:
        entry = look.entry
        if entry.kind != POST and not entry.flags & HIT:
            counts["missed-probes"] += entry.repeats
            counts["missed-probes-joined"] += entry.repeats - 1
