# SPDX-License-Identifier: Apache-2.0
"""The law on two plain lists (R1 to R6, R8 to R10), for traces without limits or raw forms.

Written from the law alone, so that the merge's tests do not lean on any engine.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Receive = tuple[int, str, str, str, int]
Message = tuple[int, str, int, int, int]


@dataclass
class Queues:
    posted: list[Receive] = field(default_factory=list)
    unexpected: list[Message] = field(default_factory=list)


def fits(receive: Receive, message: Message) -> bool:
    _, context, source, tag, _ = receive
    if context != message[1] or source not in ("any", str(message[2])):
        return False
    return message[3] >= 0 if tag == "any" else int(tag) == message[3]


def _search(kind: str, queues: Queues, receive: Receive) -> str:
    """A post, probe or claim."""
    hit = next((m for m in queues.unexpected if fits(receive, m)), None)
    if hit is None:
        if kind != "post":
            return f"{kind} {receive[0]} none"
        queues.posted.append(receive)
        return f"post {receive[0]} queued"
    if kind == "probe":
        return f"probe {receive[0]} found {hit[0]}"
    queues.unexpected.remove(hit)
    cut = " truncated" if kind == "post" and hit[4] > receive[4] else ""
    return f"{kind} {receive[0]} matched {hit[0]}{cut}"


def _arrive(queues: Queues, message: Message) -> str:
    hit = next((r for r in queues.posted if fits(r, message)), None)
    if hit is None:
        queues.unexpected.append(message)
        return f"arrive {message[0]} queued"
    queues.posted.remove(hit)
    return f"arrive {message[0]} matched {hit[0]}{' truncated' if message[4] > hit[4] else ''}"


def _cancel(queues: Queues, number: int, target: int) -> str:
    hit = next((r for r in queues.posted if r[0] == target), None)
    if hit is None:
        return f"cancel {number} late {target}"
    queues.posted.remove(hit)
    return f"cancel {number} cancelled {target}"


def replay(lines: Iterable[str]) -> Iterator[str]:
    """The verdict log of a trace's operation lines."""
    endpoints: dict[str, Queues] = defaultdict(Queues)
    for line in lines:
        kind, endpoint, number, *rest = line.split()
        queues = endpoints[endpoint]
        if kind == "arrive":
            context, source, tag, length = rest[:4]
            message = (int(number), context, int(source), int(tag), int(length))
            yield _arrive(queues, message)
        elif kind == "cancel":
            yield _cancel(queues, int(number), int(rest[0]))
        else:
            context, source, tag, *more = rest
            size = int(more[0]) if kind == "post" else 0
            yield _search(kind, queues, (int(number), context, source, tag, size))
