# SPDX-License-Identifier: Apache-2.0
"""Writes the traces of this folder that no program made: python3 tests/traces/generate.py [FOLDER].

corners.trace.gz has what recorded programs seldom do: keys that differ in one bit, wildcards beside
exact receives, equal keys, lengths around a receive's.  deep.trace.gz has thousands of entries a
queue.  Both end with empty queues, and the same script writes the same bytes.
"""

import gzip
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

RANKS = 4
DEPTH = 3000
SOMEWHERE = 120  # operations on an entry drawn at random, of each kind
NS = 400  # between two operations
LENGTH_MAX = (1 << 48) - 1
ANY = "any"


@dataclass
class Writer:
    """A trace under way."""

    lines: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    messages: int = 0
    requests: int = 0

    def _put(self, kind: str, rest: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.lines.append(f"{kind} {rest} @{len(self.lines) * NS}")

    def _request(self, kind: str, endpoint: int, rest: str) -> int:
        self.requests += 1
        self._put(kind, f"{endpoint} {self.requests} {rest}")
        return self.requests

    def post(self, ep: int, context: int, source: object, tag: object, size: int = 64) -> int:
        return self._request("post", ep, f"{context} {source} {tag} {size}")

    def probe(self, ep: int, context: int, source: object, tag: object) -> int:
        return self._request("probe", ep, f"{context} {source} {tag}")

    def claim(self, ep: int, context: int, source: object, tag: object) -> int:
        return self._request("claim", ep, f"{context} {source} {tag}")

    def cancel(self, ep: int, target: int) -> int:
        return self._request("cancel", ep, str(target))

    def arrive(self, ep: int, context: int, source: int, tag: int, size: int = 64) -> None:
        self.messages += 1
        self._put("arrive", f"{ep} {self.messages} {context} {source} {tag} {size}")

    def write(self, file: Path, application: str) -> None:
        facts = {
            "application": application,
            "version": "1",
            "package": "none: generated",
            "command": f"python3 tests/traces/generate.py, which wrote {file.name}",
            "origin": "generated, no program ran",
            "mpi": "none",
            "ranks": RANKS,
            "delay-ns": 0,
            "operations": len(self.lines),
        }
        kinds = ("post", "arrive", "probe", "claim", "cancel")
        facts |= {f"operations-{kind}": self.counts.get(kind, 0) for kind in kinds}
        head = ["# tmu-trace v1", *(f"# {name}: {value}" for name, value in facts.items())]
        text = "\n".join([*head, *self.lines, ""])
        # No name and no time: the same bytes each time.
        file.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


Key = tuple[int, int, int]  # context, source, tag


def flipped(key: Key, part: int, bit: int) -> Key:
    """The key with one bit of one field the other way."""
    parts = list(key)
    value = (parts[part] ^ (1 << bit)) & 0xFFFFFFFF
    parts[part] = value - (1 << 32) if part == 2 and value >> 31 else value
    return parts[0], parts[1], parts[2]


def bits(w: Writer) -> None:
    """R1: an older entry whose key differs in one bit, in both queues."""
    for part in range(3):
        for bit in range(32):
            ep, key = bit % RANKS, (5, 3, 9)
            other = flipped(key, part, bit)
            w.post(ep, *other)
            w.post(ep, *key)
            w.arrive(ep, *key)
            w.arrive(ep, *other)
            w.arrive(ep, *other)
            w.arrive(ep, *key)
            w.post(ep, *key)
            w.post(ep, *other)


def endpoints(w: Writer) -> None:
    """R13: the same keys at every endpoint at once."""
    for ep in range(RANKS):
        w.post(ep, 7, 1, 1)
    for ep in reversed(range(RANKS)):
        w.arrive(ep, 7, 1, 1)


def wildcards(w: Writer, ep: int) -> None:
    """R2, R3: what a wildcard takes and what not, and that age alone decides."""
    w.post(ep, 5, 2, ANY)
    w.post(ep, 5, 2, -5)
    w.arrive(ep, 5, 2, -5)  # not by any tag
    w.arrive(ep, 6, 2, 4)  # nor another context
    w.arrive(ep, 5, 3, 4)  # nor another source
    w.arrive(ep, 5, 2, 4)
    w.post(ep, 6, ANY, ANY)
    w.post(ep, 5, ANY, ANY)
    w.post(ep, 5, ANY, 1)
    w.post(ep, 5, 2, 7)
    w.arrive(ep, 5, 2, 7)  # not by any source with another tag
    w.arrive(ep, 5, 9, 1)
    for first, second in (((ANY, ANY), (2, 7)), ((2, 7), (ANY, ANY)), ((ANY, 7), (2, ANY))):
        w.post(ep, 5, *first)
        w.post(ep, 5, *second)
        w.arrive(ep, 5, 2, 7)
        w.arrive(ep, 5, 2, 7)


def order(w: Writer, ep: int) -> None:
    """R3, R4, R8, R9, R10: equal keys in order, probes that leave, claims that take, cancels."""
    for size in (64, 65, 66):
        w.post(ep, 5, 1, 1, size)
    late = w.post(ep, 5, 1, 1)
    middle = w.post(ep, 5, 1, 1)
    w.cancel(ep, middle)
    w.cancel(ep, middle)
    for _ in range(4):
        w.arrive(ep, 5, 1, 1)
    w.cancel(ep, late)
    for size in (1, 2, 3):
        w.arrive(ep, 5, 1, 1, size)
    for source, tag in ((1, 1), (ANY, 1), (1, ANY), (ANY, ANY), (2, 1), (1, -1)):
        w.probe(ep, 5, source, tag)
    w.claim(ep, 5, ANY, 1)
    w.claim(ep, 5, 1, 2)
    w.probe(ep, 5, ANY, ANY)
    w.post(ep, 5, 1, 1)
    w.post(ep, 5, 1, ANY)


def lengths(w: Writer, ep: int) -> None:
    """R12: shorter, as long, longer; zero and the longest."""
    for room in (0, 1, 64, LENGTH_MAX - 1, LENGTH_MAX):
        for size in sorted({0, max(0, room - 1), room, min(LENGTH_MAX, room + 1), LENGTH_MAX}):
            w.post(ep, 5, 1, 1, room)
            w.arrive(ep, 5, 1, 1, size)
            w.arrive(ep, 5, 1, 1, size)
            w.post(ep, 5, 1, 1, room)


def corners() -> Writer:
    w = Writer()
    bits(w)
    endpoints(w)
    for ep in range(RANKS):
        wildcards(w, ep)
        order(w, ep)
        lengths(w, ep)
    return w


def deep_key(number: int, lot: random.Random) -> Key:
    """Every tenth key is everybody's, the others are their own."""
    return (5, 7, 7) if number % 10 == 0 else (5, lot.randrange(61), number)


def taken(
    w: Writer, ep: int, keys: list[tuple[int, Key]], at: int, give: Callable[..., object]
) -> None:
    """Takes the entry at `at` if no older one has its key, else the oldest one that has."""
    key = keys[at][1]
    at = next(i for i, (_, other) in enumerate(keys) if other == key)
    give(ep, *key)
    del keys[at]


def deep() -> Writer:
    """Two queues of thousands: entries anywhere are taken, probed, cancelled; then all in order."""
    w, lot = Writer(), random.Random(31)
    receives: list[tuple[int, Key]] = []
    messages: list[tuple[int, Key]] = []
    for number in range(DEPTH):
        key = deep_key(number, lot)
        receives.append((w.post(0, *key, 64 + number % 3), key))
        key = deep_key(number, lot)
        w.arrive(1, *key, 65)
        messages.append((0, key))
    for _ in range(SOMEWHERE):
        taken(w, 0, receives, lot.randrange(len(receives)), w.arrive)
        w.cancel(0, receives.pop(lot.randrange(len(receives)))[0])
        w.probe(1, *messages[lot.randrange(len(messages))][1])
        w.probe(1, 6, ANY, ANY)
        taken(w, 1, messages, lot.randrange(len(messages)), w.claim)
        taken(w, 1, messages, lot.randrange(len(messages)), w.post)
    for _, key in receives:
        w.arrive(0, *key, 65)
    for at, (_, key) in enumerate(messages):
        # Every other one by wildcards: it is the oldest.
        w.post(1, *((5, ANY, ANY) if at % 2 else key))
    return w


def main(folder: Path) -> None:
    corners().write(folder / "corners.trace.gz", "corners of the law (generated)")
    deep().write(folder / "deep.trace.gz", "deep queues (generated)")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
