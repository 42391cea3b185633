# SPDX-License-Identifier: Apache-2.0
"""The results of replays as tables for people."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

Result = dict[str, Any]


def number(value: Any) -> str:
    """A figure with thousands separated; `-` where the engine has none."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def show(console: Console, results: Sequence[Result]) -> None:
    """One row a trace, then the counters of unit and model side by side."""
    console.print(_figures(results))
    for result in results:
        counters = result.get("counters") or {}
        if counters:
            console.print()
            console.print(_counters(result, counters))
    console.print()
    console.print(verdict(results))


def verdict(results: Sequence[Result]) -> str:
    """The closing sentence."""
    wrong = sum(result["mismatches"] for result in results)
    operations = sum(result.get("operations", 0) for result in results)
    bad = sum(not result["ok"] for result in results)
    if wrong:
        return f"[red]{wrong:,} of {operations:,} verdicts differ from the reference model[/]"
    if bad:
        return f"[red]a check failed in {bad} of {len(results)} runs[/]"
    return f"[green]all {operations:,} verdicts agree with the reference model[/]"


def _figures(results: Sequence[Result]) -> Table:
    first = results[0]
    table = Table(title=f"engine {first['engine']}, preset {first['preset']}", box=None)
    table.title_justify = "left"
    table.add_column("trace", overflow="fold")
    heads = ["operations", "matches", "refused", "mismatches", "clocks", "clocks/op"]
    heads += ["p50", "p99", "max", "posted", "unexpected"]
    for head in heads:
        table.add_column(head, justify="right")
    for result in results:
        latency = result.get("latency_clocks") or {}
        depth = result.get("depth_max") or {}
        figures = [result.get(name) for name in ("operations", "matches", "refused")]
        figures += [result["mismatches"], result.get("clocks"), result.get("clocks_per_operation")]
        figures += [latency.get(name) for name in ("p50", "p99", "max")]
        figures += [depth.get(name) for name in ("posted", "unexpected")]
        table.add_row(_short(str(result["trace"])), *map(number, figures))
    table.caption = "p50, p99, max: latency in clocks; posted, unexpected: greatest depth"
    table.caption_justify = "left"
    return table


def _counters(result: Result, counters: dict[str, Any]) -> Table:
    """The unit's counters beside the model's own; a difference is marked."""
    expected = result.get("model_counters") or {}
    table = Table(title=f"counters, {escape(_short(str(result['trace'])))}", box=None)
    table.title_justify = "left"
    table.add_column("counter")
    table.add_column("unit", justify="right")
    if expected:
        table.add_column("model", justify="right")
    for name, value in counters.items():
        row = [name, number(value)]
        if expected:
            wanted = expected.get(name)
            differs = name in expected and wanted != value
            row.append(f"[red]{number(wanted)} differs[/]" if differs else number(wanted))
        table.add_row(*row)
    return table


def _short(trace: str) -> str:
    """The file's name: a table has no room for folders."""
    return escape(trace.rsplit("/", 1)[-1])
