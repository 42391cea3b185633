# SPDX-License-Identifier: Apache-2.0
"""Switches of mutants: the modules that a design elaborated with --mutants leaves without a body.

hw/src/tmu/mutant/Mutant.scala makes them, one module for each name.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from opentmu.errors import CheckFailed

PREFIX = "Mutant_"
INSTANCE = re.compile(rf"^  {PREFIX}(\w+) \w+ \($", re.MULTILINE)

# Bodies of a switch in a simulation: on by the argument +mutant=NAME, or by a file NAME in the
# folder where it runs, for what takes no arguments.
ARGUMENT = """module Mutant_{name}(output on);
  reg [511:0] asked;
  reg chosen;
  initial chosen = $value$plusargs("mutant=%s", asked) && asked == "{name}";
  assign on = chosen;
endmodule
"""
FILE = """module Mutant_{name}(output on);
  integer file;
  reg chosen;
  initial begin
    file = $fopen("{name}", "r");
    chosen = file != 0;
    if (file != 0) $fclose(file);
  end
  assign on = chosen;
endmodule
"""


def argument(name: str) -> str:
    """Argument of a simulation that switches this mutant on."""
    return f"+mutant={name}"


def switches(design: Path) -> list[tuple[str, Path]]:
    """The mutants of a design, in order, each with the folder of the modules that have it.

    Raises CheckFailed when it has none: it was not elaborated with --mutants.
    """
    found = {
        (name, file.parent)
        for file in design.rglob("*.sv")
        for name in INSTANCE.findall(file.read_text())
    }
    if not found:
        raise CheckFailed(f"{design}: found no module {PREFIX}*, expected a switch for each mutant")
    return sorted(found)


def names(design: Path) -> list[str]:
    """The mutants of a design, in order; raises CheckFailed when it has none."""
    return sorted({name for name, _ in switches(design)})


def require(design: Path, wanted: Iterable[str]) -> None:
    """Raise CheckFailed unless the design has all these mutants."""
    missing = sorted(set(wanted) - set(names(design)))
    if missing:
        raise CheckFailed(
            f"{design}: found no mutants {', '.join(missing)}, expected a switch each"
        )


def simulated(design: Path, body: str) -> str:
    """The bodies of a design's switches for a simulation: ARGUMENT or FILE for each."""
    return "".join(body.format(name=name) for name in names(design))


def constant(name: str, on: bool) -> str:
    """The body of a switch for a proof."""
    return f"module {PREFIX}{name}(output on);\n  assign on = 1'b{on:d};\nendmodule\n"
