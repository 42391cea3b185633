# SPDX-License-Identifier: Apache-2.0
"""The verdict log that the law demands for a trace, from the reference model alone."""

import subprocess
from pathlib import Path

from opentmu.build import cbuild
from opentmu.errors import CheckFailed

PROGRAM = "tmu-expected-log"


def program() -> Path:
    """The program that replays a trace in the model, built when sources have changed."""
    return cbuild.program(cbuild.ensure(), PROGRAM)


def lines(replay: Path, trace: Path, *limits: str) -> list[str]:
    """The log of a trace by `replay`, that program; `limits` are its options."""
    words = [str(replay), *limits, str(trace)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CheckFailed(f"The reference model cannot replay {trace}: {done.stderr.strip()}")
    return done.stdout.splitlines()
