# SPDX-License-Identifier: Apache-2.0
"""Submission queues side by side: rate, shares, and what a queue feels of its neighbours.

Runs tmu-queues, which drives the whole Verilated unit through the driver and judges each verdict.
"""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from opentmu.benchmark import harness
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise
from opentmu.benchmark.tables import promises as promise_table
from opentmu.benchmark.tables import titled
from opentmu.build import cbuild, verilate
from opentmu.errors import CheckFailed

PROGRAM = "tmu-queues"
COUNTS = (1, 2, 4, 8, 16, 32, 64)
WINDOWS = (1, 4)
PAIRS, ALONE = "pairs", "flood:1:1"
# Loads of 63 neighbours beside one queue that has an operation in flight at a time.
NEIGHBOURS = 64
RIVALS = {
    "flood": "the same, 4 at a time",
    "cancels": "cancel what is not there",
    "refused": "post to a full endpoint",
    "unread": "flood, and never read",
    "bad": "malformed, with false indices",
}
OPERATIONS, QUICK_OPERATIONS = 4000, 300


def cells(*, quick: bool) -> list[str]:
    """A cell: KIND:QUEUES:WINDOW; all queues in `pairs`, else the first one."""
    counts = (1, NEIGHBOURS) if quick else COUNTS
    curve = [f"{PAIRS}:{count}:{window}" for window in WINDOWS for count in counts]
    return [*curve, f"{PAIRS}:1:64", ALONE, *(f"{kind}:{NEIGHBOURS}:4" for kind in RIVALS)]


def measure(preset: str, *, quick: bool) -> list[Result]:
    """Run every cell on the Verilated unit; raises CheckFailed at a wrong verdict."""
    library = verilate.library(preset)
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    count = QUICK_OPERATIONS if quick else OPERATIONS

    def read(found: Result) -> Result:
        usual = {"preset": preset, "kind": "queues", "position": found.pop("kind"), "depth": 0}
        return usual | found

    words: list[str | Path] = [program, "--uri", f"sim:{library}", "--operations", str(count)]
    run = harness.Run(words, cells(quick=quick), read)
    results = harness.collect(PROGRAM, f"loads of preset {preset}", [run])
    check_harm(results)
    return results


def check_harm(results: Sequence[Result]) -> None:
    """Raises CheckFailed when hostile neighbours did nothing that had to be turned away."""
    for kind, counter in (("unread", "overruns"), ("bad", "malformed")):
        found = next(one for one in results if one["position"] == kind)
        if found[counter] <= found["verdicts"]:
            raise CheckFailed(
                f"{PROGRAM}: {kind}: found {found[counter]} {counter}, expected more than the "
                f"{found['verdicts']} verdicts of the queue beside them"
            )


def curve(results: Sequence[Result], window: int) -> list[Result]:
    """The cells in which all queues do the same, by their number."""
    found = [one for one in results if one["position"] == PAIRS and one["window"] == window]
    return sorted(found, key=lambda one: one["queues"])


def alone(results: Sequence[Result]) -> Result:
    """One queue without neighbours."""
    return next(one for one in results if one["position"] == "flood" and one["queues"] == 1)


def promises(results: Sequence[Result]) -> list[Promise]:
    """The promises of many queues."""
    full = curve(results, WINDOWS[-1])[-1]
    single = curve(results, NEIGHBOURS)[0]
    usual = alone(results)["latency_clocks"]["p99"]
    unread = next(one for one in results if one["position"] == "unread")
    busy = [one for one in results if one["position"] in RIVALS and one["queues"] > 1]
    slowest = max(one["latency_clocks"]["max"] for one in busy)
    # One turn of 4 from each neighbour, and the latency of the unit.
    bound = usual + 4 * NEIGHBOURS
    name = f"{full['queues']} queues"
    return [
        Promise("one queue alone, clocks a verdict", single["clocks_per_verdict"], 1.05),
        Promise(f"{name}, clocks a verdict", full["clocks_per_verdict"], 1.05),
        Promise(
            f"{name}, most less fewest verdicts", full["most"] - full["least"], 2 * WINDOWS[-1]
        ),
        Promise("beside unread rings, p99 latency", unread["latency_clocks"]["p99"], usual + 2),
        Promise("beside any neighbours, longest latency", slowest, bound),
    ]


def show(console: Console, results: Sequence[Result], kept: Sequence[Promise]) -> None:
    """The curve, the neighbours and the promises as tables."""
    preset = results[0]["preset"]
    heads = ("queues", "at a time", "clocks a verdict", "fewest", "most", "p50", "p99", "max")
    table = titled(f"queues that do the same, preset {preset}, latency with the host", *heads)
    for window in (*WINDOWS, NEIGHBOURS):
        for one in curve(results, window):
            _row(table, str(one["queues"]), one)
    console.print(table)
    console.print()
    table = titled("one queue, one operation at a time, beside 63 others", "the others", *heads[1:])
    for one in results:
        if one["position"] in RIVALS:
            said = RIVALS[one["position"]] if one["queues"] > 1 else "none"
            _row(table, said, one)
    console.print(table)
    console.print()
    console.print(promise_table(kept, ".3f"))
    console.print()
    verdicts = sum(one["verdicts"] for one in results)
    console.print(f"[green]all {verdicts:,} measured verdicts are those of the law[/]")


def _row(table: Table, name: str, one: Result) -> None:
    latency = [str(one["latency_clocks"][key]) for key in ("p50", "p99", "max")]
    rate = f"{one['clocks_per_verdict']:.2f}"
    table.add_row(name, str(one["window"]), rate, f"{one['least']:,}", f"{one['most']:,}", *latency)
