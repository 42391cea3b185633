# SPDX-License-Identifier: Apache-2.0
"""The options that every command has: how much it says, and where a log of that goes."""

import sys
from pathlib import Path
from typing import Any

import click

from opentmu import paths, progress
from opentmu.errors import BadInput


def with_options(command: click.Command, name: str) -> click.Command:
    """The command with these options, and those below it; once, however often it is asked for."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            with_options(below, f"{name}-{below.name}")
        return command
    if not any(parameter.name == "log" for parameter in command.params):
        command.params += _options(name)
    return command


def _options(name: str) -> list[click.Parameter]:
    usual = paths.LOGS / f"tmu-{name}.log"

    def loud(context: click.Context, option: click.Parameter, value: bool) -> None:
        if value:
            progress.told.verbose = True

    def quiet(context: click.Context, option: click.Parameter, value: bool) -> None:
        if value and progress.told.verbose:
            raise BadInput("found --verbose and --quiet, expected one of them")
        progress.told.quiet = value

    def log(context: click.Context, option: click.Parameter, value: Path | None) -> None:
        progress.open_log(value or usual, ["tmu", *sys.argv[1:]])

    common: dict[str, Any] = {"expose_value": False}
    return [
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            callback=loud,
            help="Also say which programs are started, and how they end.",
            **common,
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            callback=quiet,
            help="Say nothing but figures and what went wrong.",
            **common,
        ),
        click.Option(
            ["--log"],
            type=click.Path(path_type=Path, dir_okay=False),
            callback=log,
            help="File that all messages are added to, as with --verbose; default: "
            f"build/log/{usual.name} of the checkout.",
            **common,
        ),
    ]
