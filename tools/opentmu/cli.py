# SPDX-License-Identifier: Apache-2.0
"""The command line: names of the subcommands, failures to exit codes.

A subcommand's module is imported when it is used, so that `--help` stays quick.
"""

import importlib
import signal
import sys
from collections.abc import Sequence

import click

from opentmu import __version__, children, common, progress
from opentmu.errors import TmuError

# Name -> the sentence of `tmu --help`; the module is opentmu.commands.<name>.
COMMANDS = {
    "run": "Replay traffic through driver, device and RTL; check every verdict.",
    "test": "Run all tests; CI runs this.",
    "trace": "Record the matching operations of an MPI program; describe a trace.",
    "mpi": "Run an MPI program whose messages the unit matches; check every verdict.",
    "provider": "Build the libfabric provider; print the lines that make programs use it.",
    "device": "Serve the simulated unit as a PCI device to other processes.",
    "switch": "Join links by a learning switch that can lose, repeat and reorder frames.",
    "wire": "Print captures of links in words; soak, fuzz and measure cards.",
    "vm": "Run a command in a virtual machine that has the unit as a PCI device.",
    "faults": "Flip bits of what the unit stores; judge every answer.",
    "bench": "Measure the matching unit in clocks by depth; check every verdict.",
    "synth": "Report a preset's resources and clock on an FPGA.",
    "config": "Show, check or describe a configuration of your own.",
    "verilog": "Write a preset's SystemVerilog.",
    "generate": "Write the committed files that come from the Chisel contract.",
    "docs": "Build the documents as a site with search; check every link.",
    "completion": "Print a script that completes command lines in a shell.",
    "doctor": "Say which tools are there, and how to get those that are not.",
}


class LazyGroup(click.Group):
    """Lists the commands without importing them."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"opentmu.commands.{name}")
        command: click.Command = module.command
        return common.with_options(command, name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            known = ", ".join(COMMANDS)
            raise click.UsageError(f"no command {args[0]!r}; the commands are {known}")
        return super().resolve_command(context, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tmu")
def tmu() -> None:
    """OpenTMU, an open tag-matching unit for MPI network cards.

    Figures and JSON go to standard output, progress and messages to standard error.
    Exit codes: 0 all well, 1 a difference or a failed check, 2 bad input or usage,
    3 a tool or package is missing on the machine, 128 + N ended by signal N.

    For example: tmu run --preset tiny
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; every failure ends in a sentence and its exit code."""
    progress.told = progress.Told()
    try:
        with children.watched():
            return _main(arguments)
    except children.Ended as error:
        name = signal.Signals(error.number).name
        progress.warn(f"ended by {name}, with all that it had started")
        return 128 + error.number


def _main(arguments: Sequence[str] | None) -> int:
    try:
        code = tmu.main(
            list(arguments) if arguments is not None else None,
            prog_name="tmu",
            standalone_mode=False,
        )
    except click.ClickException as error:
        progress.note(error.format_message())
        error.show()
        return 2
    except TmuError as error:
        # Without a text, the program that failed has said why already.
        if str(error):
            progress.warn(str(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        progress.warn("interrupted; a half-made build is made again next time")
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`tmu ... | head`).
        sys.stderr.close()
        return 1
    except OSError as error:
        # A file or folder that was named cannot be read or written.
        progress.warn(str(error))
        return 2
    return code if isinstance(code, int) else 0
