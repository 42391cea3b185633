# SPDX-License-Identifier: Apache-2.0
"""Tables that the reports of the benchmarks have in common."""

from collections.abc import Sequence

from rich.table import Table

from opentmu.benchmark.promise import Promise


def titled(title: str, *columns: str, words: int = 1, wrap: bool = True) -> Table:
    """A table with a title; the first `words` columns are words, the others figures."""
    table = Table(title=title, box=None)
    table.title_justify = "left"
    for number, column in enumerate(columns):
        table.add_column(column, no_wrap=not wrap, justify="left" if number < words else "right")
    return table


def promises(kept: Sequence[Promise], digits: str) -> Table:
    """Every promise with its limit and what was found, in a format like `.3f`."""
    table = titled("promises", "figure", "limit", "found", "")
    for promise in kept:
        said = "[green]met[/]" if promise.met else "[red]missed[/]"
        found = format(promise.found, digits)
        table.add_row(promise.name, f"at most {promise.most:g}", found, said)
    return table
