# SPDX-License-Identifier: Apache-2.0
"""`tmu wire`: what there is on links between cards."""

from pathlib import Path

import click

from opentmu.build import cbuild
from opentmu.process import replace_by

PROGRAM = "tmu-decode"


@click.group()
def command() -> None:
    """Show what there is on links between cards.

    For example: tmu wire decode mine.pcapng
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
    options = [word for word, given in (("--json", as_json), ("--no-crc", no_crc)) if given]
    replace_by([program, *options, "--", file])
