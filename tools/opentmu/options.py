# SPDX-License-Identifier: Apache-2.0
"""Which options the caller gave: one that has no effect in its combination is refused."""

from collections.abc import Iterable

import click
from click.core import ParameterSource

from opentmu.errors import BadInput


def given() -> list[str]:
    """What the command line of the running command names, as the caller types it."""
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
