# SPDX-License-Identifier: Apache-2.0
"""A chain of cells between two registers, and the clock that a rule of thumb makes of it."""

from dataclasses import asdict, dataclass
from typing import Any

# Nanoseconds on UltraScale+: out of one register and into the next, and a LUT with its wires.
# A rule of thumb for logic of short wires; nothing here was placed, routed or timed.
REGISTER_NS = (0.20, 0.25)
LEVEL_NS = (0.40, 0.45)
RULE = (
    "estimate, not timed: period = 0.20..0.25 ns for clock-to-output and setup + 0.40..0.45 ns a "
    "level; a level is a LUT with its local wires, carry chains and wide multiplexers count 0, the "
    "read of a block memory 2"
)


@dataclass(frozen=True)
class Step:
    """One cell on a chain and the net behind it, empty where the design has no name for it."""

    kind: str
    name: str
    net: str
    levels: int

    def below(self, instance: str) -> "Step":
        net = f"{instance}.{self.net}" if self.net else ""
        return Step(self.kind, f"{instance}.{self.name}", net, self.levels)


@dataclass(frozen=True)
class Chain:
    """A chain from register to register; `levels` counts LUTs, and 2 for a block memory's read."""

    start: str
    end: str
    levels: int
    steps: list[Step]

    def below(self, instance: str) -> "Chain":
        steps = [step.below(instance) for step in self.steps]
        return Chain(f"{instance}.{self.start}", f"{instance}.{self.end}", self.levels, steps)

    def report(self) -> dict[str, Any]:
        """As `critical_path` of the JSON report."""
        steps = [asdict(step) for step in self.steps]
        return {"from": self.start, "to": self.end, "levels": self.levels, "steps": steps}


def clock_estimate(levels: int) -> dict[str, Any]:
    """Clock in MHz that the rule of thumb gives a chain of so many levels."""
    low, high = (1000 / (REGISTER_NS[i] + levels * LEVEL_NS[i]) for i in (1, 0))
    return {
        "estimate": True,
        "levels": levels,
        "mhz_low": round(low),
        "mhz_high": round(high),
        "rule": RULE,
    }
