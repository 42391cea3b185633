# SPDX-License-Identifier: Apache-2.0
"""Seeded traffic.  Generators look at the law's present state, so draw one operation at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from opentmu import regs
from opentmu.bench.coverage import ALL_MATCH, ALL_SOURCE, ANY_TAG, CONTEXT, TAG, TAG_SIGN
from opentmu.bench.law import Law, Quota
from opentmu.bench.records import Operation, pages_of, position_word
from opentmu.model import Queue
from opentmu.regs import Opcode

LENGTH_BITS = regs.COMMAND_FIELDS["length"][2]
HANDLE_BITS = regs.COMMAND_FIELDS["handle"][2]
CONTEXT_SHIFT = TAG.bit_length()


@dataclass(frozen=True)
class Walk:
    """Instead of an operation: look at every position of a queue when all is answered."""

    queue: Queue
    inspect: Callable[[int], Operation]


Item = Operation | Quota | Walk
Mix = dict[str, float]

EVEN: Mix = {"post": 5, "arrive": 5, "probe": 1, "claim": 1, "cancel": 2, "flush": 0.1}
EXACT = (1.0, 0.0, 0.0, 0.0, 0.0)
SOME_WILD = (6.0, 1.0, 1.0, 1.0, 1.0)
ALL_WILD = (0.5, 2.0, 2.0, 2.0, 3.0)


class Traffic:
    """Operations of every kind, from one seed."""

    def __init__(self, law: Law, seed: int) -> None:
        self.law = law
        self.random = Random(seed)
        self.preset = law.preset
        self.endpoints = range(law.preset.endpoints)
        self.privileged = law.preset.queues
        self._handles: set[int] = set()

    def handle(self) -> int:
        """A handle that no queued entry has; all 64 bits are used (R15)."""
        while (value := self.random.getrandbits(HANDLE_BITS)) in self._handles:
            pass
        self._handles.add(value)
        return value

    def key(self, keys: int) -> dict[str, int]:
        """One of few keys, so that they meet; one tag in eight is negative."""
        context, source, tag = (self.random.randrange(keys) for _ in range(3))
        sign = TAG_SIGN if self.random.random() < 1 / 8 else 0
        return {"match": context << CONTEXT_SHIFT | sign | tag, "source": source}

    def masks(self, weights: tuple[float, ...]) -> dict[str, int]:
        """Wildcards: none, source, tag, both, or any bits at all (R2)."""
        raw = self.random.getrandbits(64) | self.random.getrandbits(64)
        raw_source = self.random.getrandbits(32) | self.random.getrandbits(32)
        kinds = [(0, 0), (0, ALL_SOURCE), (ANY_TAG, 0), (ANY_TAG, ALL_SOURCE), (raw, raw_source)]
        ignore, source_ignore = self.random.choices(kinds, weights)[0]
        return {"ignore": ignore, "source_ignore": source_ignore}

    def length(self) -> int:
        """Few short lengths, so that they are equal at times, and now and then a huge one."""
        if self.random.random() < 1 / 16:
            return self.random.getrandbits(LENGTH_BITS)
        return self.random.randrange(4)

    def new_id(self, endpoint: int) -> int:
        """A receive id that is free at the endpoint; the largest ones occur."""
        none = (1 << self.preset.id_bits) - 1
        live = self.law.live_ids(endpoint)
        while True:
            low = self.random.randrange(4 * self.preset.posted_entries)
            ident = none - 1 - low if self.random.random() < 1 / 4 else low
            if ident not in live:
                return ident

    def make(self, opcode: int, endpoint: int, **values: Any) -> Operation:
        """An operation from a page of the endpoint, at times from the privileged one.

        On its own pages the endpoint that a command names is noise to the unit (R13).
        """
        privileged = self.random.random() < 1 / 4
        own = self.random.choice(pages_of(self.preset, endpoint))
        page = self.privileged if privileged else own
        named = endpoint if privileged else self.random.getrandbits(32)
        given = {"endpoint": named, "handle": self.handle(), **values}
        return Operation(opcode=opcode, page=page, **given)

    def post(self, endpoint: int, **values: Any) -> Operation:
        """A receive with a free id."""
        address = self.random.getrandbits(64)
        given = {"address": address, "length": self.length(), **values}
        ident = self.new_id(endpoint)
        return self.make(Opcode.POST, endpoint, receive_id=ident, **given)

    def arrive(self, endpoint: int, **values: Any) -> Operation:
        """A message."""
        given = {"address": self.random.getrandbits(64), "length": self.length(), **values}
        return self.make(Opcode.ARRIVE, endpoint, **given)

    def cancel(self, endpoint: int) -> Operation:
        """Mostly of a receive that is queued; else of any id, none included (R10)."""
        live = sorted(self.law.live_ids(endpoint))
        if live and self.random.random() < 3 / 4:
            return self.make(Opcode.CANCEL, endpoint, receive_id=self.random.choice(live))
        none = (1 << self.preset.id_bits) - 1
        stale = self.random.choice([self.random.randrange(none), none, ALL_SOURCE])
        return self.make(Opcode.CANCEL, endpoint, receive_id=stale)

    def flush(self, endpoint: int, **values: int) -> Operation:
        """The whole endpoint unless values select less (R14)."""
        everything = {"ignore": ALL_MATCH, "source_ignore": ALL_SOURCE}
        return self.make(Opcode.FLUSH, endpoint, **{**everything, **values})

    def flush_context(self, endpoint: int, context: int) -> Operation:
        """One context of the endpoint."""
        match = context << CONTEXT_SHIFT
        return self.flush(endpoint, match=match, ignore=ALL_MATCH & ~CONTEXT)

    def inspect(self, queue: Queue, position: int, endpoint: int = 0) -> Operation:
        """Privileged look at one entry."""
        handle, address = self.handle(), position_word(queue, position)
        return Operation(Opcode.INSPECT, self.privileged, endpoint, handle=handle, address=address)

    def walk(self, queue: Queue) -> Walk:
        """All positions of a queue."""
        return Walk(queue, lambda position: self.inspect(queue, position))

    def mixed(
        self,
        count: int,
        *,
        keys: int = 3,
        wild: tuple[float, ...] = SOME_WILD,
        mix: Mix | None = None,
        inspect: bool = True,
    ) -> Iterator[Operation]:
        """Everything at random."""
        operations = self.draws(keys, wild, mix or EVEN, list(self.endpoints))
        for _ in range(count):
            yield next(operations)
            if inspect and self.random.random() < 1 / 16:
                queue = self.random.choice(list(Queue))
                yield self.inspect(queue, self.random.randrange(self.preset.posted_entries + 2))

    def draws(
        self, keys: int, wild: tuple[float, ...], mix: Mix, endpoints: list[int]
    ) -> Iterator[Operation]:
        """Operations without end, of the kinds of `mix`, each as the law's present state asks."""
        kinds: dict[str, Callable[[int], Operation]] = {
            "post": lambda e: self.post(e, **self.key(keys), **self.masks(wild)),
            "arrive": lambda e: self.arrive(e, **self.key(keys)),
            "probe": lambda e: self.make(Opcode.PROBE, e, **self.key(keys), **self.masks(wild)),
            "claim": lambda e: self.make(Opcode.CLAIM, e, **self.key(keys), **self.masks(wild)),
            "cancel": self.cancel,
            "flush": lambda e: self.flush_context(e, self.random.randrange(keys)),
        }
        names = list(mix)
        while True:
            name = self.random.choices(names, [mix[n] for n in names])[0]
            yield kinds[name](self.random.choice(endpoints))

    def empty_all(self) -> Iterator[Operation]:
        """Flush every endpoint."""
        for endpoint in self.endpoints:
            yield self.flush(endpoint)
