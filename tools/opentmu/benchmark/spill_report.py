# SPDX-License-Identifier: Apache-2.0
"""Queues beyond the tables on chip, as tables for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from opentmu.benchmark import spill, spill_figures, tables
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise

SATURATED = 0xFFFF


def show(console: Console, results: Sequence[Result], kept: Sequence[Promise]) -> None:
    """Depths, the slope behind the table, the endpoint beside, and the promises."""
    for latency in spill_figures.latencies(results):
        _print(console, _depths(results, latency))
    if spill_figures.reaches_memory(results):
        _print(console, _slopes(results))
    if pairs := spill_figures.uneven(results):
        _print(console, _uneven(pairs))
    if spill_figures.reaches_memory(results):
        _print(console, _beside(results))
    if kept:
        _print(console, tables.promises(kept, "g"))
    verdicts = sum(one["verdicts"] + one["lone_verdicts"] for one in results)
    console.print(f"[green]all {verdicts:,} measured verdicts are those of the law[/]")


def _print(console: Console, table: Table) -> None:
    """A table under its title, which is wider than some tables are."""
    console.print(table.title, style="italic", highlight=False)
    table.title = None
    console.print(table)
    console.print()


def _table(title: str, *columns: str) -> Table:
    return tables.titled(title, *columns, wrap=False)


def memory(latency: int) -> str:
    """A memory in clocks, and in the time that this is at the assumed clock."""
    return f"{latency} clocks, {latency * 1000 / spill.MHZ:.0f} ns at {spill.MHZ} MHz"


def spread(one: dict[str, int]) -> str:
    """Median and maximum of a latency; a completion cannot say more than 65,535."""
    values = (one["p50"], one["max"])
    return "/".join(f"{value:,}" + ("+" if value == SATURATED else "") for value in values)


def _depths(results: Sequence[Result], latency: int) -> Table:
    preset = results[0]["preset"]
    entries = spill.table(preset)
    table = _table(
        f"preset {preset}, {entries:,} entries on chip, memory of {memory(latency)}; "
        "clocks a verdict; "
        "latency p50/max with one operation at a time; bytes read and refills a step, "
        "writes an append",
        "queue",
        "takes",
        "depth",
        "clocks",
        "one at a time",
        "take",
        "append",
        "read",
        "writes",
        "refills",
    )
    for one in results:
        watched = one["queue"] in (spill.ALONE, spill.BESIDE)
        if spill.Memory.of(one) != spill.Memory(latency) or watched:
            continue
        found = spill_figures.figures(one)
        lone = one["lone_latency_clocks"]
        table.add_row(
            one["queue"],
            one["position"],
            f"{one['depth']:,}",
            f"{one['clocks_per_verdict']:.2f}",
            f"{one['lone_clocks'] / one['lone_verdicts']:.1f}",
            spread(lone["take"]),
            spread(lone["append"]),
            f"{found['bytes_per_step']:,.0f}",
            f"{found['writes_per_append']:.2f}",
            f"{found['refills_per_step']:.2f}",
        )
    return table


def _slopes(results: Sequence[Result]) -> Table:
    """The slope beyond the table, at its edge and all along."""
    latencies = spill_figures.latencies(results)
    last, first, *more = spill_figures.beyond(results, latencies[0], spill.POSITIONS[0])
    to = f", and for each 1,000 entries more to {more[-1]['depth']:,}" if more else ""
    title = f"clocks a verdict at {first['depth']:,} entries by those at {last['depth']:,}{to}"
    columns = [f"{latency} clocks" for latency in latencies]
    table = _table(title, "taken", *columns, *(f"{one}, each 1,000" for one in columns))
    for position in spill.POSITIONS:
        ratios = [spill_figures.cliff(results, one, position) for one in latencies]
        slopes = [spill_figures.slope(results, one, position) for one in latencies]
        steep = ["" if one is None else f"{1000 * one:.1f}" for one in slopes]
        table.add_row(position, *(f"{ratio:.1f}" for ratio in ratios), *steep)
    return table


def _uneven(pairs: Sequence[tuple[Result, Result]]) -> Table:
    table = _table(
        "memory that is not even: latency, up to so many clocks more at random, clocks from beat "
        "to beat; clocks a verdict",
        "takes",
        "depth",
        "memory",
        "more",
        "a beat in",
        "clocks",
        "even memory",
        "ratio",
    )
    for even, one in pairs:
        memory = spill.Memory.of(one)
        clocks, usual = one["clocks_per_verdict"], even["clocks_per_verdict"]
        table.add_row(
            one["position"],
            f"{one['depth']:,}",
            str(memory.latency),
            str(memory.spread),
            str(memory.gap),
            f"{clocks:.2f}",
            f"{usual:.2f}",
            f"{clocks / usual:.2f}",
        )
    return table


def _beside(results: Sequence[Result]) -> Table:
    table = _table(
        "an endpoint that matches on chip beside another one; latency p50/max",
        "the other takes its",
        "depth",
        "memory",
        "clocks a verdict",
        "many in flight",
        "one at a time",
        "its verdicts",
    )
    for latency in spill_figures.latencies(results):
        alone, near, far = spill_figures.beside(results, latency)
        for one in (alone, *near, *far):
            table.add_row(
                "rests" if one is alone else one["position"],
                f"{one['depth']:,}",
                str(latency),
                f"{one['clocks_per_verdict']:.2f}",
                spread(one["latency_clocks"]["take"]),
                spread(one["lone_latency_clocks"]["take"]),
                f"{one['rival_verdicts']:,}",
            )
    return table
