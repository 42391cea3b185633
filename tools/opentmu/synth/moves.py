# SPDX-License-Identifier: Apache-2.0
"""Where a cell on a slow way would be better: the search for one move, on estimates.

Rows that were left empty for wires (`spread`) have places everywhere, and wires to them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from opentmu.synth import spread
from opentmu.synth.placed import FLIP_FLOP, GLOBAL, Placed, Site
from opentmu.synth.timing import NEVER, Arc, Timing, cell

# What a move shall gain at least, for wires do not come out as they are estimated, and how far
# beyond its neighbours a cell may go.
GAIN_PS = 120.0
REACH = 6
# A cell with more wires than this stays: each would have to be found anew.
MOST_WIRES = 60


def wire_ps(distance: int) -> float:
    """What a wire of so many tiles takes, about the median of those of a routed `ecp5`."""
    return 450.0 + 75.0 * min(distance, 10) + 45.0 * max(distance - 10, 0)


@dataclass(frozen=True)
class Move:
    """Cells and their new sites, and the longest way through them before and after, in ps."""

    sites: dict[str, Site]
    before: float
    after: float


class Mover:
    """Looks for moves in one design; what it has moved counts from then on."""

    def __init__(self, design: Placed, timing: Timing) -> None:
        self.design = design
        self.timing = timing
        self.homes = sorted(home for home in design.taken if design.is_free(home))

    def best(self, name: str) -> Move | None:
        """The best move of a cell and those that go with it, if it is worth it."""
        unit = self.design.unit(name)
        sites = [(one, self.design.site(one)) for one in unit]
        placed = {one: site for one, site in sites if site is not None}
        if not unit or len(placed) < len(unit):
            return None
        wires = self._wires(unit)
        if not 0 < len(wires) <= MOST_WIRES:
            return None
        before = max(self.timing.through(arc) for arc in wires)
        found = None
        for target in self._targets(placed, wires, before):
            after = self._through(unit, target, wires)
            if after < before - GAIN_PS and (found is None or after < found.after):
                found = Move(target, before, after)
        return found

    def apply(self, move: Move) -> None:
        """Move the cells, with estimates for their wires."""
        self.design.move(move.sites)
        self.homes = [home for home in self.homes if self.design.is_free(home)]
        wires = self._wires(list(move.sites))
        self.timing.change([(arc, wire_ps(self._distance(arc, move.sites))) for arc in wires])

    def _wires(self, unit: list[str]) -> list[Arc]:
        """The wires between a unit and all others; those that the clock network brings are none."""
        inside = set(unit)
        found = []
        for name in unit:
            for port, bits in self.design.cells[name]["connections"].items():
                pin = f"{name}/{port}"
                if not bits:
                    continue
                arcs = [*self.timing.into.get(pin, ()), *self.timing.out.get(pin, ())]
                for arc in arcs:
                    start = cell(arc.start)
                    if not arc.wire or {start, cell(arc.end)} <= inside or self._is_global(start):
                        continue
                    if self.timing.through(arc) > 0:
                        found.append(arc)
        return found

    def _is_global(self, name: str) -> bool:
        return bool(self.design.cells[name]["type"] == GLOBAL)

    def _targets(
        self, unit: dict[str, Site], wires: list[Arc], before: float
    ) -> Iterator[dict[str, Site]]:
        """Free sites for a unit, near to what makes it late."""
        late = [arc for arc in wires if self.timing.through(arc) > before - 1000]
        tiles = [self.design.tile(cell(pin)) for arc in late for pin in (arc.start, arc.end)]
        left, right = min(x for x, _ in tiles) - REACH, max(x for x, _ in tiles) + REACH
        low, high = min(y for _, y in tiles) - REACH, max(y for _, y in tiles) + REACH
        first = next(iter(unit.values()))
        slices = {site.home() for site in unit.values()}
        flip_flops = any(self.design.cells[name]["type"] == FLIP_FLOP for name in unit)
        for x, y, which in self.homes:
            if not (left <= x <= right and low <= y <= high):
                continue
            if len(slices) > 1 and which != first.slice:
                continue
            shift = (x - first.x, y - first.y, which - first.slice)
            target = {
                name: Site(site.x + shift[0], site.y + shift[1], site.slice + shift[2], site.spot)
                for name, site in unit.items()
            }
            if all(self._may(site, flip_flops) for site in target.values()):
                yield target

    def _may(self, site: Site, flip_flops: bool) -> bool:
        """Whether a site can be taken; those in one tile share a clock and a reset."""
        slices = range(len(spread.SLICES)) if flip_flops else (site.slice,)
        homes = [(site.x, site.y, which) for which in slices]
        return all(home in self.design.taken and self.design.is_free(home) for home in homes)

    def _through(self, unit: list[str], target: dict[str, Site], wires: list[Arc]) -> float:
        """The longest way through a unit at its target."""
        inside = set(unit)
        arrival: dict[str, float] = {}
        worst = NEVER
        for arc in wires:
            if cell(arc.end) in inside:
                reached = self.timing.arrival[arc.start] + wire_ps(self._distance(arc, target))
                arrival[arc.end] = max(arrival.get(arc.end, NEVER), reached)
        pending = dict(arrival)
        while pending:
            pin, reached = pending.popitem()
            worst = max(worst, reached + self.timing.setup.get(pin, NEVER))
            for arc in self.timing.out.get(pin, ()):
                if cell(arc.end) in inside and reached + arc.ps > arrival.get(arc.end, NEVER):
                    arrival[arc.end] = pending[arc.end] = reached + arc.ps
        for arc in wires:
            if cell(arc.start) in inside:
                left = arrival.get(arc.start, self.timing.arrival[arc.start])
                after = wire_ps(self._distance(arc, target)) + self.timing.tail[arc.end]
                worst = max(worst, left + after)
        return worst

    def _distance(self, arc: Arc, target: dict[str, Site]) -> int:
        """Tiles between the ends of a wire, with a unit at its target."""
        (x0, y0), (x1, y1) = (self._tile(cell(pin), target) for pin in (arc.start, arc.end))
        return abs(x0 - x1) + abs(y0 - y1)

    def _tile(self, name: str, target: dict[str, Site]) -> tuple[int, int]:
        site = target.get(name)
        return (site.x, site.y) if site else self.design.tile(name)
