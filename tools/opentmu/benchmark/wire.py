# SPDX-License-Identifier: Apache-2.0
"""Clocks of the card in hardware for messages that it receives, and what is promised of them.

The card is `tests/card/tiny_card.toml`, simulated at its ports; memory and links never pause.
"""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from opentmu import paths, presets
from opentmu.bench import simulate
from opentmu.benchmark import tables
from opentmu.benchmark.promise import Promise
from opentmu.build import rtl, verilate
from opentmu.errors import CheckFailed

TOP = "TmuCard"
CONFIGURATION = paths.ROOT / "tests" / "card" / "tiny_card.toml"
MODULE = paths.ROOT / "tools" / "opentmu" / "bench" / "card_figures.py"
MARK = "FIGURES "
# Clocks from the last beat of a short message to its completion, without contention.
LATENCY = 64
SHORT = 256
# Clocks for each beat of a stream of messages: its beats alone, one message at the end apart.
PER_BEAT = 1.1
Row = dict[str, Any]


def measure() -> list[Row]:
    """A row for each size (opentmu.bench.card_figures.Row), from one simulation."""
    design = rtl.ensure(presets.use(CONFIGURATION))
    # Building takes longer than running.
    folder = simulate.build(TOP, design, optimise=verilate.OPTIMISE_LITTLE)
    done = simulate.run(folder, TOP, MODULE, "figures")
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
        f"{TOP} of {CONFIGURATION.name}, clocks at its ports",
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
    console.print(tables.promises(kept, ".3g"))
