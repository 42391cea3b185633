# SPDX-License-Identifier: Apache-2.0
"""Place and route for ECP5 with nextpnr, and what its report says."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from opentmu import toolchain
from opentmu.build import fpga
from opentmu.errors import CheckFailed
from opentmu.synth import copies, memories, tools
from opentmu.synth.netlist import Module, place, plain

# The member with serial links of 5 Gbit/s, which a network card on this family takes: its core runs
# at 1.2 V instead of 1.1, which makes it nearly a fifth quicker (docs/synthesis.md).
DEVICE = "LFE5UM5G-85F CABGA756 speed 8"
# A target that is not met is no error, and does not change what is done: a way counts as much as it
# is long beside the slowest one. The default router takes back what it has made for as long as it
# likes; the second one lets nets share wires, raises the price of those that are shared, and comes
# to an end. The placer takes smaller steps than it does by default, for a better place
# (docs/synthesis.md).
OPTIONS = (
    *("--um5g-85k", "--package", "CABGA756", "--speed", "8"),
    *("--timing-allow-fail", "--router", "router2", "--placer-heap-alpha", "0.03"),
)
# Once memories have their places, a slow way weighs three times as much as it does by default; in
# the first placement that would be noise (docs/decisions/0049-timing.md).
SECOND = ("--placer-heap-timingweight", "30")

# What a run leaves in its folder.
REPORT = "report.json"


@dataclass(frozen=True)
class Settings:
    """Target clock in MHz, seed of the placer, time limit in seconds."""

    freq: float
    seed: int
    timeout: float


@dataclass(frozen=True)
class PathStep:
    """One cell on the critical path with the wire behind it; delays in ns."""

    cell: str
    kind: str
    net: str
    logic_ns: float
    routing_ns: float


def run(
    netlist: Path,
    top: str,
    folder: Path,
    settings: Settings,
    log: Path,
    left_empty: int = 0,
    places: Mapping[str, str] | None = None,
) -> None:
    """Place and route `netlist`; leaves report.json, the routed design and its delays.

    Block memories get the `places` that they have by name, and `netlist` says so then. Without
    `places` it is placed twice, and they stay where the first placement has put them, which is in
    memories.json. `left_empty` places for a LUT and for a flip-flop are taken by cells
    that do nothing, and do not count. A design that is too large leaves no report.json; raises
    CheckFailed for any other failure. utilisation.json is there at any rate.
    """
    toolchain.use_path()
    toolchain.need_compiled(tools.NEXTPNR)
    report = folder / REPORT
    title = f"nextpnr on {shown(folder)}"
    command = [tools.NEXTPNR, *OPTIONS, "--freq", f"{settings.freq:g}"]
    command += ["--seed", f"{settings.seed}", "--json", fpga.relative(netlist)]
    code = 0
    if memories.names(netlist, top):
        if places is None:
            placed = folder / "placed.json"
            first = [*command, "--no-route", "--write", fpga.relative(placed)]
            code = tools.run(first, f"{title}, memories", log, settings.timeout)
            if not code:
                places = memories.found(placed)
                placed.unlink()
                (folder / "memories.json").write_text(json.dumps(places, indent=1) + "\n")
        if places is not None:
            memories.keep(netlist, top, places)
            command += SECOND
    if not code:
        command += ["--report", fpga.relative(report)]
        code = tools.run(command, title, log, settings.timeout)
    used = utilisation(log.read_text(errors="replace"), left_empty)
    (folder / "utilisation.json").write_text(json.dumps(used))
    if code and not excess(used):
        raise tools.failed(title, code, log)
    if code:
        report.unlink(missing_ok=True)


def shown(folder: Path) -> str:
    """What a run is called: its folder, without what is added while it is made."""
    return folder.name.strip(".").removesuffix(".partial")


def utilisation(said: str, left_empty: int = 0) -> dict[str, dict[str, int]]:
    """Used and available of each kind of cell that is used, as nextpnr's log counts them.

    What is left empty on purpose is available, and not used.
    """
    rows = re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%$", said, re.MULTILINE)
    empty = {"TRELLIS_COMB": left_empty, "TRELLIS_FF": left_empty}
    return {
        kind: {"used": int(used) - empty.get(kind, 0), "available": int(available)}
        for kind, used, available in rows
        if int(used)
    }


def excess(used: Mapping[str, Mapping[str, int]]) -> list[str]:
    """What is too much for the device, in words."""
    return [
        f"{kind} {count['used']:,} of {count['available']:,} "
        f"({100 * count['used'] / count['available']:.0f} %)"
        for kind, count in used.items()
        if count["used"] > count["available"]
    ]


def fmax(report: Mapping[str, Any]) -> float:
    """The clock in MHz that the routed design reaches; of several clocks the slowest."""
    clocks = [float(clock["achieved"]) for clock in report["fmax"].values()]
    if not clocks:
        raise CheckFailed("nextpnr's report: found no clock, expected one")
    return round(min(clocks), 2)


def critical_path(report: Mapping[str, Any], module: Module) -> dict[str, Any]:
    """The slowest way from register to register, in the names of the design."""
    between = [path["path"] for path in report["critical_paths"] if _between_registers(path)]
    if not between:
        raise CheckFailed("nextpnr's report: found no path from register to register")
    hops = max(between, key=lambda path: sum(hop["delay"] for hop in path))
    registers = _register_names(module)
    kinds = {cell.name: cell.kind for cell in module.cells}
    steps = _steps(hops, kinds)
    last = hops[-1]["to"]
    end = f"{_named(last['cell'], registers)} ({last['port']})"
    # A name that begins with a dollar is a number of the mapper's and lies nowhere.
    passed = [*(step.cell for step in steps), last["cell"]]
    cells = [_register(cell, registers) for cell in passed]
    places = [place(cell) for cell in cells if not cell.startswith("$")]
    logic = sum(hop["delay"] for hop in hops if hop["type"] != "routing")
    routing = sum(hop["delay"] for hop in hops if hop["type"] == "routing")
    return {
        "from": _named(hops[0]["from"]["cell"], registers),
        "to": end,
        "delay_ns": round(logic + routing, 2),
        "logic_ns": round(logic, 2),
        "routing_ns": round(routing, 2),
        "through": _changes(places),
        "steps": [asdict(step) for step in steps],
    }


def _between_registers(path: Mapping[str, Any]) -> bool:
    return bool(path["path"]) and "<async>" not in (path["from"], path["to"])


def _steps(hops: list[Mapping[str, Any]], kinds: Mapping[str, str]) -> list[PathStep]:
    """Each cell with the wire behind it; the setup at the end belongs to no cell."""
    steps: list[PathStep] = []
    for hop, wire in zip(hops, [*hops[1:], None], strict=True):
        if hop["type"] in ("routing", "setup"):
            continue
        follows = wire if wire is not None and wire["type"] == "routing" else None
        cell = hop["from"]["cell"]
        kind = kinds.get(copies.original(cell)) or kinds.get(re.sub(r"\$.*", "", cell), "")
        net = follows["net"] if follows else ""
        routing = round(follows["delay"], 3) if follows else 0.0
        steps.append(PathStep(cell, kind, net, round(hop["delay"], 3), routing))
    return steps


def _register_names(module: Module) -> dict[str, str]:
    """The name that the design gives to the register of each flip-flop."""
    return {
        cell.name: module.names[cell.outputs[0][1]]
        for cell in module.cells
        if cell.kind == "TRELLIS_FF" and cell.outputs and cell.outputs[0][1] in module.names
    }


def _register(cell: str, registers: Mapping[str, str]) -> str:
    """The design's name of a register, of which the cell may be a copy; else the cell's own."""
    return registers.get(copies.original(cell), cell)


def _named(cell: str, registers: Mapping[str, str]) -> str:
    return plain(_register(cell, registers))


def _changes(places: list[str]) -> list[str]:
    """The instances that a path passes, each once for every time that it is entered."""
    return [one for index, one in enumerate(places) if index == 0 or one != places[index - 1]]
