# SPDX-License-Identifier: Apache-2.0
"""First step of the front door, run by the system's Python: have the environment, start `tmu`.

It becomes the command, so that a signal to the front door reaches whichever of them runs.
"""

import os
import sys

from opentmu import children, paths
from opentmu.errors import TmuError
from opentmu.setup import checkout, venv

# Commands that build nothing, and words that only ask.
ASKING = {"doctor", "completion", "--help", "-h", "--version"}


def prepare(arguments: list[str]) -> int:
    """Have the environment; an exit code."""
    try:
        with children.watched():
            checkout.adopt()
            venv.ensure(building=bool(arguments) and not ASKING & set(arguments))
    except TmuError as error:
        print(f"tmu: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("tmu: interrupted; the next call repairs the set-up", file=sys.stderr)
        return 130
    except children.Ended as error:
        print("tmu: ended by a signal; the next call repairs the set-up", file=sys.stderr)
        return 128 + error.number
    return 0


def main(arguments: list[str]) -> int:
    """Become the command, or return the exit code of a set-up that failed."""
    code = prepare(arguments)
    if code == 0:
        python = str(paths.VENV / "bin" / "python")
        os.execv(python, [python, "-P", "-m", "opentmu", *arguments])
    return code
