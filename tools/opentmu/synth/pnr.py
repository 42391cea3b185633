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
from opentmu.synth import tools
from opentmu.synth.netlist import Module, instance, plain

# The member with serial links of 5 Gbit/s, which a network card on this family takes: its core runs
# at 1.2 V instead of 1.1, which makes it nearly a fifth quicker (docs/synthesis.md).
DEVICE = "LFE5UM5G-85F CABGA756 speed 8"
# The default router takes back what it has made for as long as it likes; the second one lets nets
# share wires, raises the price of those that are shared, and completes. A target that is not met is
# no error, and the placer tries as hard with any.
OPTIONS = (
    *("--um5g-85k", "--package", "CABGA756", "--speed", "8"),
    *("--freq", "120", "--timing-allow-fail", "--router", "router2"),
)

# Weights of the second router, which has no option for them but takes them from a netlist. By
# default the price of a wire that several nets want grows by 2.0 a round: after fifty rounds no net
# comes near another, and all of them make detours that are wanted again. The estimate of the rest
# of a route counts 1.25 times by default, which ends a search sooner, at a longer route.
ROUTER = {"router2/currCongWeightMult": "0.5", "router2/estimateWeight": "0.75"}

# File that a run leaves in its folder.
REPORT = "report.json"


@dataclass(frozen=True)
class Settings:
    """Seed of the placer, time limit of a tool in seconds; whether to place at all."""

    seed: int
    timeout: float
    route: bool = False


@dataclass(frozen=True)
class PathStep:
    """One cell on the critical path with the wire behind it; delays in ns."""

    cell: str
    kind: str
    net: str
    logic_ns: float
    routing_ns: float


def run(netlist: Path, top: str, folder: Path, settings: Settings, log: Path) -> None:
    """Place and route `top` of `netlist`; leaves nextpnr's report, and what the device has of it.

    A design that is too large leaves no report; raises CheckFailed for any other failure.
    """
    toolchain.use_path()
    toolchain.need_compiled(tools.NEXTPNR)
    report, weighted = folder / REPORT, folder / "weighted.json"
    content = json.loads(netlist.read_text())
    content["modules"][top]["settings"] = ROUTER
    weighted.write_text(json.dumps(content))
    command = [tools.NEXTPNR, *OPTIONS, "--seed", f"{settings.seed}"]
    command += ["--json", fpga.relative(weighted)]
    command += ["--report", fpga.relative(report)]
    title = f"nextpnr on {shown(folder)}"
    code = tools.run(command, title, log, settings.timeout)
    weighted.unlink()
    used = utilisation(log.read_text(errors="replace"))
    (folder / "utilisation.json").write_text(json.dumps(used))
    if code and not excess(used):
        raise tools.failed(title, code, log)
    if code:
        report.unlink(missing_ok=True)


def shown(folder: Path) -> str:
    """Name of a run: its folder, without the marks that are added while it is made."""
    return folder.name.strip(".").removesuffix(".partial")


def utilisation(said: str) -> dict[str, dict[str, int]]:
    """Used and available of each kind of cell that is used, as nextpnr's log counts them."""
    rows = re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%$", said, re.MULTILINE)
    return {
        kind: {"used": int(used), "available": int(available)}
        for kind, used, available in rows
        if int(used)
    }


def excess(used: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Kinds of cells that are too many for the device, in words."""
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
    """The slowest path from register to register, in the names of the design."""
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
    cells = [registers.get(cell, cell) for cell in passed]
    instances = [instance(cell) for cell in cells if not cell.startswith("$")]
    logic = sum(hop["delay"] for hop in hops if hop["type"] != "routing")
    routing = sum(hop["delay"] for hop in hops if hop["type"] == "routing")
    return {
        "from": _named(hops[0]["from"]["cell"], registers),
        "to": end,
        "delay_ns": round(logic + routing, 2),
        "logic_ns": round(logic, 2),
        "routing_ns": round(routing, 2),
        "through": _changes(instances),
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
        kind = kinds.get(cell) or kinds.get(re.sub(r"\$.*", "", cell), "")
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


def _named(cell: str, registers: Mapping[str, str]) -> str:
    return plain(registers.get(cell, cell))


def _changes(instances: list[str]) -> list[str]:
    """The instances that a path passes, each once for every time that it is entered."""
    return [one for index, one in enumerate(instances) if index == 0 or one != instances[index - 1]]
