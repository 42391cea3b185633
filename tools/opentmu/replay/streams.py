# SPDX-License-Identifier: Apache-2.0
"""Clocks of the unit's streams, as a table for people."""

from rich.table import Table

from opentmu import regs

SHOWN_ELSEWHERE = frozenset(name for _, _, idle in regs.STREAMS.values() for name in idle)


def table(title: str, counters: dict[str, int]) -> Table:
    """A row for each stream that was ever in use; its other clocks are idle."""
    result = Table(title=f"streams, {title}, with runs of idle clocks by length", box=None)
    result.title_justify = "left"
    result.add_column("stream")
    for head in ("transfers", "active", "stalled", "idle"):
        result.add_column(head, justify="right")
    for head in _lengths():
        result.add_column(head, justify="right")
    for name, (active, stalled, runs) in regs.STREAMS.items():
        clocks = counters["clocks"]
        if counters[active] == counters[stalled] == 0:
            continue
        idle = clocks - counters[active] - counters[stalled]
        parts = (counters[active], counters[stalled], idle)
        shares = (f"{part / clocks:.1%}" if clocks else "-" for part in parts)
        counts = (f"{counters[run]:,}" for run in runs)
        result.add_row(name.replace("_", " "), f"{counters[active]:,}", *shares, *counts)
    return result


def _lengths() -> list[str]:
    """The lengths of each bucket of idle runs, in clocks."""
    first, last = regs.STREAM_IDLE_FROM[:-1], regs.STREAM_IDLE_FROM[-1]
    following = regs.STREAM_IDLE_FROM[1:]
    ranges = [f"{low}-{after - 1}" for low, after in zip(first, following, strict=True)]
    return [*ranges, f"{last}+"]
