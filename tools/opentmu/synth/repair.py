# SPDX-License-Identifier: Apache-2.0
"""Makes the slowest ways of a routed design shorter: moves a few cells, and routes their nets anew.

The placer works on estimates and is done when the router begins; of 90,000 ends a few dozen are
late then, and the clock is that of the worst. nextpnr takes back a design that it has written, and
routes what has no wires, with the wires of all others where they are; the clock is its own figure
for what comes out (docs/decisions/0049-timing.md).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opentmu.build import fpga
from opentmu.errors import CheckFailed
from opentmu.process import excerpt
from opentmu.progress import step
from opentmu.synth import pnr, timing, tools
from opentmu.synth.moves import Move, Mover
from opentmu.synth.placed import Placed
from opentmu.synth.timing import Timing

# At most so many rounds, moves in one of them, and ways that no move helps. Each round unsettles
# some wires of others.
MOST_ROUNDS, MOST_MOVES, MOST_STUCK = 8, 60, 200
# Wires do not come out as they are estimated: a way is late that ends so much before the period.
MARGIN_PS = 150.0
# What our sum of a way's delays may differ from nextpnr's: pnr.fmax has two decimals of a MHz.
ROUNDED_MHZ = 0.02
# This router leaves wires where they are, and takes one from another net only if that saves more
# than 0.4 ns; weighed by time it would be a twentieth of that, and a late net takes all it meets.
ROUTER = {"router": "router1", "timing_driven": f"{0:032b}"}
NO_WAY = "Failed to find a route for arc"
ROUNDS, MOVED = "repair.json", "moved.json"


class Stopped(Exception):
    """Why a design is repaired no further; what there is stays."""


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
    the cells that were moved and the clock in MHz, how many of them were kept, and why it went no
    further, null if the aim is met or all rounds were used. Raises CheckFailed if nextpnr finds a
    cell where it may not be.
    """
    last = best = Round(folder / pnr.ROUTED, folder / pnr.DELAYS, folder / pnr.REPORT)
    said: dict[str, Any] = {"before_mhz": best.fmax(), "kept": 0, "rounds": [], "stopped": None}
    try:
        while last.fmax() < settings.freq and len(said["rounds"]) < MOST_ROUNDS:
            number = len(said["rounds"]) + 1
            after = _round(folder, last, number, settings, log, said["rounds"])
            if last is not best:
                last.forget()
            last = after
            if last.fmax() > best.fmax():
                best.forget()
                best, said["kept"] = last, number
    except Stopped as reason:
        said["stopped"] = str(reason)
    if said["kept"]:
        try:
            check_places(best.routed, log, settings.timeout)
            best.report.replace(folder / pnr.REPORT)
        except tools.OutOfTime as reason:
            said |= {"kept": 0, "stopped": str(reason)}
    (folder / ROUNDS).write_text(json.dumps(said))
    for left in (folder / pnr.ROUTED, folder / pnr.DELAYS, folder / MOVED, *folder.glob("round-*")):
        left.unlink(missing_ok=True)


def words(said: Mapping[str, Any]) -> str:
    """What a report says of a repair, from repair.json."""
    kept, stopped = said["kept"], said["stopped"]
    why = f"; not repaired further: {stopped}" if stopped else ""
    if not kept:
        return why
    cells = {cell for one in said["rounds"][:kept] for cell in one["moved"]}
    how_many = "one cell" if len(cells) == 1 else f"{len(cells)} cells"
    often = "one round" if kept == 1 else f"{kept} rounds"
    return f"; {how_many} moved after routing in {often}, {said['before_mhz']} MHz before{why}"


def move(design: Placed, delays: Timing, period_ps: float) -> list[Move]:
    """Move cells on ways that are longer than the period less a margin, the longest first."""
    mover = Mover(design, delays)
    done: list[Move] = []
    stuck: set[str] = set()
    moved: set[str] = set()
    while len(done) < MOST_MOVES and len(stuck) < MOST_STUCK:
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
            f"End of {said}:\n{excerpt(said)}"
        )


def _round(
    folder: Path,
    last: Round,
    number: int,
    settings: pnr.Settings,
    log: Path,
    rounds: list[dict[str, Any]],
) -> Round:
    """One round from `last`, which is told in `rounds`; raises Stopped if there is none."""
    name = f"{pnr.shown(folder)}, repair {number}"
    with step(f"late cells of {name}"):
        design = Placed.read(last.routed)
        moved = _moved(design, last, settings.freq)
        if not moved:
            raise Stopped("no cell has a better place")
        design.keep_globals()
        design.module["settings"].update(ROUTER)
        design.write(folder / MOVED)
    cells = {cell: site.bel() for one in moved for cell, site in one.sites.items()}
    rounds.append({"moved": cells, "fmax_mhz": None})
    files = [folder / f"round-{number}.{kind}" for kind in ("routed", "sdf", "report")]
    after = Round(*files)
    said = log.with_stem(f"{log.stem}-repair-{number}")
    if not _route(folder / MOVED, after, f"nextpnr on {name}", said, settings.timeout):
        raise Stopped(f"a net found no way in round {number}")
    rounds[-1]["fmax_mhz"] = after.fmax()
    return after


def _moved(design: Placed, last: Round, freq: float) -> list[Move]:
    """The moves that bring a design nearer to `freq`; raises Stopped if none can be found."""
    if not any(design.is_free(home) for home in design.taken):
        raise Stopped("no slice was left empty")
    delays = timing.of_file(last.delays)
    ours = 1e6 / delays.worst()[0]
    if abs(ours - last.fmax()) > ROUNDED_MHZ:
        raise Stopped(
            f"delays make {ours:.2f} MHz and nextpnr says {last.fmax():.2f}, as with a clock that "
            "is not on the clock network"
        )
    return move(design, delays, 1e6 / freq)


def _route(moved: Path, to: Round, title: str, log: Path, seconds: float) -> bool:
    """Route what has moved; whether each net finds a way. Raises Stopped if there was no time."""
    command = [tools.NEXTPNR, *pnr.OPTIONS, "--no-pack", "--no-place"]
    command += ["--json", fpga.relative(moved), "--write", fpga.relative(to.routed)]
    command += ["--sdf", fpga.relative(to.delays), "--report", fpga.relative(to.report)]
    try:
        code = tools.run(command, title, log, seconds)
    except tools.OutOfTime as reason:
        raise Stopped(str(reason)) from reason
    if code and NO_WAY not in log.read_text(errors="replace"):
        raise tools.failed(title, code, log)
    return code == 0
