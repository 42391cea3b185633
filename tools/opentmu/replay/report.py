# SPDX-License-Identifier: Apache-2.0
"""The results of replays as tables for people."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from opentmu import output
from opentmu.replay import streams

Result = dict[str, Any]

FIGURES = {
    "operations": ("operations",),
    "matches": ("matches",),
    "refused": ("refused",),
    "refused, no such endpoint": ("refused_endpoint",),
    "held back at the end": ("held",),
    "mismatches": ("mismatches",),
    "first difference at clock": ("first_difference_clock",),
    "nanoseconds per operation": ("ns_per_operation",),
    "clocks": ("clocks",),
    "clocks per operation": ("clocks_per_operation",),
    "latency in clocks, p50": ("latency_clocks", "p50"),
    "latency in clocks, p99": ("latency_clocks", "p99"),
    "latency in clocks, max": ("latency_clocks", "max"),
    "with the host interface, p50": ("host_latency_clocks", "p50"),
    "with the host interface, p99": ("host_latency_clocks", "p99"),
    "with the host interface, max": ("host_latency_clocks", "max"),
    "table depth, posted, max": ("depth_max", "posted"),
    "table depth, unexpected, max": ("depth_max", "unexpected"),
    "endpoint depth, posted, max": ("endpoint_depth_max", "posted"),
    "endpoint depth, unexpected, max": ("endpoint_depth_max", "unexpected"),
}


def number(value: Any) -> str:
    """A figure with thousands separated; `-` where the engine has none."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def show(console: Console, results: Sequence[Result]) -> None:
    """One column a trace, then streams, and the counters of unit and model side by side."""
    console.width = min(console.width, output.SCREEN)
    for number_of, group in enumerate(_groups(console.width, results)):
        if number_of:
            console.print()
        console.print(_figures(group))
    for result in results:
        counters = result.get("counters") or {}
        # On a device without clocks a stream has none either.
        if counters and result.get("clocks") is not None:
            console.print()
            console.print(streams.table(_short(str(result["trace"])), counters))
        if counters:
            console.print()
            console.print(_counters(result, counters))
    console.print()
    console.print(verdict(results))


def verdict(results: Sequence[Result]) -> str:
    """The closing sentence."""
    wrong = sum(result["mismatches"] for result in results)
    operations = sum(result.get("operations", 0) for result in results)
    held = sum(result.get("held", 0) for result in results)
    bad = sum(not result["ok"] for result in results)
    if wrong:
        return (
            f"[red]{wrong:,} of {operations - held:,} verdicts differ from the reference model[/]"
        )
    if bad:
        return f"[red]a check failed in {bad} of {len(results)} runs[/]"
    verdicts = f"all {operations - held:,} verdicts agree with the reference model"
    waiting = f"; {held:,} arrivals were still held back at the end and have none" if held else ""
    return f"[green]{verdicts}{waiting}[/]"


def _groups(width: int, results: Sequence[Result]) -> list[list[Result]]:
    """The results in groups whose columns fit a screen side by side."""
    heads = 2 + max(len(label) for label in FIGURES)
    groups: list[list[Result]] = [[]]
    used = heads
    for result in results:
        shown = [number(_figure(result, path)) for path in FIGURES.values()]
        wide = 2 + max(len(text) for text in (_short(str(result["trace"])), *shown))
        if groups[-1] and used + wide > width:
            groups.append([])
            used = heads
        groups[-1].append(result)
        used += wide
    return groups


def _figures(results: Sequence[Result]) -> Table:
    """One column a trace; a figure that the engine does not know has no row."""
    first = results[0]
    table = Table(title=f"engine {first['engine']}, preset {first['preset']}", box=None)
    table.title_justify = "left"
    table.add_column("")
    for result in results:
        table.add_column(_short(str(result["trace"])), justify="right", overflow="fold")
    known = {name for result in results for name in result}
    for label, path in FIGURES.items():
        right = path[0] == "first_difference_clock" and not any(r.get(path[0]) for r in results)
        if path[0] not in known or right:
            continue
        table.add_row(label, *(number(_figure(result, path)) for result in results))
    return table


def _figure(result: Result, path: Sequence[str]) -> Any:
    value: Any = result
    for name in path:
        value = (value or {}).get(name)
    return value


def _counters(result: Result, counters: dict[str, Any]) -> Table:
    """The unit's counters beside the model's own; a difference is marked.

    Runs of idle clocks stand with their streams. What neither has counted is left out.
    """
    expected = result.get("model_counters") or {}
    table = Table(title=f"counters, {_short(str(result['trace']))}", box=None)
    table.title_justify = "left"
    table.add_column("counter")
    table.add_column("unit", justify="right")
    if expected:
        table.add_column("model", justify="right")
    for name, value in counters.items():
        if name in streams.SHOWN_ELSEWHERE or not (value or expected.get(name)):
            continue
        row = [name, number(value)]
        if expected:
            wanted = expected.get(name)
            differs = name in expected and wanted != value
            row.append(f"[red]{number(wanted)} differs[/]" if differs else number(wanted))
        table.add_row(*row)
    return table


def _short(trace: str) -> str:
    """The file's name without folders and endings: a table has little room."""
    return escape(trace.rsplit("/", 1)[-1].removesuffix(".gz").removesuffix(".trace"))
