# SPDX-License-Identifier: Apache-2.0
"""`tmu config`: parameters of a configuration, whether a file is legal, and the schema of one."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from opentmu import configuration, options, output, parameters, presets
from opentmu.parameters import Values


@click.group()
def command() -> None:
    """Show, check or describe a configuration of your own.

    A file in TOML names a preset and what is different; every command with --preset takes it with
    --config (docs/configuration.md).

    For example: tmu config show --preset nic
    """


@command.command()
@presets.options(text="Configuration to show.")
@options.as_json
def show(preset: str, as_json: bool) -> int:
    """Print every parameter of a preset or a file: value, range and meaning.

    For example: tmu config show --preset nic
    """
    presets.check(preset)
    own = presets.own(preset)
    values = own.values if own else parameters.preset(preset)
    base = own.base if own else preset
    if as_json:
        output.print_json({"name": preset, "base": base, "values": values})
    else:
        _table(output.figures(), preset, base, values)
    return 0


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@options.as_json
def check(file: Path, as_json: bool) -> int:
    """Say whether a file is a configuration that can be built.

    Ranges and rules are those that the hardware's source states; nothing is built.

    For example: tmu config check mine.toml
    """
    own = configuration.read(file)
    if as_json:
        result: dict[str, Any] = {"name": own.name, "base": own.base, "changed": own.changed}
        output.print_json({**result, "values": own.values})
        return 0
    words = ", ".join(f"{name} {_shown(value)}" for name, value in own.changed.items())
    text = f"{file}: legal; {own.name} is {own.base} with {words or 'nothing changed'}"
    output.figures().print(text, markup=False, highlight=False, soft_wrap=True)
    return 0


@command.command()
def schema() -> int:
    """Print the JSON Schema of a configuration file, for editors."""
    output.print_json(parameters.json_schema())
    return 0


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:,}"


def _table(console: Console, name: str, base: str, values: Values) -> None:
    usual = parameters.preset(base)
    table = Table("parameter", "value", base, "must", "meaning", title=name, box=None)
    for column in table.columns[1:3]:
        column.justify = "right"
    if base == name:
        table.columns.pop(2)
    for one in parameters.all_by_name().values():
        value = values[one.name]
        was = [] if base == name else ["" if value == usual[one.name] else _shown(usual[one.name])]
        table.add_row(one.name, _shown(value), *was, one.must, one.help)
    console.print(table)
