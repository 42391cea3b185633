# SPDX-License-Identifier: Apache-2.0
"""Logs of runs that never happened: written call by call, or drawn from a simulated machine."""

from dataclasses import dataclass, field

from opentmu.record import log
from opentmu.record.log import CommNote, Entry, RankLog

ANY = None


@dataclass
class Run:
    """The logs of `size` ranks; each call is a record of one rank at one time."""

    size: int
    logs: list[RankLog] = field(default_factory=list)
    clock: int = 0
    receives: int = 0

    def __post_init__(self) -> None:
        everyone = tuple(range(self.size))
        for rank in everyone:
            made = RankLog(rank, self.size, program="synthetic", finalized=True)
            made.comms.append(CommNote(0, "world", -1, 0, 0, rank, everyone, ()))
            made.comms.append(CommNote(1, "self", -1, 0, 0, rank, (rank,), ()))
            self.logs.append(made)

    def _add(self, rank: int, kind: int, at: int | None, **values: int) -> None:
        self.clock = self.clock + 1000 if at is None else at
        blank = dict.fromkeys(Entry._fields, 0)
        entry = Entry(**{**blank, "time": self.clock, "kind": kind, **values})
        self.logs[rank].entries.append(entry)

    def send(
        self, rank: int, dest: int, tag: int, *, size: int = 8, comm: int = 0, at: int | None = None
    ) -> None:
        self._add(rank, log.SEND, at, comm=comm, peer=dest, tag=tag, bytes=size)

    def _pattern(self, source: int | None, tag: int | None) -> dict[str, int]:
        flags = (log.ANY_SOURCE if source is None else 0) | (log.ANY_TAG if tag is None else 0)
        return {
            "peer": -1 if source is None else source,
            "tag": -1 if tag is None else tag,
            "flags": flags,
        }

    def post(
        self,
        rank: int,
        source: int | None,
        tag: int | None,
        *,
        size: int = 8,
        comm: int = 0,
        at: int | None = None,
    ) -> int:
        """A receive; returns its number on this rank."""
        self.receives += 1
        pattern = self._pattern(source, tag)
        self._add(rank, log.POST, at, comm=comm, id=self.receives, bytes=size, **pattern)
        return self.receives

    def done(
        self, rank: int, number: int, source: int, tag: int, *, size: int = 8, at: int | None = None
    ) -> None:
        self._add(rank, log.DONE, at, id=number, found_peer=source, found_tag=tag, bytes=size)

    def cancel(self, rank: int, number: int, *, in_time: bool, at: int | None = None) -> None:
        self._add(rank, log.CANCEL, at, id=number)
        if in_time:
            self._add(rank, log.DONE, self.clock, id=number, flags=log.CANCELLED)

    def look(
        self,
        rank: int,
        source: int | None,
        tag: int | None,
        *,
        found: tuple[int, int] | None,
        claim: bool = False,
        size: int = 8,
        comm: int = 0,
        at: int | None = None,
    ) -> None:
        """A probe or claim, with source and tag of what it found."""
        values = self._pattern(source, tag)
        values["repeats"], values["comm"] = 1, comm
        if found is not None:
            values["flags"] |= log.HIT
            values["found_peer"], values["found_tag"] = found
            values["bytes"] = size
        self._add(rank, log.CLAIM if claim else log.PROBE, at, **values)
