# SPDX-License-Identifier: Apache-2.0
"""Clocks of the card in hardware for messages that it receives, and what is promised of them.

The card is `tests/card/tiny_card.toml`, simulated at its ports; memory and links never pause.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

from rich.console import Console

from opentmu import paths
from opentmu.bench import simulate
from opentmu.benchmark import tables
from opentmu.benchmark.promise import Promise
from opentmu.errors import CheckFailed

MODULE = paths.ROOT / "tools" / "opentmu" / "bench" / "card_figures.py"
# Clocks from the last beat of a short message to its completion, without contention.
LATENCY = 64
SHORT = 256
# Clocks for each beat of a stream of messages: its beats alone, one message at the end apart.
PER_BEAT = 1.1
Row = dict[str, Any]


def measure() -> list[Row]:
    """A row for each size (opentmu.bench.card_figures.Row), from one simulation."""
    from opentmu.bench.card_figures import MARK  # which needs the simulator's library

    with redirect_stdout(sys.stderr):  # figures alone go to the other
        done = simulate.run(simulate.card(), simulate.CARD, MODULE, "figures")
    done.require()
    for line in done.log.splitlines():
        _, mark, text = line.partition(MARK)
        if mark:
            rows: list[Row] = json.loads(text)
            return rows
    raise CheckFailed("the simulation of the card printed no figures")


def promises(rows: Sequence[Row]) -> list[Promise]:
    """Latency of short messages, and that a stream has no bubble."""
    latency = [
        Promise(f"last beat to completion, {row['bytes']:,} bytes", row["expected"], LATENCY)
        for row in rows
        if row["bytes"] <= SHORT
    ]
    rate = [
        Promise(
            f"a beat in a stream, {row['bytes']:,} bytes", row["stream"] / row["beats"], PER_BEAT
        )
        for row in rows
    ]
    return [*latency, *rate]


def show(console: Console, rows: Sequence[Row], kept: Sequence[Promise]) -> None:
    """A row for each size; clocks of the simulated card, not of a routed one."""
    table = tables.titled(
        f"{simulate.CARD} of {simulate.CARD_CONFIGURATION.name}, clocks at its ports",
        *("bytes", "beats of its frames", "expected: last beat to completion"),
        *("unexpected: doorbell of the post to completion", "in a stream, a message"),
        "beats of that stream held up",
    )
    for row in rows:
        table.add_row(
            f"{row['bytes']:,}",
            f"{row['beats']:,}",
            f"{row['expected']:,}",
            f"{row['unexpected']:,}",
            f"{row['stream']:.2f}",
            f"{row['held_up']:,}",
        )
    console.print(table)
    console.print()
    parts = tables.titled("expected, stage by stage", "bytes", *rows[0]["stages"])
    for row in rows:
        parts.add_row(f"{row['bytes']:,}", *(f"{clocks}" for clocks in row["stages"].values()))
    console.print(parts)
    console.print()
    console.print(tables.promises(kept, ".3g"))
