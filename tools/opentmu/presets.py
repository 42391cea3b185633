# SPDX-License-Identifier: Apache-2.0
"""Configurations by their names: the presets, and those of one's own that this run was given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from opentmu import configuration, parameters, regs
from opentmu.configuration import Configuration
from opentmu.errors import BadInput

# Quick to build, with an endpoint for each rank of the committed traces.
DEFAULT = "small"
# The unit that is meant: what is measured, and what a card gets, without --preset.
WHOLE = "nic"
PROOFS_ONLY = "formal"
FULL_KEY = (64, 32)  # match bits and source bits of the formats

_OWN: dict[str, Configuration] = {}
_Command = TypeVar("_Command", bound=Callable[..., Any])


def names() -> list[str]:
    return list(regs.PRESETS)


def use(file: Path) -> str:
    """Read a configuration file; from then on its name, which is returned, is known here."""
    found = configuration.read(file)
    _OWN[found.name] = found
    return found.name


def own(name: str) -> Configuration | None:
    """The configuration of one's own with this name, if it is none of the presets."""
    return _OWN.get(name)


def find(name: str) -> regs.Preset:
    """The numbers of a preset or of a configuration of one's own."""
    found = own(name)
    return found.preset() if found else regs.PRESETS[name]


def has_network(name: str) -> bool:
    """Whether the configuration has the numbers of a card."""
    found = own(name)
    values = found.values if found else parameters.preset(name)
    return values["pdcs"] > 0


def build_name(name: str) -> str:
    """Name of builds: a configuration of one's own is named by its content."""
    found = own(name)
    return found.build_name if found else name


def chisel(name: str) -> str:
    """Argument that names the configuration to the program that elaborates."""
    found = own(name)
    return found.chisel if found else name


def functional(name: str, engine: str | None = None) -> str:
    """The URI of the functional device, by the model or by a software engine."""
    found = own(name)
    uri = found.uri if found else f"ref:{name}"
    return uri if engine is None else f"{uri}{'&' if found else '?'}engine={engine}"


def check(name: str) -> str:
    """The name itself, or BadInput naming the presets that exist."""
    known = names()
    if name not in known and own(name) is None:
        raise BadInput(f"no preset {name!r}; the presets are {', '.join(known)}")
    return name


def check_replayable(name: str) -> str:
    """As `check`, and the preset has to carry handles and keys that a trace can have."""
    if check(name) == PROOFS_ONLY:
        raise BadInput(
            f"preset {name!r} has narrow keys and handles, for proofs only: a trace does not fit; "
            f"use one of {', '.join(n for n in names() if n != name)}"
        )
    return name


def check_full_keys(name: str, what: str) -> str:
    """As `check_replayable`, for what draws keys of all bits."""
    found = find(check_replayable(name))
    if (found.match_bits, found.source_bits) != FULL_KEY:
        raise BadInput(
            f"{what}: configuration {name} keeps {found.match_bits} match bits and "
            f"{found.source_bits} source bits, expected all {FULL_KEY[0]} and {FULL_KEY[1]}"
        )
    return name


def options(
    default: str | None = DEFAULT, text: str = "Configuration."
) -> Callable[[_Command], _Command]:
    """The options --preset and --config, which give a command its `preset`."""

    def decorate(command: _Command) -> _Command:
        own_file = click.option(
            "--config",
            metavar="FILE.toml",
            type=click.Path(path_type=Path),
            callback=_config,
            is_eager=True,
            expose_value=False,
            help="A configuration of your own instead (docs/configuration.md).",
        )
        shown = default is not None
        named = click.option(
            "--preset", default=default, show_default=shown, callback=_preset, help=text
        )
        return named(own_file(command))

    return decorate


def _config(context: click.Context, option: click.Parameter, file: Path | None) -> None:
    context.meta[__name__] = None if file is None else use(file)


def _preset(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    given: str | None = context.meta.get(__name__)
    if given is None:
        return name
    if context.get_parameter_source("preset") is ParameterSource.COMMANDLINE:
        raise click.UsageError("found --preset and --config, expected one of them")
    return given
