# SPDX-License-Identifier: Apache-2.0
"""The outcome of `tmu mpi` for people."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

Report = dict[str, Any]

# Row: what the unit counted, by the names of its counters.
ROWS = {
    "posts": ("posts",),
    "arrivals": ("arrivals",),
    "probes and claims": ("probes", "claims"),
    "cancels": ("cancels",),
    "matches": ("post_matched", "arrive_matched", "claim_matched"),
    "unexpected messages": ("arrive_queued",),
    "cancelled": ("cancelled",),
    "truncated": ("truncated",),
    "receives refused, tried again": ("post_refused",),
    "arrivals held back, tried again": ("arrive_stalled",),
    "answered by memory": ("spill_deferred",),
    "greatest depth, posted": ("posted_depth_max",),
    "greatest depth, unexpected": ("unexpected_depth_max",),
    "clocks": ("clocks",),
}


def show(console: Console, result: dict[str, Any]) -> None:
    """One column a rank, then a sentence."""
    ranks: Sequence[Report] = result["ranks"]
    table = Table("", *(rank["name"].replace("-", " ") for rank in ranks), box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row("operations", *(f"{rank['operations']:,}" for rank in ranks))
    for title, names in ROWS.items():
        values = (sum(rank["unit"].get(name, 0) for name in names) for rank in ranks)
        table.add_row(title, *(f"{value:,}" for value in values))
    table.add_row("by rendezvous", *(f"{rank['traffic']['rendezvous']:,}" for rank in ranks))
    table.add_row("counters that differ", *(str(len(rank["differences"])) for rank in ranks))
    table.add_row("verdicts that differ", *(f"{rank['mismatches']:,}" for rank in ranks))
    console.print(f"MPI {result['mpi']}, engine {result['engine']}, preset {result['preset']}")
    if ranks:
        console.print(table)
    console.print()
    console.print(verdict(result))


def verdict(result: dict[str, Any]) -> str:
    """The closing sentence."""
    for rank in result["ranks"]:
        if rank["mismatches"]:
            return f"{rank['name']}: {rank['mismatches']} differences; {rank['mismatch']}"
        if rank["differences"]:
            return f"{rank['name']}: {rank['differences'][0]}"
    if result["missing"]:
        return (
            f"{result['missing']} of the ranks left no report: they were killed, or did not use "
            f"the provider; is the program one of --mpi {result['mpi']}? "
            "FI_LOG_LEVEL=warn has libfabric say more"
        )
    if result["program_exit_code"]:
        return f"the program ended with exit code {result['program_exit_code']}"
    return (
        f"all {result['operations']:,} verdicts agree with the reference model, "
        f"and all counters with the provider's"
    )
