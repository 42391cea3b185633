# SPDX-License-Identifier: Apache-2.0
"""Victims beside an attacker, as tables for people."""

from collections.abc import Sequence

from rich.console import Console

from opentmu.benchmark import isolation, tables
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise

KEYS = ("p50", "p99", "max")


def show(console: Console, results: Sequence[Result], kept: Sequence[Promise]) -> None:
    """Latencies beside each attack, the attacker's own operations, and the promises."""
    preset, victims = results[0]["preset"], results[0]["victims"]
    table = tables.titled(
        f"{victims} victims of preset {preset}, clocks p50/p99/max",
        *("the attacker", "clocks a verdict", "host latency", "unit latency", "longest wait"),
    )
    for one in results:
        rate = f"{one['clocks_per_verdict']:.2f}"
        spreads = [spread(one[f"{name}_latency_clocks"]) for name in ("host", "unit")]
        table.add_row(isolation.title(one), rate, *spreads, f"{one['longest_wait']:,}")
    console.print(table)
    console.print()
    table = tables.titled(
        "an endpoint's own operations beside the victims, longest of each in clocks",
        *("the endpoint", "times", "open a queue", "flush", "close it"),
    )
    for one in results:
        if one["position"] == isolation.LIVES:
            lives = one["lives"]
            figures = (f"{lives[key]:,}" for key in ("count", "open", "flush", "close"))
            table.add_row(isolation.title(one), *figures)
    console.print(table)
    console.print()
    console.print(tables.promises(kept, "g"))
    console.print()
    verdicts = sum(one["verdicts"] for one in results)
    console.print(f"[green]all {verdicts:,} measured verdicts of the victims are the model's[/]")


def spread(one: dict[str, int]) -> str:
    """Median, 99th percentile and maximum; a completion cannot say more than 65,535."""
    return "/".join(
        f"{one[key]:,}" + ("+" if one[key] == isolation.SATURATED else "") for key in KEYS
    )
