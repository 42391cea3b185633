# SPDX-License-Identifier: Apache-2.0
"""The stages of `tmu test`.  Each takes its log file and returns an Outcome."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import paths, stage, toolchain
from opentmu.build import cbuild, rtl, verilate
from opentmu.formal import design
from opentmu.process import run_into
from opentmu.replay import engine
from opentmu.testing import house
from opentmu.testing.long import CAMPAIGNS, Campaign, judge
from opentmu.testing.outcome import Outcome, of_check, of_reports

# Stages of `tmu test --fast`; of pytest the tests that tests/conftest.py marks.
FAST = (
    *("house-rules", "python-format", "python-lint", "python-types"),
    *("c-format", "c-tests", "pytest"),
)
GENERATED_C = paths.ROOT / "sw-driver" / "include" / "tmu" / "tmu_regs.h"
C_FOLDERS = ("sim", "sw-driver", "tests", "tools", "fpga")
ELABORATED = ("tiny", "small")
# Workers take tests one by one, in the order of tests/conftest.py.
SOAK_OPERATIONS = 200_000  # of `tmu test --preset` and `--config`
WORKERS = ("-n", str(toolchain.PARALLEL_JOBS), "--dist", "load", "--maxschedchunk", "1")


@dataclass(frozen=True)
class Stage:
    """A named part of the tests; `run` writes what its programs print to the log."""

    name: str
    run: Callable[[Path], Outcome]


def execute(command: Sequence[str | Path], log: Path) -> int:
    """Run a program from the root with its output appended to `log`; its exit code."""
    with log.open("a") as output:
        print("$", *command, file=output, flush=True)
        return run_into(output, command, cwd=paths.ROOT)


def check(name: str, *command: str | Path, remedy: str = "") -> Stage:
    """A stage of one program whose exit code says it all; `remedy` is what mends a failure."""
    return Stage(name, lambda log: _judge(name, execute(command, log), log, remedy))


def _judge(name: str, code: int, log: Path, remedy: str) -> Outcome:
    if code != 0 and remedy:
        with log.open("a") as output:
            print(f"To mend it type: {remedy}", file=output)
    return of_check(name, code == 0)


def _mill(log: Path, *arguments: str) -> int:
    toolchain.need_mill()
    with rtl.mill_alone():
        before = log.stat().st_size if log.exists() else 0
        code = execute(["mill", *rtl.MILL_OPTIONS, *arguments], log)
        if code != 0:
            rtl.repair(log.read_bytes()[before:].decode(errors="replace").partition("\n")[2])
        return code


def _scala_format(log: Path) -> Outcome:
    code = _mill(log, "hw.checkFormat", "+", "hw.test.checkFormat")
    return _judge("scala-format", code, log, "build/bin/mill hw.reformat + hw.test.reformat")


def _scala_tests(log: Path) -> Outcome:
    toolchain.need_verilator()
    folder = paths.BUILD / "mill-out" / "hw" / "test"
    for old in folder.rglob("test-report.xml"):
        old.unlink()
    code = _mill(log, "hw.test")
    return of_reports("scala-tests", folder.rglob("test-report.xml"), code)


def _designs(log: Path) -> Outcome:
    """Designs for pytest, before the tests in Scala have Mill for minutes; no test itself."""
    for preset in ELABORATED:
        rtl.ensure(preset)
    for card in ("", design.ANY_STAGE):
        design.ensure(card)
        design.ensure_mutants(card)
    return Outcome()


def _generated(log: Path) -> Outcome:
    stale = rtl.stale_files()
    log.write_text("".join(f"{file} is not fresh; type: ./tmu generate\n" for file in stale))
    return of_check("generated-files", not stale)


def _c_format(log: Path) -> Outcome:
    files = [
        file
        for folder in C_FOLDERS
        for kind in ("*.c", "*.h", "*.cpp")
        for file in sorted((paths.ROOT / folder).rglob(kind))
        if file != GENERATED_C
    ]
    code = execute(["clang-format", "-n", "--Werror", *files], log)
    return _judge("c-format", code, log, "build/venv/bin/clang-format -i FILE")


def _c_tests(variant: cbuild.Variant, *selection: str) -> Callable[[Path], Outcome]:
    """The C tests of one build, or those that ctest selects by these options."""

    def run(log: Path) -> Outcome:
        folder = cbuild.ensure(variant)
        report = log.with_suffix(".xml")
        report.unlink(missing_ok=True)
        command: list[str | Path] = ["ctest", "--test-dir", folder, "--output-on-failure"]
        # One at a time in a folder: ctest keeps notes of its own in it.
        with stage.locked(f"{folder.name}-tests"):
            code = execute([*command, *selection, "--output-junit", report], log)
        return of_reports(f"tests in {folder.name}", [report], code)

    return run


def _pytest(expression: str | None, selected: str) -> Callable[[Path], Outcome]:
    def run(log: Path) -> Outcome:
        report = log.with_name("pytest.xml")
        report.unlink(missing_ok=True)
        command: list[str | Path] = [sys.executable, "-P", "-m", "pytest", f"--junitxml={report}"]
        command += WORKERS
        command += ["-k", expression] if expression else []
        command += ["-m", selected] if selected else []
        code = execute(command, log)
        if code == 5 and expression:
            return Outcome()
        return of_reports("pytest", [report], code)

    return run


def _campaign(campaign: Campaign) -> Stage:
    def run(log: Path) -> Outcome:
        program = cbuild.program(cbuild.ensure(), campaign.program)
        progress = ["--progress"] if campaign.program == engine.PROGRAM else []
        options = engine.Options("rtl", campaign.preset, campaign.pauses)
        device = engine.uri(options, verilate.library(campaign.preset), None)
        device += f"&lulls={campaign.lulls}" if campaign.lulls is not None else ""
        with log.open("w") as output:
            result = engine.replay(
                [str(program), "--uri", device, *campaign.arguments, *progress],
                lambda done, total: None,
                lambda line: print(line, file=output, flush=True),
            )
            print(result, file=output)
            outcome = judge(campaign, result)
            for failure in outcome.failures:
                print(failure, file=output)
        return outcome

    return Stage(campaign.name, run)


def soak(preset: str) -> Stage:
    """Random operations with resets, quotas and reserves on one configuration."""
    words = ("--random", str(SOAK_OPERATIONS), "--seed", "1", "--soak")
    least = {"operations": SOAK_OPERATIONS, "soak.given_back": SOAK_OPERATIONS // 100}
    return _campaign(Campaign(f"soak-{preset}", preset, words, least, pauses=1))


def lanes(expression: str | None, *, long: bool = False, fast: bool = False) -> list[list[Stage]]:
    """Stages by lane: lanes run side by side, a lane's stages one after the other.

    Mill calls are in one lane, for they never overlap; there is none among the fast stages.
    """
    toolchain.use_path()
    if fast:
        kept = [one for one in _rest(expression, "fast and not long") if one.name in FAST]
        return [_chosen(kept, expression)]
    scala = [
        Stage("scala-format", _scala_format),
        Stage("generated-files", _generated),
        Stage("designs", _designs),
        Stage("scala-tests", _scala_tests),
    ]
    rest = _rest(expression, "" if long else "not long")
    rest += [_campaign(campaign) for campaign in CAMPAIGNS] if long else []
    return [_chosen(scala, expression), _chosen(rest, expression)]


def _rest(expression: str | None, selected: str) -> list[Stage]:
    """The stages without Mill; `selected` are pytest's marks."""
    ruff = "build/venv/bin/ruff"
    return [
        Stage("house-rules", house.run),
        check("python-format", "ruff", "format", "--check", ".", remedy=f"{ruff} format"),
        check("python-lint", "ruff", "check", ".", remedy=f"{ruff} check --fix"),
        check("python-types", "mypy"),
        Stage("c-format", _c_format),
        Stage("c-tests", _c_tests(cbuild.PLAIN)),
        # Threads have a sanitizer of their own.
        Stage("c-tests-sanitized", _c_tests(cbuild.SANITIZED, "-LE", "threads")),
        Stage("c-tests-threads", _c_tests(cbuild.THREADS, "-L", "threads")),
        Stage("pytest", _pytest(expression, selected)),
    ]


def _chosen(stages: Iterable[Stage], expression: str | None) -> list[Stage]:
    """All stages; with an expression pytest, which selects by it, and those named like it."""
    if not expression:
        return list(stages)
    return [one for one in stages if one.name == "pytest" or expression in one.name]
