# SPDX-License-Identifier: Apache-2.0
"""The one place that turns Verilog into a simulation.

firtool puts assertions into bind files that its filelist.f does not name: a simulation made from
the file list alone would run without a single check.  `sources` always adds them.
"""

from pathlib import Path
from typing import Any

from opentmu import paths, stage, toolchain
from opentmu.build import rtl
from opentmu.errors import CheckFailed
from opentmu.process import run_logged
from opentmu.setup import shims

TOP = "TmuTop"
DEVICE = paths.SIM / "device"
# What the simulation prints goes to the device, not to standard output.
PRINT = DEVICE / "sim_print.h"
HEADERS = paths.ROOT / "sw-driver" / "include"

# Undriven values are drawn from the run's seed (the device seeds Verilator with that of --pauses).
FLAGS = ["-O3", "--assert", "--no-timing", "--x-assign", "fast", "--x-initial", "unique"]
WAVE_FLAGS = ["--trace-fst", "--trace-structs"]
OPTIMISE = "-O2"

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
    """Where the bind files find the ones that they include."""
    return sorted({folder, *(bind.parent for bind in bind_files(folder))})


def library(preset: str, *, wave: bool = False) -> Path:
    """The shared library with the Verilated top of `preset` and the device's C interface."""
    top = verilated_top(preset, wave=wave)
    target = paths.VERILATED / (f"{preset}-wave" if wave else preset)
    key = stage.hash_of([(top / stage.STAMP).read_text(), DEVICE, HEADERS])
    stage.ensure(target, key, lambda folder: make_library(preset, top, folder, wave))
    return target / library_name(preset)


def verilated_top(preset: str, *, wave: bool = False) -> Path:
    """The folder with the Verilated top as archives and headers, without the device around it."""
    design = rtl.ensure(preset)
    target = paths.VERILATED / (f"{preset}-wave-top" if wave else f"{preset}-top")
    pins = (paths.ROOT / "requirements.in").read_text()
    stamp = (design / stage.STAMP).read_text()
    key = stage.hash_of([stamp, pins, *_flags(wave), Path(__file__), PRINT])
    stage.ensure(target, key, lambda folder: make_top(preset, design, folder, wave))
    return target


def library_name(preset: str) -> str:
    return f"libtmu_sim_{preset}.so"


def cocotb_runner(design: Path, top: str, folder: Path, *, wave: bool = False) -> Any:
    """A cocotb runner with the module `top` of an elaborated design built below `folder`."""
    from cocotb_tools.runner import get_runner

    toolchain.need_verilator(wave=wave)
    runner = get_runner("verilator")
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


def _flags(wave: bool) -> list[str]:
    return [*FLAGS, *(WAVE_FLAGS if wave else [])]


def make_top(preset: str, design: Path, folder: Path, wave: bool) -> None:
    """Verilate an elaborated design and compile it to archives in `folder`."""
    toolchain.need_verilator(wave=wave)
    title = f"{preset} with waves" if wave else preset
    prefix = f"V{TOP}"
    header = f"-include {prefix}__pch.h"
    log = f"{preset}-wave" if wave else preset
    verilate: list[str | Path] = ["verilator", "--cc", *_flags(wave)]
    verilate += ["--top-module", TOP, "--prefix", prefix, "--Mdir", folder]
    verilate += ["-CFLAGS", f"-fPIC -include {PRINT}"]
    verilate += [*(f"-I{place}" for place in include_folders(design)), *sources(design)]
    run_logged(verilate, f"verilating preset {title}", f"verilate-{log}")
    make: list[str | Path] = ["make", "-C", folder, "-f", f"{prefix}.mk"]
    # Another forced header comes first, so gcc cannot use the precompiled ones: name the plain one.
    make += [f"VK_PCH_I_FAST={header}", f"VK_PCH_I_SLOW={header}"]
    make += [f"-j{toolchain.PARALLEL_JOBS}", f"OPT_FAST={OPTIMISE}", f"OPT_GLOBAL={OPTIMISE}"]
    run_logged(make, f"compiling the simulation of preset {title}", f"compile-{log}")


def make_library(preset: str, top: Path, folder: Path, wave: bool) -> None:
    """Compile the device and link it with the archives of `top`."""
    toolchain.need_verilator(wave=wave)
    output = folder / library_name(preset)
    run_logged(_link(top, output, wave), f"linking {output.name}", f"link-{preset}")


def _link(top: Path, output: Path, wave: bool) -> list[str | Path]:
    """The command that compiles the device and links it with the Verilated top."""
    files = sorted(DEVICE.glob("*.cpp"))
    if not files:
        raise CheckFailed(f"{DEVICE} holds no C++ file")
    flag = int(wave)
    command: list[str | Path] = ["g++", "-std=c++17", OPTIMISE, "-fPIC", "-shared", "-pthread"]
    command += ["-Wall", "-Wextra", "-DVERILATOR=1"]
    command += [f"-DVM_TRACE={flag}", f"-DVM_TRACE_FST={flag}"]
    command += ["-DVM_COVERAGE=0", "-DVM_SC=0", f"-I{DEVICE}", f"-I{HEADERS}"]
    command += ["-isystem", top, "-isystem", shims.verilator_root() / "include"]
    command += [*files, "-o", output, top / f"libV{TOP}.a", top / "libverilated.a"]
    command += ["-Wl,-z,defs", "-latomic", *(["-lz", "-llz4"] if wave else [])]
    return command
