# SPDX-License-Identifier: Apache-2.0
"""Builds a module of an elaborated design once and runs one cocotb test of a file in it.

A run counts only if the results name exactly that test as passed and the simulator ended well:
a simulation that dies, or that runs nothing, has failed.
"""

import ast
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from opentmu import paths, presets, stage
from opentmu.bench import seed
from opentmu.build import rtl, verilate
from opentmu.errors import CheckFailed

SIMULATIONS = paths.BUILD / "cocotb"
RUNTIME = SIMULATIONS / "runtime"
RUNTIME_OBJECTS = "verilated*.o"
PRESET = "tiny"
# A card that is quick to build.
CARD_CONFIGURATION = paths.ROOT / "tests" / "card" / "tiny_card.toml"
CARD = "TmuCard"
SHOWN = 60


@dataclass(frozen=True)
class Result:
    """One cocotb test that ran; `log` is all that the simulation printed."""

    passed: bool
    log: str
    seed: int

    def require(self) -> None:
        """Fails, with the end of the log and how to replay it, unless the test passed."""
        if not self.passed:
            end = "\n".join(self.log.splitlines()[-SHOWN:])
            raise CheckFailed(f"{end}\nReplay with {seed.VARIABLE}={self.seed}")


def cocotb_tests(module: Path) -> list[str]:
    """Names of the cocotb tests in a file; a file without one is an error."""
    tree = ast.parse(module.read_text())
    names = [
        node.name
        for node in tree.body
        if isinstance(node, ast.AsyncFunctionDef)
        and any(ast.unparse(mark).startswith("cocotb.test") for mark in node.decorator_list)
    ]
    if not names:
        raise CheckFailed(f"{module} holds no cocotb test, so nothing would run")
    return names


def build(
    top: str,
    design: Path | None = None,
    name: str | None = None,
    *,
    optimise: str = verilate.OPTIMISE_VERILATED,
) -> Path:
    """The folder of the simulation of module `top`, made when the design has changed.

    `design` is the elaborated design, by default the tiny preset's; `name` tells simulations of
    one module in several designs apart; `optimise` is the compiler's option for what Verilator
    wrote.
    """
    design = design or rtl.ensure(PRESET)
    target = SIMULATIONS / (name or top)
    files = sorted(f for f in design.rglob("*") if f.suffix in (".sv", ".f"))
    key = stage.hash_of(
        [top, optimise, *files, Path(verilate.__file__), paths.ROOT / "requirements.in"]
    )
    stage.ensure(target, key, lambda folder: _build(design, top, folder, optimise), in_place=True)
    return target


def card() -> Path:
    """The folder of the simulation of the whole card."""
    design = rtl.ensure_card(presets.use(CARD_CONFIGURATION))
    # Building takes longer than running.
    return build(CARD, design, optimise=verilate.OPTIMISE_LITTLE)


def _build(design: Path, top: str, folder: Path, optimise: str) -> None:
    key = stage.hash_of([Path(verilate.__file__), paths.ROOT / "requirements.in"])
    if stage.is_current(RUNTIME, key):
        for file in RUNTIME.glob(RUNTIME_OBJECTS):
            shutil.copy(file, folder)
    try:
        verilate.cocotb_runner(design, top, folder, optimise=optimise)
    except (RuntimeError, SystemExit) as error:
        log = folder / "build.log"
        text = log.read_text() if log.is_file() else ""
        raise CheckFailed(f"building {top}: {error}\n{text[-4000:]}") from error
    stage.ensure(RUNTIME, key, lambda target: _keep_runtime(folder, target))


def _keep_runtime(folder: Path, target: Path) -> None:
    """The simulator's own objects are the same for every module: keep them for the next build."""
    for file in folder.glob(RUNTIME_OBJECTS):
        shutil.copy(file, target)


def run(folder: Path, top: str, module: Path, test: str, *plusargs: str) -> Result:
    """Run the cocotb test `test` of the file `module` in a built simulation."""
    from cocotb_tools.runner import get_runner

    if test not in cocotb_tests(module):
        raise CheckFailed(f"{module} holds no cocotb test {test}")
    number = seed.choose()
    run_folder = (
        paths.TEST_REPORTS / "cocotb" / f"{folder.name}-{module.stem}-{test}{''.join(plusargs)}"
    )
    run_folder.mkdir(parents=True, exist_ok=True)
    log, results = run_folder / "simulation.log", run_folder / "results.xml"
    results.unlink(missing_ok=True)
    ended_well = True
    sys.path.insert(0, os.fspath(module.parent))
    try:
        get_runner("verilator").test(
            test_module=module.stem,
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            testcase=test,
            seed=number,
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{number}", *plusargs],
            extra_env={seed.VARIABLE: str(number), "COCOTB_LOG_LEVEL": "INFO"},
            build_dir=folder,
            test_dir=run_folder,
            results_xml=os.fspath(results),
            log_file=log,
        )
    except (RuntimeError, SystemExit):
        ended_well = False
    finally:
        sys.path.remove(os.fspath(module.parent))
    text = log.read_text(errors="replace") if log.is_file() else ""
    print(f"{module.name}::{test}: {seed.VARIABLE}={number} replays this run; log {log}")
    return Result(ended_well and passed(results, test), text, number)


def passed(results: Path, test: str) -> bool:
    """Whether the results name this one test, as run and passed."""
    try:
        cases = list(ElementTree.parse(results).iter("testcase"))
    except (ElementTree.ParseError, OSError):
        return False
    ran = [case.get("name") for case in cases if case.find("skipped") is None]
    bad = any(case.find(kind) is not None for case in cases for kind in ("failure", "error"))
    return ran == [test] and not bad


def check(top: str, module: Path, test: str) -> None:
    """Build if needed, run, and fail unless the test passed."""
    run(build(top), top, module, test).require()
