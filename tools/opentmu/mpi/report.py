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


# Row of a card: what its network counted.
WIRE_ROWS = {
    "messages sent": "sends",
    "messages that came": "messages_taken",
    "frames sent": "frames_sent",
    "packets sent again": "sent_again",
}


def show(console: Console, result: dict[str, Any]) -> None:
    """One column a rank, and one for a unit that they shared; then a sentence."""
    ranks: Sequence[Report] = result["ranks"]
    units = [result["unit"]] if "unit" in result else []
    titles = [*(rank["name"].replace("-", " ") for rank in ranks), *("unit" for _ in units)]
    table = Table("", *titles, box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row("operations", *(f"{rank['operations']:,}" for rank in ranks))
    # Of a shared unit a rank knows what it did itself; the rest is the unit's.
    counted = [rank["counted" if units else "unit"] for rank in ranks] + units
    for title, names in ROWS.items():
        table.add_row(title, *(number(counters, names) for counters in counted))
    table.add_row("by rendezvous", *(f"{rank['traffic']['rendezvous']:,}" for rank in ranks))
    if "wire" in result:
        for title, name in WIRE_ROWS.items():
            table.add_row(title, *(f"{rank['network'][name]:,}" for rank in ranks))
    table.add_row("counters that differ", *(str(len(rank["differences"])) for rank in ranks))
    table.add_row("verdicts that differ", *(f"{rank['mismatches']:,}" for rank in ranks))
    console.print(head(result))
    if ranks:
        console.print(table)
    console.print()
    console.print(verdict(result))


def head(result: Report) -> str:
    """The first line: MPI, engine and configuration."""
    text = f"MPI {result['mpi']}, engine {result['engine']}, preset {result['preset']}"
    if "wire" not in result:
        return text
    switch = ", ".join(f"{name} {value}" for name, value in result["wire"]["impairments"].items())
    return f"{text}; a card for each rank and a switch between them ({switch})"


def number(counters: dict[str, int], names: Sequence[str]) -> str:
    """The sum of some counters; empty where none is known."""
    known = [counters[name] for name in names if name in counters]
    return f"{sum(known):,}" if known else ""


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
    if result.get("differences"):
        return str(result["differences"][0])
    return agreement(result)


def agreement(result: Report) -> str:
    """The closing sentence when nothing differs."""
    if "wire" in result:
        return (
            f"all {result['operations']:,} verdicts agree with the reference model, and the "
            "counters of units, cards, provider and switch with each other"
        )
    counters = (
        "the unit's counters with the sum of the ranks'"
        if "unit" in result
        else "all counters with the provider's"
    )
    return f"all {result['operations']:,} verdicts agree with the reference model, and {counters}"
