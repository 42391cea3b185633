# SPDX-License-Identifier: Apache-2.0
"""From a preset to its report, in stages that are made once for their inputs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from opentmu import paths, presets, stage
from opentmu.build import fpga, rtl
from opentmu.errors import BadInput
from opentmu.synth import cells, chain, hierarchy, levels, methods, netlist, pieces, pnr, tools

FAMILIES = ("ecp5", "xcup")
TOPS = {"ecp5": "tmu_pins", "xcup": "tmu_wrapper"}
XCUP_DEVICE = "UltraScale+, no part chosen"
XCUP = fpga.FPGA / "synth" / "xcup.ys"
FOLDER = paths.BUILD / "synth"

# Reports without --preset: of the unit that is meant, and of the one that can be routed.
DEFAULT_RUNS = (("nic", "xcup"), ("ecp5", "ecp5"))
SLOWEST_SHOWN = 12


@dataclass(frozen=True)
class Design:
    """Design to map: elaborated Verilog, its top, and the name of its folder in build/synth."""

    name: str
    sources: tuple[Path, ...]
    top: str
    parameters: tuple[tuple[str, int], ...]
    key: str
    library: Path | None = None

    @classmethod
    def of_preset(cls, preset: str, family: str) -> "Design":
        """The unit of a preset in the wrapper that the family's runs take."""
        folder = rtl.ensure(preset)
        bits = (("ADDRESS_BITS", fpga.address_bits(preset)),)
        key = (folder / stage.STAMP).read_text()
        sources = tuple(fpga.sources(folder))
        name = f"{presets.build_name(preset)}-{family}"
        return cls(name, sources, TOPS[family], bits, key)

    @classmethod
    def of_folder(cls, folder: Path, top: str, family: str) -> "Design":
        """The module `top` of a folder with a .sv file for each module, without wrappers."""
        if not folder.resolve().is_relative_to(paths.ROOT):
            raise BadInput(f"{folder}: found a folder outside {paths.ROOT}, which Yosys cannot see")
        if not (folder / f"{top}.sv").is_file():
            raise BadInput(f"{folder}: found no {top}.sv, expected a file for each module")
        name = folder.resolve().relative_to(paths.ROOT).as_posix().replace("/", "-")
        sources = tuple(sorted(folder.glob("*.sv")))
        return cls(f"{name}-{top}-{family}", sources, top, (), "", folder)

    def read(self) -> list[str]:
        """The steps that read it into Yosys and choose its top."""
        if self.library is not None:
            library = fpga.relative(self.library)
            read = f"read_verilog -sv {library}/{self.top}.sv"
            return [read, f"hierarchy -check -top {self.top} -libdir {library}"]
        files = " ".join(fpga.relative(file) for file in self.sources)
        set_all = " ".join(f"-chparam {name} {value}" for name, value in self.parameters)
        return [f"read_verilog -sv {files}", f"hierarchy -check -top {self.top} {set_all}".strip()]


def mapped(design: Design, family: str, seconds: float) -> Path:
    """The folder with netlist.json of a design in the cells of a family."""
    scripts = [fpga.ELABORATE, fpga.ECP5] if family == "ecp5" else [XCUP]
    target = FOLDER / f"{design.name}-netlist"
    make = [Path(str(module.__file__)) for module in (hierarchy, pieces)]
    key = _key(design.key, design.read(), design.sources, scripts, make, tools.versions("yosys"))
    choose = hierarchy.repeated if family == "ecp5" else hierarchy.kept

    def write(folder: Path) -> None:
        checkpoint, borders = _elaborate(design, folder, seconds, choose)
        written = folder / "netlist.json"

        def run(steps: list[str], piece: str) -> None:
            name = design.name if piece == design.top else f"{design.name}-{piece}"
            tools.yosys(steps, f"yosys on {name}", paths.LOGS / f"synth-{name}.log", seconds)

        if family == "xcup":
            order = [design.top, *borders]
            pieces.mapped(checkpoint, order, fpga.script(XCUP), written, run)
        else:
            steps = pieces.read(checkpoint, design.top)
            steps += [f"setattr -mod -set keep_hierarchy 1 {name}" for name in borders]
            steps += [fpga.script(fpga.ELABORATE), fpga.script(fpga.ECP5)]
            run([*steps, f"write_json {fpga.relative(written)}"], design.top)

    stage.ensure(target, key, write)
    return target


def _elaborate(
    design: Design,
    folder: Path,
    seconds: float,
    choose: Callable[[Mapping[str, Any], str], list[str]],
) -> tuple[Path, list[str]]:
    """The elaborated design in a file of Yosys, and the modules of it that keep their border."""
    log = paths.LOGS / f"synth-{design.name}-read.log"
    checkpoint, tree = folder / "design.il", folder / "design.json"
    # A table of constants as a memory would be read a clock early, and its path with it.
    steps = [*design.read(), "proc -norom", "opt_clean"]
    steps += [f"write_rtlil {fpga.relative(checkpoint)}"]
    steps += [f"write_json {fpga.relative(tree)}"]
    tools.yosys(steps, f"yosys reads {design.name}", log, seconds)
    modules = json.loads(tree.read_text())["modules"]
    borders = choose(modules, design.top)
    sizes = hierarchy.sizes(modules, design.top)
    (folder / "kept.json").write_text(json.dumps({"kept": borders, "bits": sizes}))
    tree.unlink()
    return checkpoint, borders


def routed(design: Design, settings: pnr.Settings, netlist_folder: Path) -> Path:
    """The folder with nextpnr's report of a mapped ECP5 design."""
    target = FOLDER / f"{design.name}-{settings.seed}"
    made_from = (netlist_folder / stage.STAMP).read_text()
    wanted = [*pnr.OPTIONS, f"{settings.seed}"]
    key = _key(made_from, wanted, pnr.ROUTER, tools.versions("nextpnr-ecp5"))

    def write(folder: Path) -> None:
        log = paths.LOGS / f"synth-{target.name}.log"
        pnr.run(netlist_folder / "netlist.json", design.top, folder, settings, log)

    stage.ensure(target, key, write)
    return target


def report(preset: str, family: str, settings: pnr.Settings) -> dict[str, Any]:
    """The report of one preset on one family, from the last run where its inputs are the same."""
    design = Design.of_preset(preset, family)
    mapped_in = mapped(design, family, settings.timeout)
    problem = ""
    made = mapped_in
    if settings.route and family == "ecp5":
        try:
            made = routed(design, settings, mapped_in)
        except tools.OutOfTime as error:
            problem = str(error)
    key = _key((made / stage.STAMP).read_text(), f"{settings}", [Path(__file__).parent])
    target = FOLDER / f"{made.name}-report"

    def write(folder: Path) -> None:
        head = {"top": design.top, "preset": preset, "family": family}
        body = ecp5(design, mapped_in, made, settings) if family == "ecp5" else xcup(design, made)
        (folder / "report.json").write_text(json.dumps(head | body))

    stage.ensure(target, key, write)
    result: dict[str, Any] = json.loads((target / "report.json").read_text())
    return result | ({"problem": problem} if problem else {})


def ecp5(
    design: Design, mapped_in: Path, routed_in: Path, settings: pnr.Settings
) -> dict[str, Any]:
    modules = netlist.load(mapped_in / "netlist.json", design.top)
    taken = cells.resources(netlist.cell_counts(modules, design.top))
    found: dict[str, Any] = {
        "device": pnr.DEVICE,
        **asdict(taken),
        "fits": None,
        "problem": None,
        "fmax_mhz": None,
        "critical_path": None,
        "clock_estimate": None,
        "seed": settings.seed if settings.route else None,
        "method": methods.METHODS["routed" if settings.route else "ecp5"],
        "tools": tools.versions("yosys", "nextpnr-ecp5"),
    }
    if routed_in == mapped_in:
        return found
    used = json.loads((routed_in / "utilisation.json").read_text())
    found |= {"utilisation": used, "fits": not pnr.excess(used)}
    for count, kind in (("lut", "TRELLIS_COMB"), ("ff", "TRELLIS_FF")):
        if kind in used:
            found[count] = used[kind]["used"]
    if too_much := pnr.excess(used):
        found["problem"] = f"does not fit {pnr.DEVICE}: {', '.join(too_much)}"
        return found
    said = json.loads((routed_in / pnr.REPORT).read_text())
    path = pnr.critical_path(said, modules[design.top])
    return found | {"fmax_mhz": pnr.fmax(said), "critical_path": path}


def xcup(design: Design, mapped_in: Path) -> dict[str, Any]:
    """Resources and the estimate of a design that was mapped to UltraScale+ cells."""
    modules = netlist.load(mapped_in / "netlist.json", design.top)
    chains = levels.slowest(modules, design.top)
    return {
        "device": XCUP_DEVICE,
        **asdict(cells.resources(netlist.cell_counts(modules, design.top))),
        "fits": None,
        "problem": None,
        "fmax_mhz": None,
        "critical_path": chains[0].report(),
        "clock_estimate": chain.clock_estimate(chains[0].levels),
        "slowest": [
            {"from": one.start, "to": one.end, "levels": one.levels}
            for one in chains[:SLOWEST_SHOWN]
        ],
        "modules": _modules(modules, design.top),
        "method": methods.METHODS["kept" if len(modules) > 1 else "flat"],
        "tools": tools.versions("yosys"),
    }


def _modules(modules: dict[str, netlist.Module], top: str) -> list[dict[str, Any]]:
    """Resources of one instance of each mapped module by itself."""
    times = netlist.instances(modules, top)
    return [
        {"module": name, "instances": times[name], **asdict(cells.resources(module.counts))}
        for name, module in modules.items()
    ]


def _key(*parts: str | Sequence[str | Path] | dict[str, str]) -> str:
    """Hash of texts and files."""
    flat: list[str | Path] = []
    for part in parts:
        if isinstance(part, str):
            flat.append(part)
        elif isinstance(part, dict):
            flat += [f"{name} {value}" for name, value in part.items()]
        else:
            flat += part
    return stage.hash_of(flat)
