# SPDX-License-Identifier: Apache-2.0
"""Does a replay of the merged trace give each receive the message of the recorded run?"""

from collections.abc import Iterable

from opentmu.record.merge import Trace


def _outcomes(verdicts: Iterable[str]) -> tuple[dict[int, int | None], dict[int, bool]]:
    """Messages of posts, claims and probes, and which cancels were in time, by a verdict log."""
    got: dict[int, int | None] = {}
    cancelled: dict[int, bool] = {}
    for line in verdicts:
        kind, number, verdict, *rest = line.split()
        if kind == "arrive":
            if verdict == "matched":
                got[int(rest[0])] = int(number)
        elif kind == "cancel":
            cancelled[int(number)] = verdict == "cancelled"
        elif verdict in ("matched", "found"):
            got[int(number)] = int(rest[0])
        else:
            got.setdefault(int(number))
    return got, cancelled


def differences(trace: Trace, verdicts: Iterable[str]) -> list[str]:
    """One sentence for each operation whose replay differs from the recorded run."""
    got, cancelled = _outcomes(verdicts)
    found: list[str] = []
    for number, message in trace.got.items():
        if number not in got:
            found.append(f"{number} has no verdict")
        elif got[number] != message:
            found.append(f"{number} got {got[number]} in the replay, {message} in the run")
    for number, in_time in trace.cancelled.items():
        if cancelled.get(number) != in_time:
            found.append(f"cancel {number} was {'in time' if in_time else 'late'} in the run only")
    return found
