# SPDX-License-Identifier: Apache-2.0
"""One replay: a C program on one trace, its progress lines and its JSON object.

tmu-replay drives a device through the driver; tmu-engine runs a software matching engine alone.
"""

import json
import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from opentmu import children, paths, presets
from opentmu.errors import BadInput, CheckFailed, TmuError, ToolMissing
from opentmu.progress import step, warn

PROGRAM = "tmu-replay"
SOFTWARE_PROGRAM = "tmu-engine"
_TABLE = paths.SIM / "engines" / "engines.h"


def software(kind: str = r"\w+") -> tuple[str, ...]:
    """Names of the software engines, or of those of a kind, in the order of their table."""
    return tuple(re.findall(rf'^    X\("([\w-]+)", \w+, {kind}\)', _TABLE.read_text(), re.M))


# Engines that the hardware is compared with: no device, no driver, no clock.
SOFTWARE = software("OFFERED")
DEVICES = ("rtl", "model")
ENGINES = (*DEVICES, *SOFTWARE)
_BY_CODE: dict[int, type[TmuError]] = {1: CheckFailed, 2: BadInput, 3: ToolMissing}

Progress = Callable[[int, int], None]
Message = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """Options of a run, the same for all its traces."""

    engine: str
    preset: str
    pauses: int | None = None
    quota: int | None = None
    spill: int | None = None
    timed: bool = False
    clock_mhz: float | None = None
    refuse_endpoints: bool = False


def check_spill(segments: int | None, preset: str) -> None:
    """Raise BadInput for more segments of memory than the preset takes."""
    most = presets.find(preset).spill_segments
    if segments is not None and segments > most:
        raise BadInput(f"--spill {segments}: preset {preset} takes {most} segments at most")


def check_wave(wave: Path | None) -> None:
    """Raise BadInput for a path that the device's options, as in a URI, would cut."""
    if wave is not None and (cut := sorted(set("&?") & set(str(wave)))):
        raise BadInput(f"--wave {wave}: found {cut[0]!r}, expected a path without & and ?")


def check_fits(program: Path, trace: Path, preset: str) -> None:
    """Raise BadInput, before anything is built, for a trace with keys that have no room there."""
    uri = presets.functional(preset)
    words = [str(program), "--uri", uri, "--trace", str(trace), "--check", "--refuse-endpoints"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(done.stderr.strip().removeprefix(f"{PROGRAM}: "))


def uri(options: Options, library: Path | None, wave: Path | None) -> str:
    """The device that the driver opens: the Verilated unit, or the reference model."""
    if options.engine == "model":
        return presets.functional(options.preset)
    query = [f"pauses={options.pauses}"] if options.pauses is not None else []
    query += [f"wave={wave}"] if wave is not None else []
    return f"sim:{library}" + (f"?{'&'.join(query)}" if query else "")


def command(
    program: Path, device: str, trace: Path, options: Options, verdicts: Path | None
) -> list[str]:
    """The command line of one replay."""
    words = [str(program), "--uri", device, "--trace", str(trace), "--progress"]
    words += ["--verdicts", str(verdicts)] if verdicts is not None else []
    words += ["--quota", str(options.quota)] if options.quota is not None else []
    words += ["--spill", str(options.spill)] if options.spill is not None else []
    words += ["--timed"] if options.timed else []
    words += ["--clock-mhz", str(options.clock_mhz)] if options.clock_mhz is not None else []
    return [*words, *_refusing(options)]


def _refusing(options: Options) -> list[str]:
    return ["--refuse-endpoints"] if options.refuse_endpoints else []


def software_command(
    program: Path, trace: Path, options: Options, verdicts: Path | None
) -> list[str]:
    """The command line of one replay by a software engine, with the limits of the preset.

    With registered memory its tables are no limit.
    """
    preset = presets.find(options.preset)
    limited = options.spill == 0
    words = [str(program), "--engine", options.engine, "--trace", str(trace)]
    words += ["--preset", preset.name, "--endpoints", str(preset.endpoints)]
    words += ["--posted", str(preset.posted_entries if limited else 0)]
    words += ["--unexpected", str(preset.unexpected_entries if limited else 0)]
    words += ["--verdicts", str(verdicts)] if verdicts is not None else []
    words += ["--quota", str(options.quota)] if options.quota is not None else []
    return [*words, *_refusing(options)]


def replay(words: list[str], progress: Progress, message: Message) -> dict[str, Any]:
    """Run one replay; the result is its JSON object.

    A run that found differences still has a result, with `mismatches` above 0.
    One without a result ends in the error that its exit code stands for.
    """
    spoken: list[str] = []

    def pass_on(line: str) -> None:
        spoken.append(line)
        message(line)

    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with children.start(words, **pipes, text=True) as process:
        listening = (process.stderr, progress, pass_on)
        reader = threading.Thread(target=_listen, args=listening, daemon=True)

        def read() -> tuple[str, int]:
            reader.start()
            said: str = process.stdout.read() if process.stdout else ""
            reader.join()
            return said, process.wait()

        text, code = children.guarded(process, read)
    return _result(text, code, spoken, Path(words[0]).name)


def replay_with_progress(trace: Path, words: list[str]) -> dict[str, Any]:
    """Run one replay as a step that says how far it is."""
    with step(f"replaying {trace.name}") as ticker:
        return replay(words, ticker.advance, warn)


def _listen(stream: IO[str], progress: Progress, message: Message) -> None:
    for line in stream:
        words = line.split()
        if len(words) == 3 and words[0] == "progress" and words[1].isdigit() and words[2].isdigit():
            progress(int(words[1]), int(words[2]))
        elif line.strip():
            message(line.rstrip("\n"))


def _result(text: str, code: int, spoken: list[str], program: str) -> dict[str, Any]:
    if code not in (0, 1):
        # The program has said why; a signal or an unknown code is said here.
        kind = _BY_CODE.get(code, CheckFailed)
        raise kind("" if spoken and code in _BY_CODE else f"{program} ended with code {code}")
    try:
        result = json.loads(text)
    except json.JSONDecodeError as error:
        if code == 1 and spoken and not text.strip():
            raise CheckFailed("") from error
        raise CheckFailed(f"{program}: found {text[:80]!r}, expected a JSON object") from error
    if not isinstance(result, dict):
        raise CheckFailed(f"{program}: found {type(result).__name__}, expected a JSON object")
    # The exit code says "a check failed" even where no verdict differs.
    result.setdefault("mismatches", 0)
    result["ok"] = code == 0 and result["mismatches"] == 0
    return result
