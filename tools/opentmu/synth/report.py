# SPDX-License-Identifier: Apache-2.0
"""Reports for people: what a unit takes, how fast it is, and where its slowest path lies."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

# Rows of a path that are shown; the JSON report has all of them.
MOST_STEPS = 16
COLUMNS = ("LUT", "flip-flops", "block memories", "MHz")


def show(console: Console, results: Sequence[dict[str, Any]]) -> None:
    """Print one table with a line for each report, then each slowest path."""
    table = Table("preset", "family", "device", box=None)
    for title in COLUMNS:
        table.add_column(title, justify="right")
    for one in results:
        table.add_row(
            one["preset"],
            one["family"],
            one["device"],
            f"{one['lut']:,}",
            f"{one['ff']:,}",
            f"{one['bram']:g}" + (f" + {one['uram']} large" if one["uram"] else ""),
            clock(one),
        )
    console.print(table)
    for one in results:
        console.print()
        _show_details(console, one)


def clock(result: dict[str, Any]) -> str:
    """The routed clock, or the estimate marked as one, or a dash."""
    if result["fmax_mhz"] is not None:
        return f"{result['fmax_mhz']:.1f}"
    if (guess := result["clock_estimate"]) is not None:
        return f"estimate {guess['mhz_low']}-{guess['mhz_high']}"
    return "-"


def _show_details(console: Console, one: dict[str, Any]) -> None:
    console.print(f"{one['preset']} on {one['family']}: {escape(one['method'])}")
    if one["problem"]:
        console.print(f"[red]{escape(one['problem'])}[/]")
    for kind in one.get("modules", [])[1:]:
        console.print(
            f"  {kind['instances']} x {escape(kind['module'])}: {kind['lut']:,} LUT, "
            f"{kind['ff']:,} flip-flops each"
        )
    if one["clock_estimate"] is not None:
        console.print(f"  {escape(one['clock_estimate']['rule'])}")
    if (path := one["critical_path"]) is not None:
        timed = "delay_ns" in path
        console.print(f"\n{_path_title(path, timed)}")
        console.print(f"from {escape(path['from'])}")
        console.print(_path_table(path["steps"], timed))
        console.print(f"to   {escape(path['to'])}")


def _path_title(path: dict[str, Any], timed: bool) -> str:
    if not timed:
        return f"slowest path, {path['levels']} levels"
    parts = f"{path['logic_ns']} ns logic, {path['routing_ns']} ns wires"
    return f"slowest path, {path['delay_ns']} ns: {parts}"


def _path_table(steps: Sequence[dict[str, Any]], timed: bool) -> Table:
    """The slowest path, a line for each cell with the net behind it."""
    numbers = ("logic_ns", "routing_ns") if timed else ("levels",)
    table = Table("cell", "net", box=None, show_header=False)
    for name in numbers:
        table.add_column(name, justify="right")
    for step in steps[:MOST_STEPS]:
        values = (str(step[name]) for name in numbers)
        table.add_row(f"  {step['kind']}", escape(step["net"]), *values)
    if len(steps) > MOST_STEPS:
        table.add_row(f"  and {len(steps) - MOST_STEPS} more")
    return table
