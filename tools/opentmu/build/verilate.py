# SPDX-License-Identifier: Apache-2.0
"""The one module that turns Verilog into a simulation.

firtool puts assertions into bind files that its filelist.f does not name: a simulation made from
the file list alone would run without a single check.  `sources` always adds them.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentmu import paths, presets, stage, toolchain
from opentmu.build import cbuild, rtl
from opentmu.errors import CheckFailed
from opentmu.process import run_logged
from opentmu.setup import shims

TOP = "TmuTop"
# Of a configuration with a network side.
CARD = "TmuCard"
# The matching unit alone, for the benchmark.
UNIT = "MatchUnit"
DEVICE = paths.SIM / "device"
EXPORTS = DEVICE / "tmu_sim.map"
# Sources of the device for one of the tops alone, and what tells a card's device of verdicts.
PARTS = {TOP: DEVICE / "unit", CARD: DEVICE / "card"}
MONITOR = PARTS[CARD] / "unit_monitor.sv"
CARD_USES = (paths.SIM / "law", paths.SIM / "link")
CARD_LIBRARIES = ("libtmu_link.a", "libtmu_unit_record.a")
# Output of the simulation goes to the device, not to standard output.
PRINT = DEVICE / "sim_print.h"
HEADERS = paths.ROOT / "sw-driver" / "include"
BENCH = paths.SIM / "unit"
BENCH_PROGRAM = "tmu-bench"
# The law that judges, and random numbers.
BENCH_USES = (paths.SIM / "law", paths.SIM / "campaigns" / "common")

# Undriven values are drawn from the run's seed (the device seeds Verilator with that of --pauses).
FLAGS = ["-O3", "--assert", "--no-timing", "--x-assign", "fast", "--x-initial", "unique"]
WAVE_FLAGS = ["--trace-fst", "--trace-structs"]
OPTIMISE = "-O2"
# Of what Verilator wrote: more than this only takes longer to compile, and runs no faster.
OPTIMISE_VERILATED = "-O1"
# For a few short tests compiling is all that counts.
OPTIMISE_LITTLE = "-O0"

# cocotb drives clock and reset only after the first evaluation, in which both have random values:
# what assertions say at time 0 means nothing.
AFTER_START = {"ASSERT_VERBOSE_COND": "($time != 0)", "STOP_COND": "($time != 0)"}


def sources(folder: Path) -> list[Path]:
    """All files of an elaborated design: those of its file list and every bind file."""
    listed = [folder / line for line in (folder / "filelist.f").read_text().split()]
    binds = bind_files(folder)
    if not any(line.lstrip().startswith("bind ") for b in binds for line in b.open()):
        raise CheckFailed(f"{folder}: no layers-*.sv file binds an assertion, so none would run")
    return [*listed, *(bind for bind in binds if bind not in listed)]


def bind_files(folder: Path) -> list[Path]:
    """The files that bind assertions to their modules."""
    return sorted(folder.rglob("layers-*.sv"))


def include_folders(folder: Path) -> list[Path]:
    """The folders of the files that bind files include."""
    return sorted({folder, *(bind.parent for bind in bind_files(folder))})


def library(preset: str, *, wave: bool = False) -> Path:
    """The shared library with the Verilated unit of `preset` and the device's C interface."""
    return _library(preset, TOP, wave)


def card_library(preset: str, *, wave: bool = False) -> Path:
    """The same with the card around the unit, for a configuration with a network side."""
    return _library(preset, CARD, wave)


def _library(preset: str, module: str, wave: bool) -> Path:
    top = verilated_top(preset, wave=wave, top=module)
    name = _whole_name(preset, module)
    target = paths.VERILATED / (f"{name}-wave" if wave else name)
    uses = [DEVICE, HEADERS, *(CARD_USES if module == CARD else ())]
    key = stage.hash_of([(top / stage.STAMP).read_text(), *uses])
    stage.ensure(target, key, lambda folder: make_library(preset, top, folder, wave, module))
    return target / library_name(preset, module)


def verilated_top(preset: str, *, wave: bool = False, top: str = TOP) -> Path:
    """The folder with a Verilated module as archives and headers, without anything around it."""
    design = rtl.ensure_card(preset) if top == CARD else rtl.ensure(preset)
    target = paths.VERILATED / f"{_name(preset, wave, top)}-top"
    pins = (paths.ROOT / "requirements.in").read_text()
    stamp = (design / stage.STAMP).read_text()
    key = stage.hash_of([stamp, pins, *_flags(wave), Path(__file__), PRINT, MONITOR])
    # A run with a wave is a short one.
    optimise = OPTIMISE_LITTLE if wave else OPTIMISE_VERILATED
    stage.ensure(target, key, lambda folder: make_top(preset, design, folder, wave, top, optimise))
    return target


def bench_program(preset: str) -> Path:
    """The program that measures the matching unit of `preset` and judges it by the model."""
    top = verilated_top(preset, top=UNIT)
    model = cbuild.program(cbuild.ensure(), "libtmu_model_static.a")
    target = paths.VERILATED / f"{presets.build_name(preset)}-bench"
    inputs = [BENCH, HEADERS, PRINT, PRINT.with_suffix(".cpp"), *BENCH_USES]
    key = stage.hash_of([(top / stage.STAMP).read_text(), *inputs])
    stage.ensure(target, key, lambda folder: make_bench(preset, top, model, folder))
    return target / BENCH_PROGRAM


def library_name(preset: str, module: str = TOP) -> str:
    return f"libtmu_sim_{_whole_name(preset, module)}.so"


def _whole_name(preset: str, module: str) -> str:
    """Name of a configuration's unit or card, by which the driver finds its library."""
    return rtl.card_name(preset) if module == CARD else presets.build_name(preset)


def cocotb_runner(
    design: Path,
    top: str,
    folder: Path,
    *,
    wave: bool = False,
    optimise: str = OPTIMISE_VERILATED,
) -> Any:
    """A cocotb runner with the module `top` of an elaborated design built below `folder`."""
    from cocotb_tools.runner import get_runner

    toolchain.need_verilator(wave=wave)
    runner = get_runner("verilator")
    with _make_variables(f"OPT_FAST={optimise} OPT_GLOBAL={optimise}"):
        runner.build(
            sources=sources(design),
            includes=include_folders(design),
            hdl_toplevel=top,
            build_dir=folder,
            build_args=_flags(wave),
            defines=AFTER_START,
            log_file=folder / "build.log",
        )
    return runner


@contextmanager
def _make_variables(more: str) -> Iterator[None]:
    """More variables for the `make` that cocotb's runner starts, which takes none for it.

    It has both processors: other tests often wait for the same simulation.
    """
    before = os.environ.get("MAKEFLAGS", shims.MAKE_VARIABLES)
    os.environ["MAKEFLAGS"] = f"-j{toolchain.PARALLEL_JOBS} {before} {more}"
    try:
        yield
    finally:
        os.environ["MAKEFLAGS"] = before


def _name(preset: str, wave: bool, top: str) -> str:
    """The name of a build's folders and logs; the whole unit is the one without a word."""
    words = [
        _whole_name(preset, top),
        *([] if top in PARTS else [top.lower()]),
        *(["wave"] if wave else []),
    ]
    return "-".join(words)


def _flags(wave: bool) -> list[str]:
    return [*FLAGS, *(WAVE_FLAGS if wave else [])]


def make_top(
    preset: str,
    design: Path,
    folder: Path,
    wave: bool,
    top: str = TOP,
    optimise: str = OPTIMISE_VERILATED,
) -> None:
    """Verilate a module of an elaborated design and compile it to archives in `folder`."""
    toolchain.need_verilator(wave=wave)
    alone = {TOP: "", CARD: ", the card"}.get(top, f", {top} alone")
    title = (f"{preset} with waves" if wave else preset) + alone
    prefix = f"V{top}"
    log = _name(preset, wave, top)
    verilate: list[str | Path] = ["verilator", "--cc", *_flags(wave)]
    verilate += ["--top-module", top, "--prefix", prefix, "--Mdir", folder]
    verilate += ["-CFLAGS", "-fPIC -Winvalid-pch"]
    verilate += [*(f"-I{folder}" for folder in include_folders(design)), *sources(design)]
    verilate += [MONITOR] if top == CARD else []
    run_logged(verilate, f"verilating preset {title}", f"verilate-{log}")
    header = f"{prefix}__pch.h"
    # gcc takes a precompiled header only where it comes first, so the other one is put into it.
    text = (folder / header).read_text()
    (folder / header).write_text(f'#include "{PRINT}"\n{text}')
    make: list[str | Path] = ["make", "-C", folder, "-f", f"{prefix}.mk"]
    make += [f"VK_PCH_I_{kind}=-include {header}.{kind.lower()}" for kind in ("FAST", "SLOW")]
    make += [f"-j{toolchain.PARALLEL_JOBS}", f"OPT_FAST={optimise}"]
    make += [f"OPT_GLOBAL={optimise} -include {PRINT}"]
    run_logged(make, f"compiling the simulation of preset {title}", f"compile-{log}")
    for compiled in folder.glob("*.gch"):
        compiled.unlink()


def make_library(preset: str, top: Path, folder: Path, wave: bool, module: str = TOP) -> None:
    """Compile the device and link it with the archives of `module`, which lie in `top`."""
    toolchain.need_verilator(wave=wave)
    output = folder / library_name(preset, module)
    command = _link(module, top, output, wave)
    run_logged(command, f"linking {output.name}", f"link-{presets.build_name(preset)}")


def make_bench(preset: str, top: Path, model: Path, folder: Path) -> None:
    """Compile the benchmark and link it with the archives of `top` and with the model."""
    toolchain.need_verilator()
    command = _compile(top, BENCH, wave=False)
    command += [*(f"-I{folder}" for folder in BENCH_USES), "-Werror", "-o", folder / BENCH_PROGRAM]
    command += [PRINT.with_suffix(".cpp"), *_archives(top, UNIT), model, "-latomic"]
    run_logged(
        command,
        f"linking {BENCH_PROGRAM} of preset {preset}",
        f"link-{presets.build_name(preset)}-bench",
    )


def _link(module: str, top: Path, output: Path, wave: bool) -> list[str | Path]:
    """The command that compiles the device and links it with the Verilated top."""
    command = _compile(top, DEVICE, wave, PARTS[module])
    command += [f"-DTMU_SIM_CARD={int(module == CARD)}"]
    command += ["-fPIC", "-shared", "-o", output, *_archives(top, module)]
    if module == CARD:
        command += [f"-I{folder}" for folder in CARD_USES]
        command += [cbuild.program(cbuild.ensure(), name) for name in CARD_LIBRARIES]
    command += [
        *cbuild.exports(EXPORTS),
        "-Wl,-z,defs",
        "-latomic",
        *(["-lz", "-llz4"] if wave else []),
    ]
    return command


def _compile(top: Path, sources: Path, wave: bool, *more: Path) -> list[str | Path]:
    """The command that compiles the C++ files of folders that use a Verilated module."""
    files = [file for folder in (sources, *more) for file in sorted(folder.glob("*.cpp"))]
    if not files:
        raise CheckFailed(f"{sources} holds no C++ file")
    flag = int(wave)
    command: list[str | Path] = ["g++", "-std=c++17", OPTIMISE, "-pthread", "-Wall", "-Wextra"]
    command += ["-DVERILATOR=1", f"-DVM_TRACE={flag}", f"-DVM_TRACE_FST={flag}"]
    command += ["-DVM_COVERAGE=0", "-DVM_SC=0", f"-I{sources}", f"-I{DEVICE}", f"-I{HEADERS}"]
    include = shims.verilator_root() / "include"
    for folder in (top, include, include / "vltstd"):
        command += ["-isystem", folder]
    return [*command, *files]


def _archives(top: Path, module: str) -> list[Path]:
    """A Verilated module and Verilator's own part of it."""
    return [top / f"libV{module}.a", top / "libverilated.a"]
