# SPDX-License-Identifier: Apache-2.0
"""Log that the law demands of a trace."""

from pathlib import Path

from opentmu import expected_log


def law(trace: Path, **limits: int) -> str:
    """The log that the law demands, from the model alone: no driver, no device."""
    words: list[str] = []
    for name, value in limits.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    lines = expected_log.lines(expected_log.program(), trace, *words)
    return "".join(f"{line}\n" for line in lines)
