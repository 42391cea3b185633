# SPDX-License-Identifier: Apache-2.0
"""Runs tmu-bench, the compiled benchmark, and reads its JSON lines."""

import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from opentmu import children, presets
from opentmu.benchmark.cells import Cell
from opentmu.build import rtl, verilate
from opentmu.errors import BadInput, CheckFailed, TmuError
from opentmu.progress import step

Result = dict[str, Any]
# Measured interface; the clock of the one says nothing of the other (clock.py).
MATCH_UNIT = "matching unit alone"
WHOLE_UNIT = "whole unit"
_BY_CODE: dict[int, type[TmuError]] = {1: CheckFailed, 2: BadInput}


def shape(preset: str) -> str:
    """The configuration, as the harness is told."""
    p = presets.find(preset)
    tables = (p.posted_entries, p.unexpected_entries, *rtl.positions(preset))
    return ":".join(map(str, (p.endpoints, *tables, p.array_entries, p.id_bits, p.queues)))


def entries(preset: str) -> int:
    """The greatest depth that both queues of a preset can have."""
    p = presets.find(preset)
    return min(p.posted_entries, p.unexpected_entries)


def array(preset: str) -> int:
    """Entries of each queue that are held in lanes and searched at one a clock."""
    return presets.find(preset).array_entries


def measure(preset: str, cells: Sequence[Cell], *, seed: int, pauses: bool) -> list[Result]:
    """Run cells on the Verilated matching unit, every verdict checked against the model.

    Raises CheckFailed with the harness's words at the first wrong verdict.
    """
    program = verilate.bench_program(preset)
    words: list[str | Path] = [program, "--shape", shape(preset), "--seed", str(seed)]
    words += ["--pauses"] if pauses else []
    usual = {"preset": preset, "seed": seed, "measured_at": MATCH_UNIT}
    start = Run(words, [cell.word for cell in cells], lambda found: usual | found)
    return collect("tmu-bench", f"cells of preset {preset}", [start])


@dataclass(frozen=True)
class Run:
    """A start of a program that prints a JSON line for each of its cells."""

    words: Sequence[str | Path]
    cells: Sequence[str]

    read: Callable[[Result], Result]
    """The result that a line holds."""


def collect(name: str, what: str, runs: Sequence[Run]) -> list[Result]:
    """The results of all cells of all runs; raises CheckFailed when one of them is missing."""
    total = sum(len(one.cells) for one in runs)
    results: list[Result] = []
    with step(f"measuring {total} {what}") as ticker:
        for one in runs:

            def take(line: str, read: Callable[[Result], Result] = one.read) -> None:
                results.append(read(json.loads(line)))
                ticker.advance(len(results), total)

            run([*one.words, *one.cells], take, lambda line: None)
    if len(results) != total:
        raise CheckFailed(f"{name}: found {len(results)} results, expected {total}")
    return results


def campaign(preset: str, operations: int, *, seed: int, flowing: bool) -> Result:
    """Random operations on the Verilated matching unit; raises CheckFailed at a wrong verdict."""
    program = verilate.bench_program(preset)
    words: list[str | Path] = [program, "--shape", shape(preset), "--seed", str(seed), "--progress"]
    words += ["--random", str(operations), *(["--flowing"] if flowing else [])]
    return {"preset": preset, **single("tmu-bench", f"random operations on preset {preset}", words)}


def single(name: str, title: str, words: Sequence[str | Path]) -> Result:
    """The one result of a program that says how far it is; raises CheckFailed with its words."""
    results: list[Result] = []
    with step(title) as ticker:

        def spoken(line: str) -> None:
            said = line.split()
            if said[:1] == ["progress"]:
                ticker.advance(int(said[1]), int(said[2]))

        run(words, lambda line: results.append(json.loads(line)), spoken)
    if len(results) != 1:
        raise CheckFailed(f"{name}: found {len(results)} results, expected one")
    return results[0]


def run(
    words: Sequence[str | Path], line: Callable[[str], None], spoken: Callable[[str], None]
) -> None:
    """Run a program, giving its lines on both outputs away as they come.

    A failure raises what its exit code stands for, with what it said on standard error.
    """
    said: list[str] = []

    def listen(stream: IO[str]) -> None:
        for text in stream:
            spoken(text)
            if not text.startswith("progress "):
                said.append(text)

    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with children.start(words, **pipes, text=True) as process:
        reader = threading.Thread(target=listen, args=(process.stderr,), daemon=True)

        def read() -> int:
            reader.start()
            for text in process.stdout or ():
                line(text)
            reader.join()
            return process.wait()

        code = children.guarded(process, read)
    if code != 0:
        kind = _BY_CODE.get(code, CheckFailed)
        raise kind("".join(said).strip() or f"{Path(words[0]).name} ended with code {code}")
