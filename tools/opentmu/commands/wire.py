# SPDX-License-Identifier: Apache-2.0
"""`tmu wire`: what there is on links between cards."""

import os
import sys
from pathlib import Path

import click

from opentmu.build import cbuild

PROGRAM = "tmu-decode"


@click.group()
def command() -> None:
    """Show what there is on links between cards.

    For example: tmu wire decode mine.pcapng
    """


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a frame.")
def decode(file: Path, as_json: bool) -> None:
    """Print a capture (pcapng or pcap) in words, a line a frame.

    A file that is broken ends it with the offset where it is, and exit code 2.

    For example: tmu wire decode mine.pcapng --json
    """
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, [str(program), *(["--json"] if as_json else []), "--", str(file)])
