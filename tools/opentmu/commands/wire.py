# SPDX-License-Identifier: Apache-2.0
"""`tmu wire`: what there is on links between cards."""

from pathlib import Path

import click

from opentmu import options, output
from opentmu.bench import simulate
from opentmu.benchmark import plot_wire, wire
from opentmu.build import cbuild
from opentmu.errors import CheckFailed
from opentmu.process import replace_by

PROGRAM = "tmu-decode"
SOAK = "tmu-wire-soak"
FUZZ = "tmu-wire-fuzz"


@click.group()
def command() -> None:
    """Show what there is on links between cards, and exchange messages over them.

    For example: tmu wire soak --messages 10000 --drop 0.01
    """


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a frame.")
@click.option("--no-crc", is_flag=True, help="Packets of Ultra Ethernet end without a CRC32C.")
def decode(file: Path, as_json: bool, no_crc: bool) -> None:
    """Print a capture (pcapng or pcap) in words, a line a frame.

    Packets of Ultra Ethernet are told with every field, or with why they would be dropped. A file
    that is broken ends it with the offset where it is, and exit code 2.

    For example: tmu wire decode mine.pcapng --json
    """
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    flags = [word for word, given in (("--json", as_json), ("--no-crc", no_crc)) if given]
    replace_by([program, *flags, "--", file])


@command.command()
@click.option("--messages", type=click.IntRange(1, 10**9), default=100_000, show_default=True)
@options.impairments
@click.option("--delay", type=click.IntRange(0, 10**7), help="Nanoseconds through the switch.")
@click.option("--rate", type=click.FloatRange(0.1, 1e6), help="Gigabits a second of each port.")
@click.option("--payload-mtu", type=click.IntRange(64, 4096), help="Bytes of a message a packet.")
@click.option("--window", type=click.IntRange(2, 128), help="Packets without an acknowledgement.")
@click.option("--quota", type=click.IntRange(1, 10**6), help="Unexpected messages kept.")
@click.option("--pcap", type=click.Path(path_type=Path), help="Capture of all frames (pcapng).")
@options.as_json
def soak(as_json: bool, **values: object) -> None:
    """Exchange tagged messages between two endpoints in software, every byte checked.

    No hardware takes part yet: both ends are the endpoint that the card's tests will talk to. A
    switch between them loses, repeats, reorders and corrupts frames. Exit code 1: something was
    lost, came twice, out of order or with a wrong byte; the message has the seed that repeats it.

    For example: tmu wire soak --messages 10000 --drop 0.01 --corrupt 0.01
    """
    program = cbuild.program(cbuild.ensure(), SOAK)
    words = [str(program), "--progress", *options.words(values)]
    words += ["--json"] if as_json else []
    replace_by(words)


@command.command()
@click.option("--packets", type=click.IntRange(1, 10**9), default=100_000, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True)
@options.as_json
def fuzz(as_json: bool, **values: object) -> None:
    """Give spoiled packets to the endpoint in software, chosen by the branches that they reach.

    The model of the wire judges what each is answered, completes, writes and counts; the program
    ends at the first byte outside of a receive. Exit code 1: something differed or took too long;
    the message has the seed that repeats it. Code of the card in hardware is not among it.

    For example: tmu wire fuzz --packets 1000000
    """
    program = cbuild.program(cbuild.ensure(), FUZZ)
    words = [str(program), "--progress", *options.words(values)]
    words += ["--json"] if as_json else []
    replace_by(words)


@command.command()
@click.option("--plots", type=click.Path(path_type=Path), help="Folder for a plot, PNG and SVG.")
@options.as_json
def bench(plots: Path | None, as_json: bool) -> int:
    """Measure what the card in hardware takes for a message that it receives, in clocks.

    From the last beat of its frames to its completion, to a receive that waits or when one comes,
    and in a stream. The card is simulated at its ports, with a unit of 32 entries a queue. Exit
    code 1: a figure is above what is promised.

    For example: tmu wire bench --plots build/plots
    """
    rows = wire.measure()
    kept = wire.promises(rows)
    if plots is not None:
        plot_wire.write(plots, rows)
    met = all(promise.met for promise in kept)
    if as_json:
        figures = {"name": simulate.CARD_CONFIGURATION.stem, "clocks": rows}
        told = [{"name": one.name, "found": one.found, "most": one.most} for one in kept]
        output.print_json({**figures, "promises": told, "ok": met})
    else:
        wire.show(output.figures(), rows, kept)
    return 0 if met else CheckFailed.exit_code
