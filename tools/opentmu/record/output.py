# SPDX-License-Identifier: Apache-2.0
"""A merged trace as a file: metadata first, then one operation a line."""

import datetime
import gzip
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from opentmu.record.log import VERSION, RankLog
from opentmu.record.merge import KINDS, Trace

VALUE_LIMIT = 2000  # a trace's lines are bounded
ORIGIN = f"recorded by OpenTMU's MPI recorder, log version {VERSION}"
NOT_SEEN = "one-sided operations, spawned processes"
INSIDE = "messages inside collective operations"


def metadata(
    trace: Trace,
    logs: Sequence[RankLog],
    command: Sequence[str],
    delay_ns: int,
    given: Mapping[str, str],
) -> list[tuple[str, str]]:
    """The trace's `name: value` facts; `given` ones come first and may replace ours."""
    facts: dict[str, str] = {"application": logs[0].program}
    facts.update(given)
    facts.setdefault("origin", ORIGIN)
    facts.setdefault("recorded", datetime.datetime.now(datetime.UTC).date().isoformat())
    facts.setdefault("command", shlex.join(command))
    facts["ranks"] = str(len(logs))
    facts["mpi"] = logs[0].library
    facts["delay-ns"] = str(delay_ns)
    facts["contexts"] = str(trace.contexts)
    facts["operations"] = str(len(trace.lines))
    if len(trace.lines) < trace.total:
        facts["cut"] = f"the first {len(trace.lines)} of {trace.total} operations"
    for kind in KINDS:
        facts[f"operations-{kind}"] = str(trace.counts[kind])
    for name, count in sorted(trace.counts.items()):
        if name not in KINDS and count:
            facts[name] = str(count)
    unended = sum(not log.finalized or log.cut for log in logs)
    if unended:
        facts["ranks-cut-short"] = str(unended)
    if any(log.threads for log in logs):
        facts["threads"] = "several threads of a rank called MPI; their order is approximate"
    calls = sorted({call for log in logs for call in log.unrecorded})
    if any(log.collectives for log in logs):
        facts["collectives"] = "textbook"
        not_seen = NOT_SEEN
    else:
        not_seen = f"{INSIDE}, {NOT_SEEN}"
    facts["not-recorded"] = "; ".join([not_seen, *calls])
    return [(name, " ".join(value.split())[:VALUE_LIMIT]) for name, value in facts.items()]


def write(path: Path, facts: Sequence[tuple[str, str]], lines: Sequence[str]) -> None:
    """Write the trace, compressed if the name ends in .gz; equal content gives equal bytes."""
    head = ["# tmu-trace v1", *(f"# {name}: {value}" for name, value in facts)]
    data = "\n".join([*head, *lines, ""]).encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, compresslevel=9, mtime=0)
    path.write_bytes(data)
