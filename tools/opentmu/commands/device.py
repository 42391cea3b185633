# SPDX-License-Identifier: Apache-2.0
"""`tmu device`: the simulated unit as a PCI device in a process of its own, over vfio-user."""

import os
from pathlib import Path

import click

from opentmu import presets
from opentmu.build import cbuild, verilate
from opentmu.errors import BadInput
from opentmu.process import replace_by
from opentmu.replay import engine

PROGRAM = "tmu-device"
# The kernel's limit of a socket's path.
PATH_MAX = 107


@click.command()
@presets.options()
@click.option(
    "--socket",
    type=click.Path(path_type=Path),
    default=Path("tmu.socket"),
    show_default=True,
    help="Where clients find the device, as vfu:PATH.",
)
@click.option("--pauses", type=click.IntRange(min=0), help="Seed of random pauses.")
@click.option(
    "--memory-latency",
    type=click.IntRange(min=1, max=10000),
    help="Clocks to spill memory and back.",
)
@click.option("--wave", type=click.Path(path_type=Path), help="FST wave of all that it does.")
@click.option(
    "--window", is_flag=True, help="With --wave: only between two SIGUSR2, as often as they come."
)
@click.option("--stats", is_flag=True, help="Print what happened at the end, as a line of JSON.")
def command(
    preset: str,
    socket: Path,
    pauses: int | None,
    memory_latency: int | None,
    wave: Path | None,
    window: bool,
    stats: bool,
) -> int:
    """Serve the simulated unit as a PCI device, until it is interrupted.

    One program at a time opens it, with the URI vfu:PATH, one after the other; each finds the unit
    as after power-up. SIGUSR1 prints what happened so far as a line of JSON, SIGUSR2 pauses
    the waveform, or has it go on.

    For example: tmu device --preset tiny --socket /tmp/tmu.socket
    """
    presets.check_replayable(preset)
    path = socket.absolute()
    check_socket(path)
    engine.check_wave(wave)
    if window and wave is None:
        raise BadInput("--window: found no --wave FILE beside it, expected one")
    program = cbuild.program(cbuild.ensure(), PROGRAM)
    library = verilate.library(preset, wave=wave is not None)
    options = {
        "pauses": pauses,
        "memory_latency": memory_latency,
        "window" if window else "wave": None if wave is None else wave.absolute(),
    }
    query = "&".join(f"{name}={value}" for name, value in options.items() if value is not None)
    words = [str(program), "--library", f"{library}?{query}" if query else str(library)]
    words += ["--socket", str(path), *(["--stats"] if stats else [])]
    replace_by(words)


def check_socket(path: Path) -> None:
    """Refuse a path where no socket can be, before anything is built."""
    found = len(os.fsencode(path))
    if found > PATH_MAX:
        raise BadInput(f"--socket {path}: found {found} characters, expected {PATH_MAX} at most")
    if not path.parent.is_dir():
        raise BadInput(f"--socket {path}: found no folder {path.parent}, expected one")
    if path.exists() and not path.is_socket():
        raise BadInput(f"--socket {path}: found a file there, expected a socket or nothing")
