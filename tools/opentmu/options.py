# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, and which of them the caller gave.

One that has no effect in its combination is refused.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from opentmu.errors import BadInput

Command = TypeVar("Command", bound=Callable[..., Any])


as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def spill(whom: str) -> Callable[[Command], Command]:
    """The option --spill: how much memory the driver registers with `whom`."""
    return click.option(
        "--spill",
        type=click.IntRange(min=0),
        help=f"Segments of memory registered with {whom}, 0 is none; default: all that it takes.",
    )


def engine(names: Sequence[str], words: str) -> Callable[[Command], Command]:
    """The option --engine: what decides; the hardware unless the caller says otherwise."""
    return click.option(
        "--engine", type=click.Choice(names), default="rtl", show_default=True, help=words
    )


def impairments(function: Command) -> Command:
    """Options of a switch that loses, repeats, reorders and corrupts frames as a seed has it."""
    chance = click.FloatRange(0, 1)
    seeds = click.IntRange(0, 2**64 - 1)
    for option in (
        click.option("--seed", type=seeds, default=1, show_default=True),
        click.option(
            "--corrupt", type=chance, help="Chance that a bit behind its header is flipped."
        ),
        click.option(
            "--reorder", type=chance, help="Chance that it lets 1 to 4 frames of its port pass."
        ),
        click.option("--duplicate", type=chance, help="Chance that it comes twice."),
        click.option("--drop", type=chance, help="Chance that a frame is lost."),
    ):
        function = option(function)
    return function


def words(options: Mapping[str, object]) -> list[str]:
    """Arguments of a program: each option that has a value, by its name."""
    return [
        word
        for name, value in options.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]


def given() -> list[str]:
    """Options and arguments given to the running command, as the caller types them."""
    context = click.get_current_context()
    return [
        parameter.opts[-1]
        if isinstance(parameter, click.Option)
        else parameter.make_metavar(context)
        for parameter in context.command.params
        if parameter.name is not None
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]


def refuse(reason: str, unless: Iterable[str]) -> None:
    """Raise BadInput for whatever was given beside `unless`; `reason` says what takes nothing else.

    Options that every command has are no matter.
    """
    allowed = {*unless, "--json", "--verbose", "--quiet", "--log"}
    if extra := [name for name in given() if name not in allowed]:
        raise BadInput(f"{reason}; found {', '.join(extra)}")
