# SPDX-License-Identifier: Apache-2.0
"""`tmu vm`: a command in a virtual machine that has the simulated unit as a PCI device."""

import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from opentmu import children, presets
from opentmu.build import cbuild, kernel, verilate
from opentmu.commands import device
from opentmu.errors import BadInput
from opentmu.progress import step
from opentmu.vm import guest

PROGRAMS = ("tmu-info", "tmu-ping", "tmu-replay")
DRIVERS = ("vfio-pci", "tmu")


# Words behind the command's name are the command's, options included.
@click.command(context_settings={"allow_interspersed_args": False})
@presets.options()
@click.option(
    "--iommu/--no-iommu", default=True, show_default=True, help="Whether the machine has an IOMMU."
)
@click.option(
    "--driver",
    type=click.Choice(DRIVERS),
    default=DRIVERS[0],
    show_default=True,
    help="What Linux has the device with: vfio-pci, or the kernel driver tmu.",
)
@click.argument("words", nargs=-1, required=True, metavar="COMMAND [ARGUMENT]...")
def command(preset: str, iommu: bool, driver: str, words: tuple[str, ...]) -> int:
    """Run a command in a virtual machine with the simulated unit as a PCI device.

    The device is vfio:0000:00:05.0 there, and with --driver tmu it is dev:/dev/tmu0. Commands are
    tmu-info, tmu-ping, tmu-replay and those of busybox. QEMU and a kernel are fetched when this is
    first used.

    For example: tmu vm --preset tiny tmu-ping vfio:0000:00:05.0
    """
    presets.check_replayable(preset)
    guest.need()
    head, files = _given_to(driver, iommu)
    folder = cbuild.ensure()
    server = cbuild.program(folder, device.PROGRAM)
    library = verilate.library(preset)
    programs = [cbuild.program(folder, name) for name in PROGRAMS]
    script = f"{head}{shlex.join(words)}\n"
    with TemporaryDirectory(prefix="tmu-vm-") as name:
        socket = Path(name) / "socket"
        started = [str(server), "--library", str(library), "--socket", str(socket)]
        with children.start(started, stderr=subprocess.PIPE, text=True) as process:
            try:
                _wait_for(process, socket)
                with step("running the virtual machine"):
                    ran = guest.run(script, programs, socket, files=files, iommu=iommu)
            finally:
                children.end(process)
    click.echo(ran.output, nl=False)
    return ran.exit_code


def _given_to(driver: str, iommu: bool) -> tuple[str, dict[str, Path]]:
    """The head of the script, and the files that it needs."""
    if driver == "tmu":
        return guest.load(), {guest.DRIVER: kernel.module()}
    # Without an IOMMU vfio-pci does not take the device.
    return guest.BIND if iommu else "", {}


def _wait_for(process: "subprocess.Popen[str]", socket: Path) -> None:
    """Until the device listens; it says so."""
    assert process.stderr is not None
    said = process.stderr.readline()
    if f" at {socket}" not in said:
        raise BadInput(said.strip())
