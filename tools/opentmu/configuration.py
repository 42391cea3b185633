# SPDX-License-Identifier: Apache-2.0
"""A configuration of one's own: a preset with other values, read from a TOML file."""

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from opentmu import parameters, regs
from opentmu.errors import BadInput
from opentmu.parameters import Values

BASE = "base"
SHOWN = 8  # digits of the hash that a name shows


@dataclass(frozen=True)
class Configuration:
    """Every parameter's value, and the file that they are from."""

    file: Path
    base: str
    values: Values

    @cached_property
    def hash(self) -> str:
        """Of the values alone: the same hardware has the same hash, whatever the file is called."""
        text = json.dumps(self.values, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def name(self) -> str:
        """Its name in reports."""
        stem = re.sub(r"[^A-Za-z0-9_.]+", "_", self.file.stem)
        return f"{stem}-{self.hash[:SHOWN]}"

    @property
    def build_name(self) -> str:
        """The name of its builds."""
        return f"own-{self.hash[:16]}"

    @property
    def changed(self) -> Values:
        """The values that are not the base's."""
        usual = parameters.preset(self.base)
        return {name: value for name, value in self.values.items() if value != usual[name]}

    @property
    def chisel(self) -> str:
        """Its argument of the program that elaborates."""
        return f"{self.base}:" + ",".join(f"{k}={int(v)}" for k, v in self.values.items())

    @property
    def uri(self) -> str:
        """The functional device with its widths and sizes."""
        members = [f"{_snake(name)}={self.values[name]}" for name in parameters.functional()]
        return f"ref:{self.base}?{'&'.join(members)}"

    def preset(self) -> regs.Preset:
        """The same as the constants have presets."""
        known = {_snake(name): int(value) for name, value in self.values.items()}
        known["match_bits"] = known["context_bits"] + known["tag_bits"]
        fields = {name: known[name] for name in regs.Preset.__dataclass_fields__ if name in known}
        return regs.Preset(name=self.name, number=regs.PRESET_OWN, **fields)


def read(file: Path) -> Configuration:
    """The configuration of a file; BadInput says what in it is wrong."""
    try:
        text = file.read_text()
        found = tomllib.loads(text)
    except OSError as error:
        raise BadInput(f"{file}: found no readable file ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: found no TOML: {error}") from error
    base = found.pop(BASE, None)
    known = parameters.presets()
    if base is None:
        raise BadInput(f'{file}: found no key base, expected base = "PRESET", one of {_or(known)}')
    if base not in known:
        raise BadInput(f"{file}:{_line(text, BASE)}: base: found {base!r}, expected {_or(known)}")
    _check(file, text, found)
    values = {**parameters.preset(base), **found}
    for rule in parameters.rules():
        complaint = rule.complaint(values)
        if complaint:
            raise BadInput(f"{file}{_where(text, rule, found)}: {complaint}")
    return Configuration(file, base, values)


def _check(file: Path, text: str, found: dict[str, object]) -> None:
    """Each key and its value alone."""
    known = parameters.all_by_name()
    for name, value in found.items():
        where = f"{file}:{_line(text, name)}"
        if name not in known:
            near = get_close_matches(name, known, 1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise BadInput(
                f"{where}: found {name!r}, expected base or a parameter; {hint}"
                "`tmu config show` lists them all"
            )
        if not known[name].allows(value):
            shown = str(value).lower() if isinstance(value, bool) else repr(value)
            raise BadInput(f"{where}: {name} is {shown}; it must {known[name].must}")


def _where(text: str, rule: parameters.Rule, found: dict[str, object]) -> str:
    """The line of a rule's parameter, or of the other one where only that is in the file."""
    names = [rule.parameter, rule.other, *(rule.when or [])]
    given = [name for name in names if name in found]
    return f":{_line(text, given[0])}" if given else ""


def _line(text: str, key: str) -> int:
    """The line on which a key stands; 1 where its name is quoted or split."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line) or f"[{key}]" in line:
            return number
    return 1


def _or(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()
