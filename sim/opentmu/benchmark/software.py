# SPDX-License-Identifier: Apache-2.0
"""The software engines on this machine, and the clock at which the unit is set beside them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentmu.benchmark.cells import MATCH, PAIRED, Cell
from opentmu.benchmark.harness import Result, run
from opentmu.build import cbuild
from opentmu.errors import BadInput, CheckFailed
from opentmu.progress import step

PROGRAM = "tmu-engine-bench"
DEPTH_MAX = 32000
KINDS = (*MATCH, "fifo", "hole_workload", PAIRED)
POSITIONS = ("oldest", "youngest", "random")


@dataclass(frozen=True)
class Clock:
    """A clock in MHz, from `low` to `high`, and where it comes from."""

    low: float
    high: float
    source: str

    @property
    def text(self) -> str:
        span = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{span} MHz ({self.source})"


def given_clock(mhz: float) -> Clock:
    """A clock that the caller names."""
    return Clock(mhz, mhz, "given by --mhz")


def clock_from(file: Path, preset: str) -> Clock:
    """The clock of a preset in what `tmu synth --json` printed: routed, else the estimate.

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
            return Clock(mhz, mhz, f"placed and routed on {one.get('device')}")
    for one in of_preset:
        if estimate := one.get("clock_estimate"):
            low, high = float(estimate["mhz_low"]), float(estimate["mhz_high"])
            return Clock(low, high, f"an estimate for {one.get('family')}, nothing routed")
    raise BadInput(f"--synth {file}: found no clock of preset {preset}, expected a run of it")


def measure(cells: Sequence[Cell], *, quick: bool) -> dict[str, Any]:
    """What tmu-engine-bench prints for the cells that software has too: `machine` and `cells`.

    Raises BadInput if it has none of them, CheckFailed if an engine answers wrongly.
    """
    kinds = [kind for kind in KINDS if any(cell.kind == kind for cell in cells)]
    depths = sorted({cell.depth for cell in cells if cell.depth <= DEPTH_MAX})
    # Software gives a position to kinds that have none here, so a choice would leave them out.
    every = any(cell.position not in POSITIONS for cell in cells if cell.kind in kinds)
    positions = [one for one in POSITIONS if every or any(c.position == one for c in cells)]
    if not kinds or not depths:
        raise BadInput(f"--software: found no kind that software has; those are {', '.join(KINDS)}")
    words: list[str | Path] = [cbuild.program(cbuild.ensure(), PROGRAM)]
    words += ["--kind", ",".join(kinds), "--depth", ",".join(map(str, depths))]
    words += ["--position", ",".join(positions)]
    words += ["--batches", "11"] if quick else []
    lines: list[str] = []
    with step(f"measuring the software engines, {len(kinds)} kinds at {len(depths)} depths"):
        run(words, lines.append, lambda line: None)
    try:
        found = json.loads("".join(lines))
        for one in found["cells"]:
            _ = one["engine"], one["kind"], one["depth"], one["verdicts_per_second"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise CheckFailed(f"{PROGRAM}: found {error!r}, expected an object with cells") from error
    result: dict[str, Any] = found
    return result


def compare(
    results: Sequence[Result], software: Sequence[Result], clock: Clock | None
) -> list[Result]:
    """The unit beside the best software engine: cells of receives that both have.

    `ratio` is the unit's verdicts a second at the slower end of `clock` over the engine's.
    """
    rows = []
    for result in results:
        if result["queue"] == "unexpected":
            continue
        same = [one for one in software if _same(result, one)]
        if not same:
            continue
        best = max(same, key=lambda one: float(one["verdicts_per_second"]))
        row: Result = {
            "kind": result["kind"],
            "position": result["position"],
            "depth": result["depth"],
            "software_engine": best["engine"],
            "software_verdicts_per_second": best["verdicts_per_second"],
            "verdicts_per_clock": result["verdicts_per_clock"],
        }
        if clock is not None:
            low, high = (
                result["verdicts_per_clock"] * mhz * 1e6 for mhz in (clock.low, clock.high)
            )
            row |= {"verdicts_per_second": round(low), "verdicts_per_second_high": round(high)}
            row |= {"clock": clock.text, "ratio": low / best["verdicts_per_second"]}
        rows.append(row)
    return rows


def merged(results: Sequence[Result], rows: Sequence[Result]) -> list[Result]:
    """The measured cells, each with its comparison under `software` where there is one."""
    by_place = {_place(row): row for row in rows}
    return [
        {**result, "software": by_place[_place(result)]}
        if result["queue"] != "unexpected" and _place(result) in by_place
        else result
        for result in results
    ]


def _place(row: Result) -> tuple[str, str, int]:
    return row["kind"], row["position"], row["depth"]


def _same(result: Result, other: Result) -> bool:
    same_position = result["position"] in ("none", other["position"])
    return result["kind"] == other["kind"] and result["depth"] == other["depth"] and same_position
