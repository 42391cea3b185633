# SPDX-License-Identifier: Apache-2.0
"""`tmu trace`: record an MPI program's matching operations; describe a trace."""

from pathlib import Path

import click

from opentmu import options, output, toolchain


@click.group()
def command() -> None:
    """Record the matching operations of an MPI program; describe a trace.

    For example: tmu trace stat mine.trace.gz
    """


@command.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    default="recorded.trace.gz",
    show_default=True,
    help="Trace to write; gzipped when its name ends in .gz.",
)
@click.option("--delay-ns", type=click.IntRange(min=0), help="Time from a send to its arrival.")
@click.option("--max-operations", type=click.IntRange(min=1), help="Cut the trace there.")
@click.option(
    "--collectives",
    is_flag=True,
    help="Also messages of collective calls, by textbook algorithms.",
)
@click.option("--meta", multiple=True, metavar="NAME=VALUE", help="A metadata line of the trace.")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def record(
    target: Path,
    delay_ns: int | None,
    max_operations: int | None,
    collectives: bool,
    meta: tuple[str, ...],
    words: tuple[str, ...],
) -> int:
    """Run an MPI command and write what its ranks asked of message matching.

    For example: tmu trace record -o ring.trace.gz -- mpirun -n 4 ./ring

    Needs Open MPI, which is installed at the first recording when tmu runs as root.
    """
    from opentmu.record import cli

    given = dict(_pair(text) for text in meta)
    toolchain.need_mpi()
    delay = cli.DEFAULT_DELAY_NS if delay_ns is None else delay_ns
    cli.record(
        words, target, delay, max_operations=max_operations, given=given, collectives=collectives
    )
    return 0


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--meta {text}: found no '=', expected NAME=VALUE")
    return name, value


@command.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--plot", type=click.Path(path_type=Path), help="Histograms as a figure (PNG).")
@options.as_json
def stat(trace: Path, plot: Path | None, as_json: bool) -> int:
    """Describe a trace: depths, search positions, wildcards, bits in use.

    The reference model replays it without limits; positions and depths are the model's.

    For example: tmu trace stat mine.trace.gz --plot mine.png
    """
    from opentmu.analysis import load, show, statistics

    replayed, metadata = load.replay(trace)
    figures = {"trace": str(trace), **statistics.statistics(replayed, metadata)}
    if plot is not None:
        from opentmu.analysis.plot import histograms

        histograms(replayed, trace.name, plot)
    if as_json:
        output.print_json(figures)
    else:
        show.show(output.figures(), str(trace), figures)
    return 0
