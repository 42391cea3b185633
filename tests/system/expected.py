# SPDX-License-Identifier: Apache-2.0
"""What the law demands of a trace."""

import subprocess
from pathlib import Path

from opentmu import expected_log


def law(trace: Path, **limits: int) -> str:
    """The log that the law demands, from the model alone: no driver, no device."""
    words = [str(expected_log.program())]
    for name, value in limits.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    words.append(str(trace))
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
