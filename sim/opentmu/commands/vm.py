# SPDX-License-Identifier: Apache-2.0
"""`tmu vm`: a command in a virtual machine that has the simulated unit as a PCI device."""

import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from opentmu import presets
from opentmu.build import cbuild, verilate
from opentmu.commands import device
from opentmu.errors import BadInput
from opentmu.progress import step
from opentmu.vm import guest

PROGRAMS = ("tmu-info", "tmu-ping", "tmu-replay")


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--preset", default=presets.DEFAULT, show_default=True, help="Configuration.")
@click.option(
    "--iommu/--no-iommu", default=True, show_default=True, help="Whether the machine has an IOMMU."
)
@click.argument("words", nargs=-1, required=True, metavar="COMMAND [ARGUMENT]...")
def command(preset: str, iommu: bool, words: tuple[str, ...]) -> int:
    """Run a command in a virtual machine with the simulated unit as a PCI device.

    The device is vfio:0000:00:05.0 there. Commands are tmu-info, tmu-ping, tmu-replay and those of
    busybox. QEMU and a kernel are fetched when this is first used.

    For example: tmu vm --preset tiny tmu-ping vfio:0000:00:05.0
    """
    presets.check_replayable(preset)
    guest.need()
    folder = cbuild.ensure()
    server = cbuild.program(folder, device.PROGRAM)
    library = verilate.library(preset)
    programs = [cbuild.program(folder, name) for name in PROGRAMS]
    script = (guest.BIND if iommu else "") + shlex.join(words) + "\n"
    with TemporaryDirectory(prefix="tmu-vm-") as place:
        socket = Path(place) / "socket"
        started = [str(server), "--library", str(library), "--socket", str(socket)]
        with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as process:
            try:
                _wait_for(process, socket)
                with step("running the virtual machine"):
                    ran = guest.run(script, programs, socket, iommu=iommu)
            finally:
                process.terminate()
    click.echo(ran.output, nl=False)
    return ran.exit_code


def _wait_for(process: "subprocess.Popen[str]", socket: Path) -> None:
    """Until the device listens; it says so."""
    assert process.stderr is not None
    said = process.stderr.readline()
    if f" at {socket}" not in said:
        raise BadInput(said.strip())
