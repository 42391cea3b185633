# SPDX-License-Identifier: Apache-2.0
"""Messages that reached one endpoint on one context, and the receive that got each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from opentmu.record.contexts import Contexts
from opentmu.record.log import (
    ANY_SOURCE,
    ANY_TAG,
    CANCEL,
    CANCELLED,
    DONE,
    FREE,
    HIT,
    POST,
    SEND,
    Entry,
    RankLog,
)

NEVER = 1 << 62


@dataclass(eq=False)
class Message:
    """One send; positions are indices into the receiver's log.

    It arrives after the receiver's record `release` and before record `deadline`.
    """

    source: int
    tag: int
    bytes: int
    sent: int
    release: int = -1
    deadline: int = NEVER
    consumer: "Look | None" = None
    position: int = 0  # before this record
    time: int = 0
    order: int = 0  # among the queue's arrivals


@dataclass(eq=False)
class Look:
    """One receive, probe or claim of the receiver, at record `index` of its log."""

    entry: Entry
    index: int
    message: Message | None = None
    done: Entry | None = None
    seen: int = NEVER  # the record that told of its end
    cancels: list[int] = field(default_factory=list)
    left_out: bool = False

    @property
    def source(self) -> int | None:
        return None if self.entry.flags & ANY_SOURCE else self.entry.peer

    @property
    def tag(self) -> int | None:
        return None if self.entry.flags & ANY_TAG else self.entry.tag

    @property
    def cancelled(self) -> bool:
        return self.done is not None and bool(self.done.flags & CANCELLED)

    @property
    def found(self) -> tuple[int, int] | None:
        """Source and tag of the message that it is known to have got or seen."""
        if self.entry.kind == POST:
            if self.done is None or self.cancelled:
                return None
            return self.done.found_peer, self.done.found_tag
        return (self.entry.found_peer, self.entry.found_tag) if self.entry.flags & HIT else None


@dataclass
class Queue:
    """Everything at one endpoint on one context, each list in its own order."""

    endpoint: int
    context: int
    messages: list[Message] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)


def collect(logs: Sequence[RankLog], contexts: Contexts, left_out: Counter[str]) -> list[Queue]:
    """Sort the logs' records into queues; what has no endpoint or context is left out."""
    queues: dict[tuple[int, int], Queue] = {}

    def queue(endpoint: int, context: int) -> Queue:
        key = endpoint, context
        return queues.setdefault(key, Queue(*key))

    for log in logs:
        looks: dict[int, Look] = {}
        for index, entry in enumerate(log.entries):
            kind = entry.kind
            if kind in (DONE, CANCEL, FREE):
                look = looks.get(entry.id)
                if look is not None and kind == DONE and look.done is None:
                    look.done, look.seen = entry, index
                elif look is not None and kind == CANCEL:
                    look.cancels.append(index)
                continue
            view = contexts.views.get((log.rank, entry.comm))
            if view is None:
                left_out["without-context"] += 1
            elif kind == SEND:
                endpoint = view.peers[entry.peer]
                message = Message(view.rank, entry.tag, entry.bytes, entry.time)
                if endpoint == log.rank:
                    message.release = index
                queue(endpoint, view.context).messages.append(message)
            else:
                look = Look(entry, index)
                if kind == POST:
                    looks[entry.id] = look
                queue(log.rank, view.context).looks.append(look)
    return [queues[key] for key in sorted(queues)]
