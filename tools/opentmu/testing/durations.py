# SPDX-License-Identifier: Apache-2.0
"""Duration of each test: kept in durations.json beside the reports, the slowest ones shown."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from opentmu.testing.runner import Finished

SHOWN = 20
FILE = "durations.json"


class Duration(NamedTuple):
    """Seconds of one test; its name begins with its stage."""

    name: str
    seconds: float


def write(finished: Sequence["Finished"], folder: Path) -> list[Duration]:
    """Keep the durations of a run, and return its slowest tests, slowest first.

    What this run did not start keeps the duration of an earlier one.
    """
    fresh = {
        f"{one.name}: {name}": seconds
        for one in finished
        for name, seconds in one.outcome.seconds.items()
    }
    file = folder / FILE
    try:
        kept = json.loads(file.read_text())
    except (OSError, ValueError):
        kept = {}
    text = json.dumps({**kept, **fresh}, indent=1, sort_keys=True)
    file.write_text(f"{text}\n")
    slowest = sorted(fresh.items(), key=lambda item: item[1], reverse=True)
    return [Duration(name, seconds) for name, seconds in slowest[:SHOWN]]


def report(slowest: Sequence[Duration]) -> str:
    """A line for each of them."""
    if not slowest:
        return ""
    lines = [f"{one.seconds:8.1f} s  {one.name}\n" for one in slowest]
    return f"the {len(lines)} slowest tests:\n{''.join(lines)}"
