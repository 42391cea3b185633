# SPDX-License-Identifier: Apache-2.0
"""The longest chain of LUTs between two registers of a mapped, hierarchical netlist.

Each module is looked at once.  For its instances it says how late its outputs come from its own
registers, how much lies behind its inputs, and the levels of every path straight through, so a
chain is followed across any number of modules.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from opentmu.errors import CheckFailed
from opentmu.synth import cells
from opentmu.synth.chain import Chain, Step
from opentmu.synth.netlist import Cell, Module, instance, plain


@dataclass(frozen=True)
class _Edge:
    """A path through a cell or an instance from the net `source`."""

    source: int
    levels: int
    cell: Cell
    pin_in: str
    pin_out: str


@dataclass
class _Reach:
    """Levels between registers and a net, and the edge or cell in between."""

    levels: int
    edge: _Edge | None
    net: int
    cell: Cell | None = None
    pin: str = ""


@dataclass
class Timing:
    """One module and what its instances add to the chains around them."""

    module: Module
    children: Mapping[str, "Timing"]
    _fanin: dict[int, list[_Edge]] = field(default_factory=lambda: defaultdict(list))
    _arrival: dict[int, _Reach] = field(default_factory=dict)
    _departure: dict[int, _Reach] = field(default_factory=dict)
    _ends: list[_Reach] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.inputs = self.module.port_bits("input")
        self.outputs = self.module.port_bits("output")
        for cell in self.module.cells:
            self._add(cell)
        self._order = self._sorted()
        self._arrive()
        self._depart()
        self.late = {p: a.levels for p, b in self.outputs.items() if (a := self._arrival.get(b))}
        self.early = {p: d.levels for p, b in self.inputs.items() if (d := self._departure.get(b))}
        self.through = self._straight()

    def _add(self, cell: Cell) -> None:
        child = self.children.get(cell.kind)
        if child is not None:
            self._add_instance(cell, child)
            return
        storage = cells.is_distributed_memory(cell.kind)
        if cells.is_register(cell.kind) or storage:
            first = 1 if storage else cells.start_levels(cell.kind)
            for pin, bit in cell.outputs:
                self._start(bit, first, cell, pin)
            for pin, bit in cell.inputs:
                self._end(bit, 0, cell, pin)
        if cells.is_register(cell.kind) or not cell.inputs:
            return
        weight = cells.levels(cell.kind)
        if weight is None:
            raise CheckFailed(
                f"{self.module.name}.{cell.name}: found a cell {cell.kind}, whose delay "
                "tools/opentmu/synth/cells.py does not say"
            )
        for pin_out, target in cell.outputs:
            for pin, source in cell.inputs:
                if cells.follows(cell.kind, pin_out, pin):
                    self._fanin[target].append(_Edge(source, weight, cell, pin, pin_out))

    def _add_instance(self, cell: Cell, child: "Timing") -> None:
        sources = dict(cell.inputs)
        for pin, bit in cell.outputs:
            if pin in child.late:
                self._start(bit, child.late[pin], cell, pin)
            for pin_in, weight in child.through.get(pin, {}).items():
                if pin_in in sources:
                    self._fanin[bit].append(_Edge(sources[pin_in], weight, cell, pin_in, pin))
        for pin, bit in cell.inputs:
            if pin in child.early:
                self._end(bit, child.early[pin], cell, pin)

    def _start(self, bit: int, levels: int, cell: Cell, pin: str) -> None:
        self._arrival[bit] = _Reach(levels, None, bit, cell, pin)

    def _end(self, bit: int, levels: int, cell: Cell, pin: str) -> None:
        end = _Reach(levels, None, bit, cell, pin)
        self._ends.append(end)
        if bit not in self._departure or levels > self._departure[bit].levels:
            self._departure[bit] = end

    def _sorted(self) -> list[int]:
        """The nets that cells drive from others, sources first; raises on a loop."""
        users: dict[int, list[int]] = defaultdict(list)
        open_inputs: dict[int, int] = {}
        for target, edges in self._fanin.items():
            from_cells = [edge.source for edge in edges if edge.source in self._fanin]
            open_inputs[target] = len(from_cells)
            for source in from_cells:
                users[source].append(target)
        ready = [target for target, count in open_inputs.items() if count == 0]
        order = []
        while ready:
            net = ready.pop()
            order.append(net)
            for user in users[net]:
                open_inputs[user] -= 1
                if open_inputs[user] == 0:
                    ready.append(user)
        if len(order) < len(self._fanin):
            looped = [self._net(net) or str(net) for net, count in open_inputs.items() if count]
            raise CheckFailed(f"{self.module.name}: found a combinational loop through {looped[0]}")
        return order

    def _arrive(self) -> None:
        for net in self._order:
            for edge in self._fanin[net]:
                before = self._arrival.get(edge.source)
                if before is None:
                    continue
                levels = before.levels + edge.levels
                if net not in self._arrival or levels > self._arrival[net].levels:
                    self._arrival[net] = _Reach(levels, edge, edge.source)

    def _depart(self) -> None:
        for net in reversed(self._order):
            after = self._departure.get(net)
            if after is None:
                continue
            for edge in self._fanin[net]:
                levels = after.levels + edge.levels
                known = self._departure.get(edge.source)
                if known is None or levels > known.levels:
                    self._departure[edge.source] = _Reach(levels, edge, net)

    def _straight(self) -> dict[str, dict[str, int]]:
        """For each output the inputs that it follows in the same clock, with the levels."""
        wanted = set(self.outputs.values())
        for net in reversed(self._order):
            if net in wanted:
                wanted.update(edge.source for edge in self._fanin[net])
        through = {bit: {pin: 0} for pin, bit in self.inputs.items() if bit in wanted}
        for net in (net for net in self._order if net in wanted):
            longest: dict[str, int] = dict(through.get(net, {}))
            for edge in self._fanin[net]:
                for pin, levels in through.get(edge.source, {}).items():
                    longest[pin] = max(longest.get(pin, 0), levels + edge.levels)
            if longest:
                through[net] = longest
        return {pin: through[bit] for pin, bit in self.outputs.items() if bit in through}

    def slowest(self) -> list[Chain]:
        """The longest chain into each part of this module, longest first.

        A part is an instance of the design, wherever its registers lie after flattening.
        """
        worst: dict[str, tuple[int, _Reach]] = {}
        for end in self._ends:
            if (before := self._arrival.get(end.net)) is not None:
                levels = before.levels + end.levels
                part = instance(self._end_name(end))
                if part not in worst or levels > worst[part][0]:
                    worst[part] = (levels, end)
        chains = (self._chain(levels, end) for levels, end in worst.values())
        return sorted(chains, key=lambda chain: -chain.levels)

    def _end_name(self, end: _Reach) -> str:
        assert end.cell is not None
        if end.cell.kind in self.children:
            return f"{end.cell.name}."
        return self._register(end.cell, None)

    def _chain(self, levels: int, end: _Reach) -> Chain:
        start, before = self.from_register(end.net)
        after, name = self._last(end)
        return Chain(start, name, levels, [*before, *after])

    def from_register(self, net: int) -> tuple[str, list[Step]]:
        """The register where the longest chain to `net` starts, and the cells up to it."""
        steps: list[Step] = []
        reach = self._arrival[net]
        while reach.edge is not None:
            steps[:0] = self._steps(reach.edge, net)
            net = reach.net
            reach = self._arrival[net]
        assert reach.cell is not None
        child = self.children.get(reach.cell.kind)
        if child is None:
            return self._register(reach.cell, net), steps
        name, inside = child.from_register(child.outputs[reach.pin])
        return f"{reach.cell.name}.{name}", [*_below(reach.cell, inside), *steps]

    def to_register(self, net: int) -> tuple[list[Step], str]:
        """The cells of the longest chain behind `net`, and the register where it ends."""
        steps: list[Step] = []
        reach = self._departure[net]
        while reach.edge is not None:
            steps += self._steps(reach.edge, reach.net)
            reach = self._departure[reach.net]
        inside, end = self._last(reach)
        return [*steps, *inside], end

    def _last(self, end: _Reach) -> tuple[list[Step], str]:
        """The cells behind an input of a register or instance, and the register at their end."""
        assert end.cell is not None
        child = self.children.get(end.cell.kind)
        if child is None:
            return [], f"{self._register(end.cell, None)} ({end.pin})"
        inside, name = child.to_register(child.inputs[end.pin])
        return list(_below(end.cell, inside)), f"{end.cell.name}.{name}"

    def _steps(self, edge: _Edge, target: int) -> list[Step]:
        child = self.children.get(edge.cell.kind)
        if child is None:
            return [Step(edge.cell.kind, edge.cell.name, self._net(target), edge.levels)]
        return list(_below(edge.cell, child._path(edge.pin_in, edge.pin_out)))

    def _path(self, pin_in: str, pin_out: str) -> list[Step]:
        """The cells of the longest path from an input straight to an output."""
        reached: dict[int, tuple[int, _Edge | None]] = {self.inputs[pin_in]: (0, None)}
        for net in self._order:
            for edge in self._fanin[net]:
                if edge.source in reached:
                    levels = reached[edge.source][0] + edge.levels
                    if net not in reached or levels > reached[net][0]:
                        reached[net] = (levels, edge)
        steps: list[Step] = []
        net = self.outputs[pin_out]
        while (step := reached[net][1]) is not None:
            steps[:0] = self._steps(step, net)
            net = step.source
        return steps

    def _register(self, cell: Cell, net: int | None) -> str:
        """A register by the name of its output, a memory by its own."""
        if net is None and cell.outputs and not cells.is_distributed_memory(cell.kind):
            net = cell.outputs[0][1]
        if net is None or cells.start_levels(cell.kind):
            return cell.name
        return plain(self._net(net)) or cell.name

    def _net(self, net: int) -> str:
        return self.module.names.get(net, "")


def _below(cell: Cell, steps: list[Step]) -> Iterator[Step]:
    return (step.below(cell.name) for step in steps)


def timings(modules: Mapping[str, Module], top: str) -> dict[str, Timing]:
    """The timing of `top` and of every module below it, innermost first."""
    done: dict[str, Timing] = {}

    def walk(name: str) -> None:
        for kind in modules[name].counts:
            if kind in modules and kind not in done:
                walk(kind)
        done[name] = Timing(modules[name], done)

    walk(top)
    return done


def slowest(modules: Mapping[str, Module], top: str) -> list[Chain]:
    """The longest chain into each part of the design, longest first.

    Raises CheckFailed where no register reaches another.
    """
    done = timings(modules, top)
    where = {top: ""}
    for name in reversed(done):
        for cell in modules[name].cells:
            if cell.kind in done:
                where.setdefault(cell.kind, f"{where[name]}{cell.name}.")
    chains = [
        chain.below(where[name].rstrip(".")) if where[name] else chain
        for name, timing in done.items()
        for chain in timing.slowest()
    ]
    if not chains:
        raise CheckFailed(f"{top}: found no path from one register to another")
    return sorted(chains, key=lambda chain: -chain.levels)
