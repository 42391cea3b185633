# SPDX-License-Identifier: Apache-2.0
"""The recorder's per-rank logs (tools/recorder/recorder.h), read back."""

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from opentmu.errors import CheckFailed

VERSION = 2
RECORD = struct.Struct("<4Q8i")

SEND, POST, DONE, PROBE, CLAIM, CANCEL, FREE, COLLECTIVE, PART = 1, 2, 3, 4, 5, 6, 7, 8, 9
ANY_SOURCE, ANY_TAG, HIT, CANCELLED, TRUNCATED, WAITED_FOR = 1, 2, 4, 8, 16, 32


class Entry(NamedTuple):
    """One record; the fields are described where they are written."""

    time: int
    id: int
    bytes: int
    repeats: int
    kind: int
    comm: int
    peer: int
    tag: int
    found_peer: int
    found_tag: int
    flags: int
    reserved: int


@dataclass(frozen=True)
class CommNote:
    """Origin of a rank's communicator `number`; see tools/recorder/rec_comms.c."""

    number: int
    how: str
    parent: int
    ordinal: int
    tag: int
    rank: int
    members: tuple[int, ...]
    remote: tuple[int, ...]


@dataclass
class RankLog:
    """All that one rank recorded."""

    rank: int
    size: int
    entries: list[Entry] = field(default_factory=list)
    comms: list[CommNote] = field(default_factory=list)
    program: str = ""
    host: str = ""
    library: str = ""
    threads: bool = False
    collectives: bool = False
    finalized: bool = False
    cut: bool = False
    unrecorded: list[str] = field(default_factory=list)


def _ranks(text: str) -> tuple[int, ...]:
    return () if text == "-" else tuple(int(word) for word in text.split(","))


def _read_notes(path: Path) -> RankLog:
    log = RankLog(-1, -1)
    for line in path.read_text().splitlines():
        name, _, rest = line.partition(" ")
        words = rest.split()
        if name == "version" and int(rest) != VERSION:
            raise CheckFailed(f"{path}: found log version {rest}, expected {VERSION}")
        if name == "world":
            log.rank, log.size = int(words[0]), int(words[1])
        elif name == "comm":
            number, parent, ordinal, tag, rank = (int(words[i]) for i in (0, 2, 3, 4, 5))
            members, remote = _ranks(words[6]), _ranks(words[7])
            note = CommNote(number, words[1], parent, ordinal, tag, rank, members, remote)
            log.comms.append(note)
        elif name == "program":
            log.program = rest
        elif name == "host":
            log.host = rest
        elif name == "library":
            log.library = rest
        elif name == "threads":
            log.threads = True
        elif name == "collectives":
            log.collectives = True
        elif name == "unrecorded":
            log.unrecorded.append(rest)
        elif name == "finalized":
            log.finalized = True
        elif name == "cut":
            log.cut = True
    return log


def _read_entries(path: Path) -> list[Entry]:
    raw = path.read_bytes()
    entries: list[Entry] = []
    for values in RECORD.iter_unpack(raw[: len(raw) // RECORD.size * RECORD.size]):
        entry = Entry._make(values)
        if entry.kind == 0:  # the unused rest of the last piece
            break
        entries.append(entry)
    return entries


def read_logs(folder: Path) -> list[RankLog]:
    """The logs of all ranks, by rank; refused unless every rank left one on one machine."""
    jobs = sorted(folder.glob("job-*"))
    if len(jobs) > 1:
        raise CheckFailed(
            f"The command started {len(jobs)} MPI jobs; record them one at a time, for a trace "
            "holds one."
        )
    notes = sorted(folder.glob("job-*/rank-*.txt"))
    if not notes:
        raise CheckFailed(
            "Nothing was recorded: no process of the command called MPI_Init "
            "through the MPI library that the recorder was built for."
        )
    logs = sorted((_read_notes(path) for path in notes), key=lambda log: log.rank)
    size = logs[0].size
    if [log.rank for log in logs] != list(range(size)):
        found = ", ".join(str(log.rank) for log in logs)
        raise CheckFailed(f"The record is not whole: {size} ranks ran, logs are from {found}.")
    hosts = sorted({log.host for log in logs})
    if len(hosts) > 1:
        raise CheckFailed(
            f"The ranks ran on several machines ({', '.join(hosts)}), whose clocks cannot be "
            "compared: record on one machine."
        )
    for log in logs:
        log.entries = _read_entries(jobs[0] / f"rank-{log.rank}.log")
    return logs
