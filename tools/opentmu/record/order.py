# SPDX-License-Identifier: Apache-2.0
"""Arrival of each message in the receiver's log, so that the law repeats the recorded run.

Only three things can go wrong in a replay of one endpoint and context, and each is a bound:
- A receive, claim or hit probe that got message `a` also fits a message `b` that a younger
  receive got: `a` must arrive before `b` (R3, R4).  Within one source that is given (R7), so
  only wildcard sources add such edges, one for each other source's first such message.
- A missed probe, or a receive until its cancel, fits a message that a younger receive got:
  the message arrives after that probe or cancel.
- The end of a receive, a hit or a late cancel was seen: its message arrived before.
Any order inside these bounds gives every receive its message; the one taken here puts each
arrival as close as it can to its send plus the stated delay.
"""

import heapq
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from opentmu.record.log import POST, PROBE
from opentmu.record.traffic import NEVER, Look, Message, Queue


class _Chain:
    """Messages of one source in order, of which the first that no receive has taken is asked."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.start = 0

    def head(self, now: int) -> Message | None:
        while self.start < len(self.messages):
            message = self.messages[self.start]
            if message.consumer is None or message.consumer.index > now:
                return message
            self.start += 1
        return None


@dataclass
class _Bounds:
    """Bounds of one queue: edges as indices, and the look that set each release."""

    after: dict[int, list[Message]] = field(default_factory=lambda: defaultdict(list))
    causes: dict[int, Look] = field(default_factory=dict)
    release: dict[int, int] = field(default_factory=dict)


class _Heads:
    """The oldest message left for a pattern, by source."""

    def __init__(self, queue: Queue) -> None:
        self.by_source: dict[int, _Chain] = defaultdict(_Chain)
        self.by_tag: dict[int, dict[int, _Chain]] = defaultdict(lambda: defaultdict(_Chain))
        for message in queue.messages:
            self.by_source[message.source].messages.append(message)
            self.by_tag[message.tag][message.source].messages.append(message)

    def fitting(self, look: Look) -> Iterator[Message]:
        chains = self.by_source if look.tag is None else self.by_tag.get(look.tag, {})
        if look.source is None:
            wanted = list(chains.values())
        else:
            wanted = [chains[look.source]] if look.source in chains else []
        for chain in wanted:
            message = chain.head(look.index)
            if message is not None:
                yield message


def _bounds(queue: Queue, counts: Counter[str]) -> _Bounds:
    """Collect the edges and releases; a look that no order can explain is left out."""
    heads = _Heads(queue)
    bounds = _Bounds()
    for look in queue.looks:
        if look.left_out:
            continue
        if look.message is not None:
            if look.source is None:
                for other in heads.fitting(look):
                    if other.source != look.message.source:
                        bounds.after[id(look.message)].append(other)
            continue
        until = look.index
        if look.entry.kind == POST:
            until = max([look.seen, *look.cancels][-1:]) if look.cancelled else NEVER
        for other in heads.fitting(look):
            if until == NEVER:
                look.left_out = True
                counts["unexplained-receives"] += 1
                break
            if until > bounds.release.get(id(other), -1):
                bounds.release[id(other)] = until
                bounds.causes[id(other)] = look
    return bounds


def _sorted(queue: Queue, bounds: _Bounds, counts: Counter[str]) -> list[Message]:
    """The messages so that each stands after those that must arrive before it.

    Among free choices the earliest send comes first.  Also makes each source's chain an edge.
    """
    last: dict[int, Message] = {}
    for message in queue.messages:
        if message.source in last:
            bounds.after[id(last[message.source])].append(message)
        last[message.source] = message
    blockers: Counter[int] = Counter()
    for targets in bounds.after.values():
        blockers.update(id(target) for target in targets)
    serial = {id(message): i for i, message in enumerate(queue.messages)}
    ready = [(m.sent, serial[id(m)]) for m in queue.messages if not blockers[id(m)]]
    heapq.heapify(ready)
    result: list[Message] = []
    placed: set[int] = set()
    while len(result) < len(queue.messages):
        if not ready:  # contradictory edges: give way at the earliest send
            counts["unexplained-orders"] += 1
            first = min((m for m in queue.messages if id(m) not in placed), key=lambda m: m.sent)
            blockers[id(first)] = 0
            ready.append((first.sent, serial[id(first)]))
        message = queue.messages[heapq.heappop(ready)[1]]
        if id(message) in placed:
            continue
        placed.add(id(message))
        result.append(message)
        for target in bounds.after.get(id(message), []):
            blockers[id(target)] -= 1
            if blockers[id(target)] == 0:
                heapq.heappush(ready, (target.sent, serial[id(target)]))
    return result


def _conflict(ordered: list[Message], bounds: _Bounds) -> Look | None:
    """Spread the bounds along the edges; return a look whose bound leaves no room, if any."""
    release = {id(m): max(m.release, bounds.release.get(id(m), -1)) for m in ordered}
    cause: dict[int, Look | None] = {}
    for message in ordered:
        key = id(message)
        own = bounds.release.get(key, -1)
        cause.setdefault(key, None)
        if cause[key] is None and own == release[key] >= 0:
            cause[key] = bounds.causes[key]
        for target in bounds.after.get(key, []):
            if release[key] > release[id(target)]:
                release[id(target)], cause[id(target)] = release[key], cause[key]
    for message in reversed(ordered):
        key = id(message)
        for target in bounds.after.get(key, []):
            message.deadline = min(message.deadline, target.deadline)
    for message in ordered:
        message.release = release[id(message)]
        culprit = cause[id(message)]
        if message.release >= message.deadline and culprit is not None:
            return culprit
    return None


def _put(ordered: list[Message], bounds: _Bounds, times: list[int], delay: int) -> Counter[str]:
    """Choose each arrival's position and time; all bounds are spread already."""
    counts: Counter[str] = Counter()
    for order, message in enumerate(ordered):
        message.order, message.position, message.time = order, 0, 0
    for message in ordered:
        wanted = message.sent + delay
        position = max(bisect_right(times, wanted), message.release + 1, message.position)
        position = max(min(position, message.deadline), 0)
        position = min(position, len(times))
        time = max(wanted, message.time)
        if position < len(times):
            time = min(time, times[position])
        if position > 0:
            time = max(time, times[position - 1])
        counts["arrivals-later" if time > wanted else "arrivals-earlier"] += time != wanted
        counts["arrivals-before-send"] += time < message.sent
        message.position, message.time = position, time
        for target in bounds.after.get(id(message), []):
            target.position = max(target.position, position)
            target.time = max(target.time, time)
    return counts


def arrange(queue: Queue, times: list[int], delay: int, counts: Counter[str]) -> None:
    """Choose positions for all arrivals of a queue; `times` are those of the receiver's records."""
    original = [(message.release, message.deadline) for message in queue.messages]
    while True:
        bounds = _bounds(queue, counts)
        given_way: Counter[str] = Counter()
        ordered = _sorted(queue, bounds, given_way)
        culprit = _conflict(ordered, bounds)
        if culprit is None:
            break
        culprit.left_out = True
        kind = "probes" if culprit.entry.kind == PROBE else "claims"
        counts[f"unexplained-{'cancels' if culprit.entry.kind == POST else kind}"] += 1
        for message, (release, deadline) in zip(queue.messages, original, strict=True):
            message.release, message.deadline = release, deadline
    counts.update(given_way)
    counts.update(_put(ordered, bounds, times, delay))
