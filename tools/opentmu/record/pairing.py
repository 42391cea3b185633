# SPDX-License-Identifier: Apache-2.0
"""Which message each receive got in the recorded run.

The run tells source and tag of what each receive got.  Messages that agree in source and tag
are interchangeable to every pattern, so by R3, R4 and R7 the receives that got such messages
got them in the order in which they were posted.
"""

from collections import Counter, defaultdict, deque

from opentmu.record.log import CANCELLED, CLAIM, POST
from opentmu.record.traffic import Look, Message, Queue

Key = tuple[int, int]


def _unobserved(look: Look) -> Key | None:
    """The one key that a receive whose end nobody saw can have taken, if it has only one."""
    if look.entry.kind != POST or look.done is not None:
        return None
    return None if look.source is None or look.tag is None else (look.source, look.tag)


def _takes(look: Look) -> bool:
    return look.entry.kind in (POST, CLAIM)


def pair(queue: Queue, counts: Counter[str]) -> None:
    """Give every receive and claim of the queue its message, and every hit probe what it saw.

    An exact receive whose end was never seen (freed, or pending at the end) is given a message
    only where more were sent than other receives got.
    """
    waiting: dict[Key, deque[Message]] = defaultdict(deque)
    for message in queue.messages:
        waiting[message.source, message.tag].append(message)
    spare = {key: len(messages) for key, messages in waiting.items()}
    for look in queue.looks:
        if _takes(look) and look.found in spare:
            spare[look.found] -= 1
    for look in queue.looks:
        key = look.found
        if key is None:
            key = _unobserved(look)
            if key is None or spare.get(key, 0) <= 0:
                continue
            spare[key] -= 1
            counts["receives-unobserved"] += 1
        if not waiting[key]:
            look.left_out = True
            counts["left-out-receives" if _takes(look) else "left-out-probes"] += 1
            continue
        message = waiting[key][0]
        look.message = message
        counts["disagreeing-sizes"] += _other_size(look, message)
        message.deadline = min(message.deadline, _evidence(look))
        if _takes(look):
            waiting[key].popleft()
            message.consumer = look


def _other_size(look: Look, message: Message) -> bool:
    """Whether MPI told another length than the one that was sent: then the pairing is wrong."""
    told = look.done if look.entry.kind == POST else look.entry
    if told is None or (look.entry.kind == POST and message.bytes > look.entry.bytes):
        return False
    return told.bytes != message.bytes


def _evidence(look: Look) -> int:
    """The record before which this look's message must have arrived."""
    if look.entry.kind != POST:
        return look.index
    late = look.cancels if not (look.done and look.done.flags & CANCELLED) else []
    return min([look.seen, *late])
