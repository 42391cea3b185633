# SPDX-License-Identifier: Apache-2.0
"""Chisel to SystemVerilog, one folder per preset, made again when hw/ or the build changes."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from opentmu import paths, presets, stage, toolchain
from opentmu.errors import BadInput, CheckFailed
from opentmu.process import run_logged

MAIN = "tmu.Elaborate"
LOCATORS = "--source-locators"
MUTANTS = "--mutants"
CARD = "--card"
# Beside a design: what it was elaborated from, and sizes that follow.
CONFIGURATION = "configuration.json"
# Before what the elaborating program answers, among the lines of Mill.
SAID = "said: "
MILL_OPTIONS = ("--no-server", "--ticker", "false", "--color", "false")
MILL_OUT = paths.BUILD / "mill-out"
RUNNING = MILL_OUT / ".running"
# Last line of Mill when it was not killed itself.
REPORTED = re.compile(r"^\d+ (targets|tasks) failed$", re.MULTILINE)
# A failure that names a source of ours, or a call of one, is that source's.
OURS = re.compile(r"\bhw/\S+\.scala\b|\bbuild\.sc\b|^\s*(at )?tmu\.", re.MULTILINE)
SOURCES = (paths.HW / "src", paths.ROOT / "build.sc", paths.ROOT / ".mill-version")


def source_key() -> str:
    """Hash of everything that decides what Chisel writes."""
    return stage.hash_of(SOURCES)


def ensure(preset: str) -> Path:
    """The folder with this configuration's SystemVerilog, filelist.f and bind files."""
    return _ensure(preset, presets.build_name(preset))


def ensure_card(preset: str) -> Path:
    """The same of the card of a configuration that has a network side."""
    if not presets.has_network(preset):
        raise BadInput(f"{preset}: pdcs is 0; a card has a network side, so it must be more")
    return _ensure(preset, card_name(preset), CARD)


def card_name(preset: str) -> str:
    """Name of the folder with a configuration's card."""
    return f"{presets.build_name(preset)}-card"


def ensure_located(preset: str) -> Path:
    """The same, and each line says where in the Chisel source it is from.

    What is built here is built without: a line that only moves in the source builds nothing anew.
    """
    return _ensure(preset, f"{presets.build_name(preset)}-located", LOCATORS)


def ensure_mutants(preset: str) -> Path:
    """The same with a switch, a module without a body, for each mutant; see mutants.py."""
    return _ensure(preset, f"{presets.build_name(preset)}-mutants", MUTANTS)


def _ensure(preset: str, name: str, *options: str) -> Path:
    target = paths.RTL / name
    key = stage.hash_of([source_key(), presets.chisel(preset), *options])
    if not stage.is_current(target, key):
        toolchain.need_mill()
    stage.ensure(target, key, lambda folder: write(preset, folder, *options))
    return target


def positions(preset: str) -> tuple[int, int]:
    """Positions of both tables that an inspect can name, as Chisel has worked them out."""
    found = json.loads((ensure(preset) / CONFIGURATION).read_text())
    return found["postedPositions"], found["unexpectedPositions"]


def write(preset: str, folder: Path, *options: str) -> None:
    """Write a preset's SystemVerilog and its registers in SystemRDL into `folder`."""
    mill(
        ["hw.runMain", MAIN, "verilog", presets.chisel(preset), str(folder), *options],
        f"elaborating preset {preset} with Chisel",
        f"elaborate-{presets.build_name(preset)}",
    )


def ensure_lanes() -> Path:
    """The folder with a folder of Verilog for each kind of lane; see Verilog.scala."""
    return _ensure_parts("lanes", "each kind of lane")


def ensure_stages() -> Path:
    """The folder with a folder of Verilog for each stage of the card; see Verilog.scala."""
    return _ensure_parts("card", "each stage of the card")


def _ensure_parts(command: str, what: str) -> Path:
    target = paths.RTL / command
    key = stage.hash_of([source_key(), command])
    if not stage.is_current(target, key):
        toolchain.need_mill()
    stage.ensure(target, key, lambda folder: write_parts(command, what, folder))
    return target


def write_parts(command: str, what: str, folder: Path, *options: str, suffix: str = "") -> None:
    """Write the Verilog that Elaborate has for `command`, which knows no preset, below `folder`."""
    mill(
        ["hw.runMain", MAIN, command, str(folder), *options],
        f"elaborating {what} with Chisel",
        f"elaborate-{command}{suffix}",
    )


def stale_files(root: Path = paths.ROOT) -> dict[str, bytes]:
    """Generated files below `root` that differ from what Chisel writes: name to right content."""
    fresh = fresh_files()
    return {file: text for file, text in fresh.items() if not _same(root / file, text)}


@cache
def fresh_files() -> dict[str, bytes]:
    """The committed generated files as Chisel writes them, asked once in a process."""
    toolchain.need_mill()
    with tempfile.TemporaryDirectory(prefix="tmu-generated-") as name:
        fresh = Path(name)
        mill(["hw.runMain", MAIN, "generate", name], "generating files from Chisel", "generate")
        files = sorted(f for f in fresh.rglob("*") if f.is_file())
        if not files:
            raise CheckFailed(f"{MAIN} generate wrote no file")
        return {str(f.relative_to(fresh)): f.read_bytes() for f in files}


@contextmanager
def mill_alone() -> Iterator[None]:
    """While a Mill command runs: Mill calls of one checkout never overlap.

    A Mill that was killed may leave classes deleted, or half a build file compiled, and yet believe
    that they are up to date: all of its state is thrown away when the call before this one did not
    come to its end.
    So it is when Mill did not end by itself, or failed for a reason that is in no source of ours,
    for which it would fail again.
    """
    with stage.locked("mill"):
        if RUNNING.exists():
            forget()
        RUNNING.parent.mkdir(parents=True, exist_ok=True)
        RUNNING.touch()
        try:
            yield
        except CheckFailed as error:
            repair(str(error))
            RUNNING.unlink()
            raise
        RUNNING.unlink()


def repair(said: str) -> None:
    """After a Mill call that failed and said this; the caller holds the lock."""
    if not (REPORTED.search(said) and OURS.search(said)):
        forget()


def forget() -> None:
    """Remove all state of Mill; the caller holds the lock.

    The mark of a running call is left: who is killed in here has not finished.
    """
    for one in MILL_OUT.iterdir():
        if one == RUNNING:
            continue
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        else:
            one.unlink()


def mill(arguments: list[str], title: str, log: str) -> None:
    """Run one Mill command."""
    with mill_alone():
        run_logged(["mill", *MILL_OPTIONS, *arguments], title, log, cwd=paths.ROOT)


def ask(*arguments: str) -> list[str]:
    """The lines that the elaborating program prints to its arguments."""
    toolchain.need_mill()
    log = f"ask-{arguments[0]}"
    mill(["hw.runMain", MAIN, *arguments], "asking Chisel", log)
    lines = (paths.LOGS / f"{log}.log").read_text().splitlines()
    return [line.removeprefix(SAID) for line in lines if line.startswith(SAID)]


def _same(file: Path, content: bytes) -> bool:
    return file.is_file() and file.read_bytes() == content
