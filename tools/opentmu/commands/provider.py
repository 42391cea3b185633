# SPDX-License-Identifier: Apache-2.0
"""`tmu provider`: builds the libfabric provider and prints the lines to use it."""

import os
import shlex

import click

from opentmu import options, output
from opentmu.errors import BadInput
from opentmu.mpi import library, provider

DEFAULT_URI = "ref:tiny"


@click.command()
@click.option(
    "--uri",
    default=DEFAULT_URI,
    show_default=True,
    help="Device to match with: ref:PRESET, sim:LIBRARY, share:SOCKET, dev:FILE, vfu:SOCKET.",
)
@click.option(
    "--mpi",
    type=click.Choice(list(library.CHOICES)),
    help="Also what this MPI has to know; without it, a program of libfabric needs no more.",
)
@options.as_json
def command(uri: str, mpi: str | None, as_json: bool) -> None:
    """Build the libfabric provider and print the lines that make programs use it.

    The lines are for a shell: eval "$(./tmu provider --mpi system)", and then mpirun as usual.

    For example: tmu provider --mpi system
    """
    if not uri:
        raise BadInput("--uri: found nothing, expected a device, for example ref:tiny")
    chosen = library.choose(mpi) if mpi is not None else None
    folder = provider.folder()
    if chosen is not None:
        library.check_provider(chosen, folder / provider.NAME)
    settings = environment(str(folder), uri, chosen)
    if as_json:
        report = {"library": str(folder / provider.NAME), "uri": uri, "environment": settings}
        output.print_json(report)
        return
    for name, value in settings.items():
        print(f"export {name}={shlex.quote(value)}")


def environment(folder: str, uri: str, chosen: library.Library | None) -> dict[str, str]:
    """The variables to set, beside what the caller has set already."""
    callers = dict(os.environ)
    searched = callers.get("FI_PROVIDER_PATH", "")
    known = searched.split(":") if searched else []
    path = searched if folder in known else ":".join([folder, *known])
    settings = {"FI_PROVIDER_PATH": path, "TMU_URI": uri}
    if chosen is None:
        return settings
    needed = chosen.environment(callers)
    return settings | {n: v for n, v in needed.items() if callers.get(n) != v}
