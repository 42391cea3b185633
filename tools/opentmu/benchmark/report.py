# SPDX-License-Identifier: Apache-2.0
"""Measured cells as tables for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from opentmu.benchmark.cells import KINDS
from opentmu.benchmark.clock import Clock
from opentmu.benchmark.harness import Result
from opentmu.benchmark.tables import titled
from opentmu.benchmark.targets import Target


def show(console: Console, results: Sequence[Result], targets: Sequence[Target]) -> None:
    """Clocks a step and latencies by depth, pairs, then the promises."""
    depths = sorted({result["depth"] for result in results})
    preset = results[0]["preset"]
    console.print(rates(results, depths, f"clocks a step, preset {preset}, depth across"))
    console.print()
    console.print(latencies(results, depths))
    if any("pair_rate" in result for result in results):
        console.print()
        console.print(pairs(results))
    console.print()
    console.print(promises(targets))
    console.print()
    verdicts = sum(result["all_verdicts"] for result in results)
    console.print(f"[green]all {verdicts:,} verdicts agree with the reference model[/]")


def rates(results: Sequence[Result], depths: Sequence[int], title: str) -> Table:
    """One row a workload, one column a depth."""
    table = titled(title, "kind", "queue", "position", *(f"{d:,}" for d in depths), words=3)
    rows = {(r["kind"], r["queue"], r["position"]): None for r in results}
    for kind, queue, position in sorted(rows, key=lambda row: KINDS.index(row[0])):
        found = {
            r["depth"]: r["clocks_per_step"]
            for r in results
            if (r["kind"], r["queue"], r["position"]) == (kind, queue, position)
        }
        figures = (f"{found[d]:.2f}" if d in found else "" for d in depths)
        table.add_row(kind, queue, "" if position == "none" else position, *figures)
    return table


def latencies(results: Sequence[Result], depths: Sequence[int]) -> Table:
    """Of the cells of each depth the slowest one's percentiles."""
    table = titled("clocks from acceptance to verdict", "depth", "p50", "p90", "p99", "max")
    for depth in depths:
        found = [r["latency_clocks"] for r in results if r["depth"] == depth]
        worst = {name: max(one[name] for one in found) for name in ("p50", "p90", "p99", "max")}
        table.add_row(f"{depth:,}", *(f"{clocks:,}" for clocks in worst.values()))
    return table


def pairs(results: Sequence[Result]) -> Table:
    """Both queues at once, beside one command a clock."""
    columns = ("position", "depth", "pairs a clock", "with one stream", "ratio")
    table = titled("a post and an arrival at once, both queues equally deep", *columns)
    for one in (r for r in results if "pair_rate" in r):
        both, alone = one["pairs_per_clock"], one["pairs_per_clock_one_way"]
        figures = f"{both:.3f}", f"{alone:.3f}", f"{one['pair_rate']:.2f}"
        table.add_row(one["position"], f"{one['depth']:,}", *figures)
    return table


def promises(targets: Sequence[Target]) -> Table:
    """Promises, what was found, and the worst cell of each."""
    table = titled("promises", "figure", "worst cell", "limit", "found", "cells", "", words=2)
    for one in targets:
        limit = f"{'at least' if one.at_least else 'at most'} {one.limit:g}"
        said = "[green]met[/]" if one.met else "[red]missed[/]"
        table.add_row(one.name, one.cell, limit, f"{one.worst:.3f}", str(one.cells), said)
    return table


def comparison(rows: Sequence[Result], clock: Clock | None) -> Table:
    """Millions of verdicts a second, the unit beside the best software engine."""
    measured = rows[0]["measured_at"]
    title = (
        f"millions of verdicts a second, the {measured} at {clock.text}, one core with hot caches"
        if clock
        else "millions of verdicts a second of one core with hot caches; --mhz or, with --spill, "
        "--synth names the unit's clock"
    )
    columns = ("kind", "position", "depth", "memory", "best software", "software")
    table = titled(title, *columns, "clocks a verdict", "unit", "ratio", words=2)
    for row in rows:
        position = "" if row["position"] == "none" else row["position"]
        software = f"{row['software_verdicts_per_second'] / 1e6:.3g}"
        unit, ratio = "", ""
        if "ratio" in row:
            unit, ratio = f"{row['verdicts_per_second'] / 1e6:.3g}", f"{row['ratio']:.2f}"
        table.add_row(
            row["kind"],
            position,
            f"{row['depth']:,}",
            str(row.get("memory_latency", "")),
            row["software_engine"],
            software,
            f"{row['clocks_per_verdict']:.2f}",
            unit,
            ratio,
        )
    return table
