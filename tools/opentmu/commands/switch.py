# SPDX-License-Identifier: Apache-2.0
"""`tmu switch`: a learning Ethernet switch between links, with impairments that a seed repeats."""

from pathlib import Path

import click

from opentmu import options
from opentmu.build import cbuild
from opentmu.process import replace_by

PROGRAM = "tmu-switch"


@click.command()
@click.option("--ports", type=click.IntRange(1, 64), required=True, help="How many it has.")
@click.option(
    "--socket",
    type=click.Path(path_type=Path),
    required=True,
    help="A connection to S takes the lowest free port, one to S.K takes port K.",
)
@options.impairments
@click.option("--delay", type=click.IntRange(0, 10**10), help="Nanoseconds from port to port.")
@click.option("--rate", type=click.FloatRange(1e-6, 1e6), help="Gigabits a second of each port.")
@click.option("--pcap", type=click.Path(path_type=Path), help="Capture of what comes in (pcapng).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
def command(socket: Path, as_json: bool, **values: object) -> None:
    """Join links by a learning switch, until it is interrupted; then print counters by port.

    A link is a Unix stream socket with each frame behind its length, as QEMU has it with
    -netdev stream,server=off,addr.type=unix,addr.path=S. A frame's fate depends on the seed, its
    port and its number there alone: the same frames have it again. Use S.K for the same ports.

    For example: tmu switch --ports 2 --socket /tmp/s --drop 0.01 --seed 7
    """
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    words = [str(program), "--socket", str(socket), *options.words(values)]
    words += ["--json"] if as_json else []
    replace_by(words)
