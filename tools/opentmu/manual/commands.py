# SPDX-License-Identifier: Apache-2.0
"""The page of `./tmu`, from the help of its commands.

All are on one page, for `tmu-device` is the name of a program as well.
"""

import inspect
import re

import click

from opentmu.cli import tmu
from opentmu.manual import roff


def page(version: str) -> str:
    """The manual page tmu(1)."""
    context = click.Context(tmu, info_name="tmu")
    parts = [
        roff.head("tmu", 1, "front door of OpenTMU, the open tag-matching unit", version),
        roff.section("synopsis", roff.literal("./tmu COMMAND [OPTIONS]")),
        roff.section("description", _prose(tmu) + _options(tmu, context)),
        ".SH COMMANDS\n",
        *(_command(tmu, context, name) for name in tmu.list_commands(context)),
        roff.section("see also", "libtmu(3), fi_tmu(7), tmu\\-info(1), tmu\\-share(1)\n"),
    ]
    return "".join(parts)


def _command(group: click.Group, parent: click.Context, name: str) -> str:
    """The part of a command, and of those below it."""
    command = group.get_command(parent, name)
    if command is None or command.hidden:
        return ""
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    text = roff.subsection(f"./{context.command_path}", roff.literal(f"./{usage}"))
    text += _prose(command) + _options(command, context)
    if isinstance(command, click.Group):
        below = command.list_commands(context)
        text += "".join(_command(command, context, one) for one in below)
    return text


def _prose(command: click.Command) -> str:
    """The help of a command: click keeps the lines of a paragraph that starts with a backspace."""
    text = inspect.cleandoc(command.help or "").partition("\f")[0]
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    return "".join(
        roff.literal(part.removeprefix("\b\n")) if part.startswith("\b") else roff.paragraph(part)
        for part in paragraphs
    )


def _options(command: click.Command, context: click.Context) -> str:
    records = (option.get_help_record(context) for option in command.get_params(context))
    return roff.items(record for record in records if record is not None)
