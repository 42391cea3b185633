# SPDX-License-Identifier: Apache-2.0
"""`tmu trace record`: run an MPI command with the recorder and write the merged trace."""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import expected_log, mpirun
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed
from opentmu.progress import say, step
from opentmu.record.check import differences
from opentmu.record.library import library
from opentmu.record.log import RankLog, read_logs
from opentmu.record.merge import Trace, merge
from opentmu.record.output import metadata, write

DEFAULT_DELAY_NS = 1000
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


@dataclass(frozen=True)
class Recording:
    """A recorded run; `facts` is the trace's metadata."""

    output: Path
    operations: int
    facts: dict[str, str]


def record(
    command: Sequence[str],
    output: Path,
    delay_ns: int = DEFAULT_DELAY_NS,
    *,
    max_operations: int | None = None,
    given: Mapping[str, str] | None = None,
    collectives: bool = False,
) -> Recording:
    """Run `command` (as a rule mpirun with its arguments) and write its trace to `output`.

    The program keeps the caller's working folder, input and output streams.
    With `collectives`, messages of textbook algorithms stand for those inside collective calls.
    `given` is metadata such as application and version; with `max_operations` the trace is cut.
    Raises BadInput before the run for arguments that cannot work, CheckFailed after it when
    the program failed (the trace is written if all ranks left a log) or a replay differs.
    """
    given = given or {}
    _check_arguments(command, output, delay_ns, max_operations, given)
    callers = dict(os.environ)  # our own builds put the project's tools into ours
    preload = library()
    cbuild.ensure()  # before the run: what fails here must not cost a recording
    with tempfile.TemporaryDirectory(prefix="tmu-record-") as folder:
        code = _run(command, callers, preload, Path(folder), collectives)
        try:
            logs = read_logs(Path(folder))
        except CheckFailed as error:
            ended = f"The program ended with exit code {code}. " if code else ""
            raise CheckFailed(f"{ended}{error}") from None
    with step("merging the ranks' logs"):
        trace = merge(logs, delay_ns, max_operations)
        facts = metadata(trace, logs, command, delay_ns, given)
        if code:
            facts.append(("program-exit-code", str(code)))
        wrong = _write_checked(output, trace, facts)
    _report(output, trace, logs)
    if wrong:
        raise CheckFailed(
            f"The replay of {output} differs from the run in {len(wrong)} operations, for example "
            f"{wrong[0]}; the trace counts them as replay-differences."
        )
    if code:
        raise CheckFailed(
            f"The program ended with exit code {code}; {output} holds what it did until then."
        )
    return Recording(output, len(trace.lines), dict(facts))


def _write_checked(output: Path, trace: Trace, facts: list[tuple[str, str]]) -> list[str]:
    """Write the trace and replay it by the model; its metadata counts what differs."""
    write(output, facts, trace.lines)
    wrong = differences(trace, expected_log.lines(expected_log.program(), output))
    if wrong:
        facts.append(("replay-differences", str(len(wrong))))
        write(output, facts, trace.lines)
    return wrong


def _check_arguments(
    command: Sequence[str],
    output: Path,
    delay_ns: int,
    max_operations: int | None,
    given: Mapping[str, str],
) -> None:
    if not command:
        raise BadInput("There is no command: type it after --, as in -- mpirun -n 4 ./program")
    if shutil.which(command[0]) is None:
        raise BadInput(f"{command[0]}: no such program.")
    if delay_ns < 0:
        raise BadInput(f"Found a delay of {delay_ns} ns, expected 0 or more.")
    if max_operations is not None and max_operations < 1:
        raise BadInput(f"Found a limit of {max_operations} operations, expected 1 or more.")
    for name in given:
        if not name or not set(name) <= NAME_CHARACTERS:
            raise BadInput(f"Found metadata name {name!r}, expected letters a-z, digits and -.")
    if output.is_dir() or not output.parent.is_dir():
        raise BadInput(f"{output}: not a file in an existing folder.")


def _run(
    command: Sequence[str],
    callers: Mapping[str, str],
    preload: Path,
    folder: Path,
    collectives: bool,
) -> int:
    """The program's exit code. Only the caller's environment is added to, never the command."""
    before = callers.get("LD_PRELOAD", "")
    environment = {
        **callers,
        "LD_PRELOAD": f"{preload}:{before}" if before else str(preload),
        "TMU_RECORD_DIR": str(folder),
        **({"TMU_RECORD_COLLECTIVES": "1"} if collectives else {}),
        **mpirun.allowed(),
    }
    return mpirun.run(command, environment)


def _report(output: Path, trace: Trace, logs: Sequence[RankLog]) -> None:
    counts = trace.counts
    say(f"{output}: {len(trace.lines)} operations of {len(logs)} ranks")
    for name in sorted(counts):
        if name.startswith(("unexplained", "left-out", "disagreeing")) and counts[name]:
            say(f"{name.replace('-', ' ')}: {counts[name]}")
