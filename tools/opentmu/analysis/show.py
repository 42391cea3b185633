# SPDX-License-Identifier: Apache-2.0
"""A trace's figures as tables for people."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from opentmu.output import SCREEN
from opentmu.replay.report import number


def show(console: Console, trace: str, figures: dict[str, Any]) -> None:
    console.width = min(console.width, SCREEN)
    console.print(trace, markup=False)
    console.print(_general(figures))
    console.print()
    console.print(_distributions(figures))
    console.print()
    console.print(_bits(figures["bits"]))


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f} %"


def ranges(bits: list[int]) -> str:
    """`0-3, 7` for 0, 1, 2, 3, 7."""
    parts: list[list[int]] = []
    for bit in bits:
        if parts and parts[-1][1] == bit - 1:
            parts[-1][1] = bit
        else:
            parts.append([bit, bit])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts) or "none"


def _general(figures: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False)
    for name, value in figures["metadata"].items():
        table.add_row(f"# {escape(name)}", escape(value))
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in figures["by_kind"].items() if n)
    table.add_row("operations", f"{figures['operations']:,} ({kinds})")
    table.add_row("in raw form", number(figures["raw"]))
    table.add_row("endpoints", number(figures["endpoints"]))
    table.add_row("with times", "yes" if figures["timed"] else "no")
    table.add_row("matches", number(figures["matches"]))
    table.add_row("matches that were truncated", number(figures["truncated"]))
    table.add_row("arrivals that were unexpected", percent(figures["unexpected_share"]))
    table.add_row("posts that found a message", percent(figures["found_unexpected_share"]))
    for name, share in figures["wildcards"].items():
        table.add_row(f"receives with {name.replace('_', ' ')}", percent(share))
    return table


def _distributions(figures: dict[str, Any]) -> Table:
    table = Table(box=None)
    table.add_column("per search")
    for head in ("count", "mean", "p50", "p99", "max"):
        table.add_column(head, justify="right")
    rows = {
        "receives in the endpoint's queue": figures["depth"]["posted"],
        "receives visited to the hit": figures["search_position"]["posted"],
        "messages in the endpoint's queue": figures["depth"]["unexpected"],
        "messages visited to the hit": figures["search_position"]["unexpected"],
    }
    for name, row in rows.items():
        table.add_row(name, *(number(value) for value in row.values()))
    for what, name in (("receives", "posted"), ("messages", "unexpected")):
        for whose, key in (("one endpoint", "endpoint_depth_max"), ("all endpoints", "depth_max")):
            greatest = number(figures[key][name])
            table.add_row(f"greatest depth of {whose}, {what}", *[""] * 4, greatest)
    return table


def _bits(bits: dict[str, Any]) -> Table:
    table = Table("field of arrivals", "distinct values", "bits that ever differ", box=None)
    for name, use in bits.items():
        table.add_row(name, number(use["distinct"]), ranges(use["varying"]))
    return table
