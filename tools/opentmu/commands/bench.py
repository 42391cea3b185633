# SPDX-License-Identifier: Apache-2.0
"""`tmu bench`: clocks a verdict, latency and pair rate of the matching unit by depth."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from opentmu import options, output, presets
from opentmu.benchmark import (
    cells,
    clock,
    harness,
    isolation,
    isolation_report,
    messages,
    messages_report,
    plot,
    plot_depth,
    plot_isolation,
    plot_messages,
    plot_spill,
    queues,
    report,
    software,
    spill,
    spill_figures,
    spill_report,
    targets,
)
from opentmu.benchmark.promise import Promise
from opentmu.errors import BadInput, CheckFailed


@click.command()
@presets.options(presets.WHOLE)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    help=f"Kinds of workload, with commas or repeated: {', '.join(cells.KINDS)}.",
)
@click.option(
    "--position",
    "positions",
    multiple=True,
    help=f"Which entry matches: {', '.join(cells.POSITIONS)}.",
)
@click.option(
    "--depth", "depths", multiple=True, help="Entries in the queue, with commas or repeated."
)
@click.option("--quick", is_flag=True, help="Few depths and few steps.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0))
@click.option("--pauses", is_flag=True, help="Random pauses; the promises are not checked.")
@click.option("--software", "with_software", is_flag=True, help="The software engines as well.")
@click.option(
    "--mhz", type=click.FloatRange(min=0, min_open=True), help="Clock of what is measured."
)
@click.option(
    "--synth", type=click.Path(path_type=Path), help="With --spill: what synth --json printed."
)
@click.option("--plots", type=click.Path(path_type=Path), help="Folder for plots, PNG and SVG.")
@click.option("--random", type=click.IntRange(min=1), help="Random operations instead of cells.")
@click.option("--flowing", is_flag=True, help="Random operations without pauses.")
@click.option("--queues", is_flag=True, help="Submission queues side by side instead of cells.")
@click.option("--spill", is_flag=True, help="The whole unit by depth, beyond its tables.")
@click.option("--isolation", is_flag=True, help="Endpoints beside an attacker instead of cells.")
@click.option("--mpi", is_flag=True, help="Messages between two MPI ranks instead of cells.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of cells.")
def command(
    preset: str,
    kinds: tuple[str, ...],
    positions: tuple[str, ...],
    depths: tuple[str, ...],
    **settings: Any,
) -> int:
    """Measure the matching unit in clocks and check every verdict.

    Each cell fills the queues to a depth and measures a workload at that depth; the reference
    model judges every verdict. Without choice of kind, position or depth, all are measured.
    A promise of the presets nic and ecp5 that is not kept ends in exit code 1.

    For example: tmu bench --quick --preset tiny --kind exact,any_tag
    """
    presets.check_full_keys(preset, "bench")
    entries = harness.entries(preset)
    choice = cells.Choice(
        cells.split("--kind", kinds, cells.KINDS),
        cells.split("--position", positions, cells.POSITIONS),
        cells.depths_of(depths, entries, preset),
        settings["quick"],
    )
    if settings["spill"]:
        return _spill(preset, settings)
    if settings["queues"]:
        return _queues(preset, settings)
    if settings["isolation"]:
        return _isolation(preset, settings)
    if settings["mpi"]:
        return _mpi(preset, settings)
    if settings["random"] is not None:
        return _random(preset, settings)
    if settings["flowing"]:
        raise BadInput("--flowing: found it without --random, expected both")
    return _cells(preset, choice, settings)


def _alone(option: str) -> None:
    """Raises BadInput when something is given that does not go with what runs instead of cells."""
    beside = ["--preset", "--quick", "--plots"]
    beside += ["--software", "--mhz", "--synth"] if option == "spill" else []
    options.refuse(
        f"--{option} takes only {', '.join(beside)} and --json beside it",
        [f"--{option}", "--config", *beside],
    )


def _queues(preset: str, settings: dict[str, Any]) -> int:
    _alone("queues")
    measured = partial(queues.measure, preset), queues.promises
    return _loads(preset, settings, *measured, queues.show, plot.write_queues)


def _spill(preset: str, settings: dict[str, Any]) -> int:
    _alone("spill")
    speed = _clock(preset, settings, harness.WHOLE_UNIT)
    plots = _plots(settings)
    results = spill.measure(preset, quick=settings["quick"])
    kept = spill_figures.promises(results)
    engines, rows = _beside_software(results, speed, settings)
    if settings["as_json"]:
        output.print_json(software.merged(results, rows))
    else:
        spill_report.show(output.figures(), results, kept)
        _show_software(rows, speed)
    if plots is not None:
        plot_spill.write(plots, results)
        plot_depth.write(plots, [plot_depth.Unit(results, speed)] if speed else [], engines)
    return _judged(preset, kept, settings)


def _beside_software(
    results: Sequence[harness.Result], speed: clock.Clock | None, settings: dict[str, Any]
) -> tuple[list[harness.Result], list[harness.Result]]:
    """Figures of the engines and the comparison, both empty if not asked for."""
    if not settings["with_software"]:
        return [], []
    engines = software.measure(results, quick=settings["quick"])["cells"]
    return engines, software.compare(results, engines, speed)


def _show_software(rows: Sequence[harness.Result], speed: clock.Clock | None) -> None:
    if rows:
        console = output.figures()
        console.print()
        console.print(report.comparison(rows, speed))


def _isolation(preset: str, settings: dict[str, Any]) -> int:
    _alone("isolation")
    measured = partial(isolation.measure, preset), isolation.promises
    return _loads(preset, settings, *measured, isolation_report.show, plot_isolation.write)


def _mpi(preset: str, settings: dict[str, Any]) -> int:
    _alone("mpi")
    measured = partial(messages.measure, preset), messages.promises
    return _loads(preset, settings, *measured, messages_report.show, plot_messages.write)


def _loads(
    preset: str,
    settings: dict[str, Any],
    measure: Callable[..., list[harness.Result]],
    promises: Callable[[Sequence[harness.Result]], list[Promise]],
    show: Callable[[Console, Sequence[harness.Result], Sequence[Promise]], None],
    draw: Callable[[Path, Sequence[harness.Result]], list[Path]],
) -> int:
    """Load the whole unit, instead of measuring cells of the matching unit alone."""
    plots = _plots(settings)
    results = measure(quick=settings["quick"])
    kept = promises(results)
    if settings["as_json"]:
        output.print_json(results)
    else:
        show(output.figures(), results, kept)
    if plots is not None:
        draw(plots, results)
    return _judged(preset, kept, settings)


def _judged(preset: str, kept: Sequence[Promise], settings: dict[str, Any]) -> int:
    missed = [one for one in kept if not one.met]
    if missed and preset in targets.PROMISED and not settings["quick"]:
        names = "; ".join(f"{one.name}: found {one.found:.3f}" for one in missed)
        raise CheckFailed(f"preset {preset} misses {len(missed)} of its promises: {names}")
    return 0


def _plots(settings: dict[str, Any]) -> Path | None:
    plots: Path | None = settings["plots"]
    if plots is not None and plots.exists() and not plots.is_dir():
        raise BadInput(f"--plots {plots}: found a file, expected a folder or nothing")
    return plots


def _random(preset: str, settings: dict[str, Any]) -> int:
    options.refuse(
        "--random takes only --preset, --seed, --flowing and --json beside it",
        ("--random", "--preset", "--config", "--seed", "--flowing"),
    )
    seed, flowing = settings["seed"], settings["flowing"]
    result = harness.campaign(preset, settings["random"], seed=seed, flowing=flowing)
    if settings["as_json"]:
        output.print_json(result)
        return 0
    counts = ", ".join(f"{name} {count:,}" for name, count in result["statuses"].items())
    console = output.figures()
    console.print(f"{result['operations']:,} operations in {result['clocks']:,} clocks: {counts}")
    text = f"all {result['verdicts']:,} verdicts agree with the reference model, seed {seed}"
    console.print(f"[green]{text}[/]")
    return 0


def _clock(preset: str, settings: dict[str, Any], of: str) -> clock.Clock | None:
    """The clock that was asked for, read before anything is built.

    Raises BadInput where it is not the clock of what is measured.
    """
    mhz, synth = settings["mhz"], settings["synth"]
    if (mhz or synth) and not settings["with_software"]:
        raise BadInput(f"--{'mhz' if mhz else 'synth'} needs --software, which it is for")
    if mhz and synth:
        raise BadInput("found --mhz and --synth, expected one of them")
    if mhz:
        return clock.given_clock(mhz, of)
    if not synth:
        return None
    if of != harness.WHOLE_UNIT:
        raise BadInput(
            f"--synth {synth}: found a clock of the {harness.WHOLE_UNIT}, but the cells measure "
            f"the {of}; expected --spill as well, or --mhz"
        )
    return clock.clock_from(synth, preset)


def _cells(preset: str, choice: cells.Choice, settings: dict[str, Any]) -> int:
    speed = _clock(preset, settings, harness.MATCH_UNIT)
    plots = _plots(settings)
    array = harness.array(preset)
    chosen = cells.chosen(choice, harness.entries(preset), array)
    if settings["with_software"]:
        software.check(choice)
    results = harness.measure(preset, chosen, seed=settings["seed"], pauses=settings["pauses"])
    promised = [] if settings["pauses"] else targets.check(results, array)
    engines, rows = _beside_software(results, speed, settings)
    if settings["as_json"]:
        output.print_json(software.merged(results, rows))
    else:
        report.show(output.figures(), results, promised)
        _show_software(rows, speed)
    if plots is not None:
        plot.write(plots, results, engines, speed, array)
    missed = [one for one in promised if not one.met]
    if missed and preset in targets.PROMISED:
        names = "; ".join(f"{one.name}: found {one.worst:.3f}, {one.cell}" for one in missed)
        raise CheckFailed(f"preset {preset} misses {len(missed)} of its promises: {names}")
    return 0
