# SPDX-License-Identifier: Apache-2.0
"""Run one program with its output in a log; on failure show what of that log tells the cause."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

from opentmu import children, paths
from opentmu.errors import CheckFailed, TmuError
from opentmu.progress import step
from opentmu.stage import held_locks

TAIL_LINES = 40
CAUSE_LINES = 10
# First words of an exception in Python, Java and Scala, whose cause stands first and whose calls
# can fill more lines than are shown.
EXCEPTION = re.compile(r"\s*(Traceback \(most recent|Exception in |[\w.$]+(Exception|Error)(:|$))")

# Messages of pip, apt, Maven and Coursier about a server that they do not reach.
UNREACHABLE = re.compile(
    "Could not resolve|Temporary failure (in name resolution|resolving)|Name or service not known|"
    "UnknownHostException|Unknown host|Network is unreachable|No route to host|Connection refused|"
    "[Cc]onnection timed out|Could not connect|Failed to establish a new connection|"
    "No plugin found for prefix|Could not transfer artifact"
)


def excerpt(log: Path, lines: int = TAIL_LINES) -> str:
    """The last lines of a log, before them the first exception if it stands further up."""
    text = log.read_text(errors="replace").rstrip().splitlines()
    if not text:
        return "(it printed nothing)"
    rest = max(0, len(text) - lines)
    first = next((at for at in range(rest) if EXCEPTION.match(text[at])), None)
    head: list[str] = []
    if first is not None:
        cause = text[first : min(first + CAUSE_LINES, rest)]
        left = rest - first - len(cause)
        head = cause + ([f"[{left} lines more]"] if left else [])
    return "\n".join(head + text[rest:])


def run_into(
    output: IO[str],
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> int:
    """Run `command` with all that it prints in `output`; its exit code.

    Raises subprocess.TimeoutExpired when it takes longer than `seconds`.
    """
    return children.run(
        command,
        seconds=seconds,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        pass_fds=held_locks(),
    ).returncode


def replace_by(words: Sequence[str | Path]) -> NoReturn:
    """Let a program take over this process, so that signals are its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(words[0], [str(word) for word in words])


def run_logged(
    command: Sequence[str | Path],
    title: str,
    log: str,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    failure: type[TmuError] = CheckFailed,
) -> None:
    """Run `command`, showing `title` while it lasts; its output goes to build/log/<log>.log.

    Raises `failure` with the command and an excerpt of the log when it ends with an error.
    """
    paths.LOGS.mkdir(parents=True, exist_ok=True)
    file = paths.LOGS / f"{log}.log"
    words = [str(word) for word in command]
    with step(title), file.open("w") as output:
        try:
            code = run_into(output, words, cwd=cwd, env=env)
        except OSError as error:
            raise failure(f"{title}: cannot start {words[0]}: {error.strerror}") from error
    if code != 0:
        raise failure(
            f"{title} failed (exit code {code}).\n"
            f"Command: {' '.join(words)}\nFrom {file}:\n{excerpt(file)}{_network(file)}"
        )


def _network(log: Path) -> str:
    """Advice where a program did not reach its server, else nothing."""
    if not UNREACHABLE.search(log.read_text(errors="replace")):
        return ""
    return (
        "\nThis step fetches packages and did not reach their server: see that this machine has "
        "the network, and that the settings of pip, apt and Maven name servers that it reaches."
    )
