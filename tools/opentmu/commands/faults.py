# SPDX-License-Identifier: Apache-2.0
"""`tmu faults`: flips bits of what the unit stores, and judges every answer."""

from typing import Any

import click
from rich.table import Table

from opentmu import options, output, presets
from opentmu.benchmark import harness
from opentmu.build import cbuild, verilate
from opentmu.replay import engine

PROGRAM = "tmu-faults"
OUTCOMES = {
    "not_stored": "Not stored",
    "unread": "Never read",
    "made_up": "Made up for",
    "withheld": "Withheld",
    "spread": "Spread",
    "uncontained": "Uncontained",
    "silent": "Silent",
}


def campaign(preset: str, trials: int, seed: int, pauses: int | None) -> dict[str, Any]:
    """Flip so many bits, one after the other.

    Raises CheckFailed when one stays unnoticed, or costs more endpoints answers than it may.
    """
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    asked = engine.Options("rtl", preset, pauses=pauses)
    uri = engine.uri(asked, verilate.library(preset), wave=None)
    words = [str(program), "--uri", uri, "--trials", str(trials), "--seed", str(seed), "--progress"]
    title = f"flipping {trials:,} bits of preset {preset}"
    return {"preset": preset, **harness.single(PROGRAM, title, words)}


def show(result: dict[str, Any]) -> None:
    """Print a row for each store."""
    title = f"Flipped bits, preset {result['preset']}, by store and outcome"
    table = Table(title=title, padding=0)  # or the words of its head do not fit into a pipe
    table.add_column("Store", no_wrap=True)
    for head in (*OUTCOMES.values(), "Answers withheld"):
        table.add_column(head, justify="right")
    for store, counts in result["places"].items():
        shown = [f"{counts[name]:,}" for name in (*OUTCOMES, "answers_withheld")]
        table.add_row(store.replace("_", " "), *shown)
    output.figures().print(table)


@click.command()
@presets.options(default="tiny")
@click.option("--trials", type=click.IntRange(1, 10**9), default=400, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--pauses", type=click.IntRange(min=0), help="Seed of random pauses.")
@options.as_json
def command(preset: str, trials: int, seed: int, pauses: int | None, as_json: bool) -> None:
    """Flip bits of what the unit stores while it works, and judge every answer by the model.

    A trial resets the unit, runs random operations, and flips one bit of one stored word. An
    answer that depends on it has to be withheld, and every other one has to be right: a trial in
    which one is wrong is silent. It is spread when answers of several endpoints were withheld,
    and uncontained when those are more than the flipped bit may reach. A silent trial or an
    uncontained one makes the command fail with its seed.

    For example: tmu faults --trials 10000 --seed 7
    """
    presets.check_full_keys(preset, "faults")
    result = campaign(preset, trials, seed, pauses)
    if as_json:
        output.print_json(result)
    else:
        show(result)
