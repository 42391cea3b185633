# SPDX-License-Identifier: Apache-2.0
"""Run one program with its output in a log; on failure show the end of that log."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from opentmu import paths
from opentmu.errors import CheckFailed, TmuError
from opentmu.progress import step
from opentmu.stage import held_locks

TAIL_LINES = 40


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """The last lines of a log, or a remark that it is empty."""
    text = log.read_text(errors="replace").rstrip().splitlines()
    return "\n".join(text[-lines:]) or "(it printed nothing)"


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
    return subprocess.run(
        [str(word) for word in command],
        check=False,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        pass_fds=held_locks(),
        timeout=seconds,
    ).returncode


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

    Raises `failure` with the command and the log's last lines when it ends with an error.
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
            f"Command: {' '.join(words)}\nEnd of {file}:\n{tail(file)}"
        )
