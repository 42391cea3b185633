# SPDX-License-Identifier: Apache-2.0
"""Latency and rate of MPI messages, as tables for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from opentmu.benchmark import messages, tables
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise

TITLES = {
    messages.LATENCY: "microseconds of a message, half of to and fro, medians",
    messages.EXPECTED: "messages a second, receives waiting in order",
    messages.REVERSE: "messages a second, receives waiting in reverse order",
    messages.UNEXPECTED: "messages a second, all there before they are asked for in reverse",
}
CLOCKS = ("clocks a message", "of these busy")


def show(console: Console, results: Sequence[Result], kept: Sequence[Promise]) -> None:
    """A table for each kind of cell, then what was checked."""
    for kind, title in TITLES.items():
        found = [one for one in results if one["position"] == kind]
        if found:
            console.print(table(title, kind, found))
            console.print()
    console.print(tables.promises(kept, "g"))
    console.print()
    verdicts = sum(one["verdicts"] for one in results)
    console.print(f"[green]all {verdicts:,} verdicts agree with the reference model[/]")


def table(title: str, kind: str, found: Sequence[Result]) -> Table:
    """A row for each cell, a column for each matcher, and the clocks of the simulated unit."""
    latency = kind == messages.LATENCY
    heads = ("bytes", "receives before it") if latency else ("messages at a time",)
    made = tables.titled(title, *heads, *messages.ENGINES, *CLOCKS, words=0)
    for cell in dict.fromkeys((one["depth"], one["bytes"]) for one in found):
        row = {one["engine"]: one for one in found if (one["depth"], one["bytes"]) == cell}
        depth, size = (f"{number:,}" for number in cell)
        figures = [figure(row.get(engine), latency=latency) for engine in messages.ENGINES]
        clocks = [row["rtl"][f"{name}_per_message"] for name in ("clocks", "busy_clocks")]
        made.add_row(
            *((size, depth) if latency else (depth,)), *figures, *(f"{one:.1f}" for one in clocks)
        )
    return made


def figure(one: Result | None, *, latency: bool) -> str:
    """A cell's figure, a dash if it was not measured."""
    if one is None:
        return "-"
    if latency:
        return f"{one['microseconds']['p50']:,.1f}"
    return f"{one['messages_per_second']:,}"
