# SPDX-License-Identifier: Apache-2.0
"""The parameters of a configuration: names, ranges, rules and help, as Chisel has them.

`parameters.json` is written by Chisel from the ranges and rules that its own case class checks, so
a configuration is judged here as there, without a JVM.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("parameters.json")
FLAG = "flag"

Value = int | bool
Values = dict[str, Value]


def _power_of_two(value: int, low: int, high: int) -> bool:
    return low <= value <= high and value & (value - 1) == 0


# By the kind of range: whether a number lies in it.
_ALLOWED: dict[str, Callable[[int, list[int]], bool]] = {
    "power of two": lambda value, bounds: _power_of_two(value, *bounds),
    "none or power of two": lambda value, bounds: value == 0 or _power_of_two(value, *bounds),
    "between": lambda value, bounds: bounds[0] <= value <= bounds[1],
    "one of": lambda value, known: value in known,
}


@dataclass(frozen=True)
class Parameter:
    """One parameter; `must` completes the sentence that begins with "it must"."""

    name: str
    kind: str
    numbers: list[int]
    must: str
    help: str

    def allows(self, value: object) -> bool:
        """Whether it can have this value, of any type."""
        if self.kind == FLAG:
            return isinstance(value, bool)
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and _ALLOWED[self.kind](int(str(value)), self.numbers)

    def schema(self) -> dict[str, Any]:
        """The parameter in JSON Schema."""
        head = {"description": self.help}
        if self.kind == FLAG:
            return {**head, "type": "boolean"}
        if self.kind == "between":
            low, high = self.numbers
            return {**head, "type": "integer", "minimum": low, "maximum": high}
        return {**head, "type": "integer", "enum": self.choices()}

    def choices(self) -> list[int]:
        """All values of a range that is no interval."""
        if self.kind == "one of":
            return self.numbers
        low, high = self.numbers
        powers = [1 << n for n in range(high.bit_length()) if low <= 1 << n <= high]
        return [0, *powers] if self.kind.startswith("none") else powers


@dataclass(frozen=True)
class Rule:
    """A parameter, or two to its power, is at least so many times another one, or more."""

    parameter: str
    times: int
    other: str
    strict: bool
    power: bool
    when: list[str] | None
    text: str

    def complaint(self, values: Mapping[str, Value]) -> str | None:
        """Complaint if the rule does not hold, else None."""
        if self.when is not None and values[self.when[0]] <= values[self.when[1]]:
            return None
        subject, found = self.parameter, int(values[self.parameter])
        if self.power:
            subject, found = f"2 to the power of {subject}", 2**found
        least = self.times * values[self.other]
        if found > least or (found == least and not self.strict):
            return None
        bound = "more than " if self.strict else "at least "
        bound += "" if self.times == 1 else f"{self.times} times "
        bound += f"{self.other}, {values[self.other]}"
        return f"{subject} is {found}; it must be {bound}: {self.text}"


@cache
def _file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


@cache
def all_by_name() -> dict[str, Parameter]:
    """Every parameter, in the order of the case class."""
    return {one["name"]: Parameter(**one) for one in _file()["parameters"]}


@cache
def rules() -> list[Rule]:
    """Rules between two parameters."""
    return [Rule(**one) for one in _file()["rules"]]


def complaint(values: Mapping[str, Value]) -> str | None:
    """Complaint about the values of all parameters, as Chisel words it; None if legal."""
    for one in all_by_name().values():
        value = values[one.name]
        if not one.allows(value):
            shown = str(value).lower() if isinstance(value, bool) else value
            return f"{one.name} is {shown}; it must {one.must}"
    return next((found for rule in rules() if (found := rule.complaint(values))), None)


def functional() -> list[str]:
    """The parameters that the functional device takes in its URI."""
    return list(_file()["functional"])


def preset(name: str) -> Values:
    """The values of a preset."""
    return dict(_file()["presets"][name])


def presets() -> list[str]:
    """The presets, in the order of their numbers."""
    return list(_file()["presets"])


def json_schema() -> dict[str, Any]:
    """The schema of a configuration file, for editors; rules between parameters are not in it."""
    base = {"description": "The preset that all other values are of.", "enum": presets()}
    own = {name: one.schema() for name, one in all_by_name().items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of an OpenTMU unit",
        "type": "object",
        "required": ["base"],
        "additionalProperties": False,
        "properties": {"base": base, **own},
    }
