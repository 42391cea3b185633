# SPDX-License-Identifier: Apache-2.0
"""Makes the slowest ways of a routed design shorter: moves a few cells, and routes their nets anew.

The placer works on estimates and is done when the router begins; of 90,000 ends a few dozen are
late then, and the clock is that of the worst. nextpnr takes back a design that it has written, and
routes what has no wires, with the wires of all others where they are; the clock is its own figure
for what comes out (docs/decisions/0038-cells-moved-after-routing.md).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentmu.build import fpga
from opentmu.errors import CheckFailed
from opentmu.process import tail
from opentmu.progress import step
from opentmu.synth import pnr, timing, tools
from opentmu.synth.moves import Move, Mover
from opentmu.synth.placed import Placed
from opentmu.synth.timing import Timing

# At most so many rounds, and moves in one of them. Each round unsettles some wires of others.
MOST_ROUNDS = 8
MOST_MOVES = 60
# Wires do not come out as they are estimated: a way is late that ends so much before the period.
MARGIN_PS = 150.0
# What our sum of a way's delays may differ from nextpnr's, which has two decimals of a MHz.
ROUNDED_MHZ = 0.02
# The router that gives others' wires to a net only where there is no other way, once it does not
# weigh them by time, and that has nothing to do where wires are.
ROUTER = {"router": "router1", "timing_driven": f"{0:032b}"}
ROUNDS, MOVED = "repair.json", "moved.json"


@dataclass(frozen=True)
class Round:
    """The files of a routed design: itself, its delays, and nextpnr's report."""

    routed: Path
    delays: Path
    report: Path

    def fmax(self) -> float:
        """The clock in MHz that nextpnr says it reaches."""
        return pnr.fmax(json.loads(self.report.read_text()))

    def forget(self) -> None:
        """Remove the large ones."""
        self.routed.unlink()
        self.delays.unlink()


def run(folder: Path, settings: pnr.Settings, log: Path) -> None:
    """Repair what pnr.run has left in `folder` until it meets the clock that is aimed at.

    report.json is that of the best round then. repair.json has the clock before, the rounds with
    the cells that were moved and the clock in MHz, and how many of them were kept; a round in which
    a net found no way has no clock, and is the last. Raises CheckFailed if nextpnr finds a cell
    where it may not be, or delays are not what it says.
    """
    last = best = Round(folder / pnr.ROUTED, folder / pnr.DELAYS, folder / pnr.REPORT)
    before, kept = best.fmax(), 0
    rounds: list[dict[str, Any]] = []
    while last.fmax() < settings.freq and len(rounds) < MOST_ROUNDS:
        number = len(rounds) + 1
        name = f"{folder.name.strip('.').removesuffix('.partial')}, repair {number}"
        with step(f"late cells of {name}"):
            design = Placed.read(last.routed)
            moved = _moved(design, last, settings.freq)
            if not moved:
                break
            design.keep_globals()
            design.module["settings"].update(ROUTER)
            design.write(folder / MOVED)
        cells = {cell: site.bel() for one in moved for cell, site in one.sites.items()}
        files = [folder / f"round-{number}.{kind}" for kind in ("routed", "sdf", "report")]
        reached = Round(*files)
        if not _route(folder / MOVED, reached, f"nextpnr on {name}", log, settings.timeout):
            rounds.append({"moved": cells, "fmax_mhz": None})
            break
        rounds.append({"moved": cells, "fmax_mhz": reached.fmax()})
        if last is not best:
            last.forget()
        last = reached
        if last.fmax() > best.fmax():
            best.forget()
            best, kept = last, number
    said = {"before_mhz": before, "kept": kept, "rounds": rounds}
    (folder / ROUNDS).write_text(json.dumps(said))
    if kept:
        check_places(best.routed, log, settings.timeout)
        best.report.replace(folder / pnr.REPORT)
    for left in (folder / pnr.ROUTED, folder / pnr.DELAYS, folder / MOVED, *folder.glob("round-*")):
        left.unlink(missing_ok=True)


def words(said: Mapping[str, Any]) -> str:
    """What a report says of a repair, from repair.json."""
    kept = said["kept"]
    if not kept:
        return ""
    cells = {cell for one in said["rounds"][:kept] for cell in one["moved"]}
    often = "one round" if kept == 1 else f"{kept} rounds"
    return f"; {len(cells)} cells moved after routing in {often}, {said['before_mhz']} MHz before"


def move(design: Placed, delays: Timing, period_ps: float) -> list[Move]:
    """Move cells on ways that are longer than the period less a margin, the longest first."""
    mover = Mover(design, delays)
    done: list[Move] = []
    stuck: set[str] = set()
    moved: set[str] = set()
    while len(done) < MOST_MOVES:
        ends = ((delays.arrival[pin] + ps, pin) for pin, ps in delays.setup.items())
        late = [one for one in ends if one[0] > period_ps - MARGIN_PS and one[1] not in stuck]
        if not late:
            break
        _, end = max(late)
        pins = [pin for arc in delays.way(end) for pin in (arc.start, arc.end)]
        cells = dict.fromkeys(timing.cell(pin) for pin in pins)
        found = [one for cell in cells if cell not in moved and (one := mover.best(cell))]
        if not found:
            stuck.add(end)
            continue
        best = max(found, key=lambda one: one.before - one.after)
        mover.apply(best)
        moved |= best.sites.keys()
        done.append(best)
    return done


def check_places(routed: Path, log: Path, seconds: float) -> None:
    """Let nextpnr place a repaired design anew, with every cell bound to where it is."""
    design = Placed.read(routed)
    design.bind_places()
    bound = routed.with_suffix(".bound")
    design.write(bound)
    command = [tools.NEXTPNR, *pnr.OPTIONS, "--no-pack", "--no-route"]
    command += ["--json", fpga.relative(bound)]
    said = log.with_stem(f"{log.stem}-places")
    code = tools.run(command, f"places of {log.stem}", said, seconds)
    bound.unlink()
    if code:
        raise CheckFailed(
            f"nextpnr refuses places of repaired cells (exit code {code}).\n"
            f"End of {said}:\n{tail(said)}"
        )


def _moved(design: Placed, last: Round, freq: float) -> list[Move]:
    """The moves that bring a design nearer to `freq`; raises CheckFailed for delays of another."""
    delays = timing.of_file(last.delays)
    ours = 1e6 / delays.worst()[0]
    if abs(ours - last.fmax()) > ROUNDED_MHZ:
        raise CheckFailed(
            f"{last.delays}: found delays that make {ours:.2f} MHz, expected the "
            f"{last.fmax():.2f} MHz of nextpnr's report"
        )
    return move(design, delays, 1e6 / freq)


def _route(moved: Path, to: Round, title: str, log: Path, seconds: float) -> bool:
    """Route what has moved; whether there is a way for each net."""
    command = [tools.NEXTPNR, *pnr.OPTIONS, "--no-pack", "--no-place"]
    command += ["--json", fpga.relative(moved), "--write", fpga.relative(to.routed)]
    command += ["--sdf", fpga.relative(to.delays), "--report", fpga.relative(to.report)]
    return not tools.run(command, title, log.with_stem(f"{log.stem}-repair"), seconds)
