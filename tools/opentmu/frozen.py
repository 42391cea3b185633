# SPDX-License-Identifier: Apache-2.0
"""The released host interface: what drivers in the field were compiled with never moves.

A committed file for each major version holds every number of the C header that a release had:
offsets, access and bits of registers and fields, layouts of commands, completions and entries,
opcodes, statuses, doorbells, the order of counters and the numbers of presets.
Additions are fine; what was released has to stay as it was until the major version is raised.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from opentmu import paths, regs
from opentmu.errors import CheckFailed

HEADER = paths.ROOT / "sw-driver" / "include" / "tmu" / "tmu_regs.h"
FOLDER = paths.ROOT / "tests" / "generated"
# Says that there was an addition.
FREE = {"TMU_INTERFACE_MINOR"}

Interface = dict[str, str]


def interface(header: str) -> Interface:
    """Every number of a header by its name; that of a register with what software may do."""
    found: Interface = {}
    define = r"^#define (TMU_\w+) (\w+)(?: /\* (read only|read/write|write 1 to trigger):)?"
    for name, value, access in re.findall(define, header, re.MULTILINE):
        if name not in FREE:
            found[name] = f"{value} {access}".strip()
    for name, value in re.findall(r"^    (TMU_\w+) = (\d+),", header, re.MULTILINE):
        found[name] = value
    for name, value in re.findall(r'^    X\("(\w+)", (\d+),', header, re.MULTILINE):
        found[f"preset {name}"] = value
    return found


def file(major: int = regs.INTERFACE_MAJOR) -> Path:
    """The file of the committed interface of a major version."""
    return FOLDER / f"interface-{major}.json"


def released() -> Interface:
    """The released interface of the major version at hand; nothing before its first release."""
    known: Interface = json.loads(file().read_text()) if file().exists() else {}
    return known


def moved(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """A sentence for each released number that is another one or none."""
    return [
        f"{name}: found {now.get(name, 'nothing')}, released as {value}"
        for name, value in before.items()
        if now.get(name) != value
    ]


def release() -> Path:
    """Add what is new to the committed file, at a release; refuses when something moved."""
    now = interface(HEADER.read_text())
    complaints = moved(released(), now)
    if complaints:
        raise CheckFailed("the released interface has moved:\n" + "\n".join(complaints))
    file().write_text(json.dumps(now, indent=1) + "\n")
    return file()
