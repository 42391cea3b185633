# SPDX-License-Identifier: Apache-2.0
"""From clocks to time: a rate and a clock that belong to the same hardware."""

import json
from dataclasses import dataclass
from pathlib import Path

from opentmu.benchmark.harness import WHOLE_UNIT, Result
from opentmu.errors import BadInput, CheckFailed


@dataclass(frozen=True)
class Clock:
    """A clock in MHz, from `low` to `high`, what hardware it is of, and where it comes from."""

    low: float
    high: float
    of: str
    source: str

    @property
    def text(self) -> str:
        span = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{span} MHz ({self.source})"


@dataclass(frozen=True)
class Pace:
    """Clocks a verdict, and of what hardware: two a clock pass the ports of the matching unit."""

    clocks_per_verdict: float
    of: str

    @classmethod
    def measured(cls, result: Result) -> "Pace":
        """That of a measured cell."""
        return cls(float(result["clocks_per_verdict"]), result["measured_at"])

    def verdicts_per_second(self, clock: Clock) -> tuple[float, float]:
        """At both ends of the clock; raises CheckFailed for the clock of other hardware."""
        if self.of != clock.of:
            raise CheckFailed(
                f"found clocks of the {self.of} and a clock of the {clock.of}, "
                "expected both of the same hardware"
            )
        return clock.low * 1e6 / self.clocks_per_verdict, clock.high * 1e6 / self.clocks_per_verdict

    def nanoseconds(self, clock: Clock) -> tuple[float, float]:
        """Of a verdict, least first; raises CheckFailed for the clock of other hardware."""
        low, high = self.verdicts_per_second(clock)
        return 1e9 / high, 1e9 / low


def given_clock(mhz: float, of: str) -> Clock:
    """A clock that the caller names, of what is measured."""
    return Clock(mhz, mhz, of, "given by --mhz")


def clock_from(file: Path, preset: str) -> Clock:
    """The clock of a preset in what `tmu synth --json` printed: routed, else the estimate.

    Both are of the whole unit, which is what `tmu synth` builds.
    Raises BadInput for a file that is no such report or has no clock of the preset.
    """
    try:
        report = json.loads(file.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadInput(
            f"--synth {file}: found {error}, expected what synth --json prints"
        ) from error
    runs = report.get("runs", [report]) if isinstance(report, dict) else []
    of_preset = [one for one in runs if isinstance(one, dict) and one.get("preset") == preset]
    for one in of_preset:
        if one.get("fmax_mhz"):
            mhz = float(one["fmax_mhz"])
            return Clock(mhz, mhz, WHOLE_UNIT, f"placed and routed on {one.get('device')}")
    for one in of_preset:
        if estimate := one.get("clock_estimate"):
            low, high = float(estimate["mhz_low"]), float(estimate["mhz_high"])
            source = f"an estimate for {one.get('family')}, nothing routed"
            return Clock(low, high, WHOLE_UNIT, source)
    raise BadInput(f"--synth {file}: found no clock of preset {preset}, expected a run of it")
