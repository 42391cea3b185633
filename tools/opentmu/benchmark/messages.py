# SPDX-License-Identifier: Apache-2.0
"""Latency and rate of MPI messages: matched by the unit, by each engine, and without a unit.

Runs sim/campaigns/messages on two ranks of the MPI in PATH, once for each cell and matcher.  Every
verdict is judged as by `tmu mpi`, and the unit's counters have to show that the cell was what it
says.
"""

import ctypes
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import children, paths, presets, stage
from opentmu.benchmark import harness
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise
from opentmu.build import cbuild, verilate
from opentmu.errors import CheckFailed
from opentmu.mpi import check, launch, library, provider
from opentmu.process import run_logged
from opentmu.progress import step

SOURCE = paths.SIM / "campaigns" / "messages" / "messages.c"
FLAGS = tuple(flag for flag in cbuild.LIBRARY_FLAGS if flag not in ("-shared", "-fPIC"))
RANKS = 2
# Matched by libfabric's own provider, on which the unit's sits; no unit anywhere.
PLAIN = "plain"
ENGINES = (PLAIN, "model", launch.SOFTWARE, "rtl")
LATENCY, EXPECTED, REVERSE, UNEXPECTED = "latency", "expected", "reverse", "unexpected"
EAGER = 8  # bytes
# libfabric's provider for datagrams over TCP has this name, and before that version `net`.
TCP_SINCE = (1, 18)
# 1.17's reads no further when so many wait; more was not tried with later versions.
PLAIN_UNEXPECTED_MAX = 4
PATIENCE = 120.0  # seconds, for one run
# That a message may keep the unit at work while its queues lie in lanes.
BUSY_CLOCKS = 24


@dataclass(frozen=True)
class Cell:
    """A cell, in the words of sim/campaigns/messages; `number` is a depth or a window."""

    kind: str
    number: int
    bytes: int

    def words(self, repeats: int) -> list[str]:
        return [self.kind, str(self.number), str(self.bytes), str(repeats)]

    def repeats(self, engine: str, *, quick: bool) -> int:
        """Fewer where each message is large, or the unit is simulated."""
        messages = max(1, self.number) if self.kind != LATENCY else 1
        most = 4_000 if engine != "rtl" else 1_000
        return max(
            10, min(most // messages, (1 << 28) // max(1, self.bytes)) // (10 if quick else 1)
        )


SIZES = (8, 512, 4096, 16384, 65536, 262144, 1048576)
CELLS = (
    *(Cell(LATENCY, 0, size) for size in SIZES),
    *(Cell(LATENCY, depth, EAGER) for depth in (16, 48, 256)),
    *(
        Cell(kind, window, EAGER)
        for kind in (EXPECTED, REVERSE, UNEXPECTED)
        for window in (1, 8, 32, 256)
    ),
)
QUICK = (
    Cell(LATENCY, 0, EAGER),
    Cell(LATENCY, 0, 65536),
    Cell(LATENCY, 48, EAGER),
    *(Cell(kind, 32, EAGER) for kind in (EXPECTED, REVERSE, UNEXPECTED)),
)
ROUNDS = 2


@dataclass(frozen=True)
class Setting:
    """The arguments that all runs have in common."""

    preset: str
    program: Path
    mpi: library.Library
    provider: Path
    device: Path
    quick: bool


def measure(preset: str, *, quick: bool) -> list[Result]:
    """Each cell with each matcher, in turns; raises CheckFailed at a wrong verdict."""
    cells = QUICK if quick else CELLS
    setting = set_up(preset, quick=quick)
    rounds = 1 if quick else ROUNDS
    plan = [(cell, engine) for cell in cells for engine in matchers(cell)]
    found: dict[tuple[Cell, str], list[Result]] = {}
    total = rounds * len(plan)
    with step(f"measuring {total} runs of MPI messages") as ticker:
        for done, (cell, engine) in enumerate(plan * rounds):
            ticker.advance(done, total)
            found.setdefault((cell, engine), []).append(run(setting, cell, engine))
    return [together(preset, engine, runs) for (_, engine), runs in found.items()]


def matchers(cell: Cell) -> tuple[str, ...]:
    """The matchers that can do a cell: `net` stops for good behind some unexpected messages."""
    stops = cell.kind == UNEXPECTED and cell.number > PLAIN_UNEXPECTED_MAX
    return tuple(engine for engine in ENGINES if engine != PLAIN or not stops)


def set_up(preset: str, *, quick: bool) -> Setting:
    """Everything built and installed before the first run."""
    presets.check_replayable(preset)
    mpi = library.choose(library.DEFAULT)
    folder = provider.folder()
    cbuild.ensure()
    return Setting(preset, program(mpi), mpi, folder, verilate.library(preset), quick)


def program(mpi: library.Library) -> Path:
    """sim/campaigns/messages, compiled with this MPI when sources or MPI have changed."""
    shown = subprocess.run([mpi.compiler, "-show"], capture_output=True, text=True, check=False)
    folder = paths.BUILD / "messages"

    def build(folder: Path) -> None:
        command: list[str | Path] = [mpi.compiler, *FLAGS, "-o", folder / "messages", SOURCE]
        run_logged(command, "building the benchmark of messages", "messages-build")

    stage.ensure(folder, stage.hash_of([SOURCE, shown.stdout, *FLAGS]), build)
    return folder / "messages"


def below() -> str:
    """libfabric's own provider, by its name in the machine's version."""
    version = int(ctypes.CDLL("libfabric.so.1").fi_version())
    return "tcp" if (version >> 16, version & 0xFFFF) >= TCP_SINCE else "net"


def environment(setting: Setting, engine: str, files: Path) -> tuple[list[str], dict[str, str]]:
    """Command line that starts the ranks, less the program's own words; its environment."""
    uri = launch.uri("model" if engine == PLAIN else engine, setting.preset, setting.device)
    words = [str(setting.program)]
    job = launch.Job(words, RANKS, uri, setting.provider, files, setting.mpi)
    known = launch.environment(job, os.environ)
    if len(os.sched_getaffinity(0)) >= RANKS:
        # Ranks that give their processor away while they wait get it back when a neighbour on the
        # machine has had its turn, which is milliseconds: that is not what is measured.
        known["OMPI_MCA_mpi_yield_when_idle"] = "0"
    if engine == PLAIN:
        known["OMPI_MCA_mtl_ofi_provider_include"] = below()
        known["OMPI_MCA_opal_common_ofi_provider_include"] = below()
    return launch.words(job), known


def run(setting: Setting, cell: Cell, engine: str) -> Result:
    """One run: what the program printed, and what the units counted."""
    repeats = cell.repeats(engine, quick=setting.quick)
    with tempfile.TemporaryDirectory(prefix="tmu-messages-") as folder:
        words, known = environment(setting, engine, Path(folder))
        title = f"{' '.join(cell.words(repeats))} with {engine}"
        try:
            done = children.run(
                [*words, *cell.words(repeats)],
                seconds=PATIENCE,
                env=known,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        except subprocess.TimeoutExpired as error:
            raise CheckFailed(f"{title}: it had not ended after {PATIENCE:.0f} s") from error
        if done.returncode != 0:
            raise CheckFailed(f"{title}: exit code {done.returncode}\n{done.stderr.strip()}")
        found: Result = json.loads(done.stdout)
        reports = check.reports(Path(folder))
        entries = harness.entries(setting.preset)
        return {**found, **counted(title, cell, found["repeats"], engine, reports, entries)}


def counted(
    title: str, cell: Cell, repeats: int, engine: str, ranks: Sequence[check.Report], entries: int
) -> Result:
    """Counts of the units; raises CheckFailed where they are wrong, or not the cell's work."""
    if len(ranks) != (0 if engine == PLAIN else RANKS):
        raise CheckFailed(f"{title}: found {len(ranks)} reports of units")
    for rank in ranks:
        if rank["mismatches"] or rank["differences"]:
            raise CheckFailed(f"{title}: {rank['mismatch'] or rank['differences'][0]}")
    for counter, least in evidence(cell, repeats, entries).items():
        found = max((rank["unit"][counter] for rank in ranks), default=least)
        if found < least:
            raise CheckFailed(f"{title}: found {counter} {found}, expected at least {least}")
    operations = sum(rank["operations"] for rank in ranks)
    matches = sum(rank["unit"]["arrive_matched"] + rank["unit"]["post_matched"] for rank in ranks)
    clocks: Result = {"verdicts": operations, "matches": matches}
    if engine == "rtl":
        for name in ("clocks", "busy_clocks"):
            clocks[name] = sum(rank["unit"][name] for rank in ranks)
    return clocks


def evidence(cell: Cell, repeats: int, entries: int) -> dict[str, int]:
    """Evidence of a cell in the unit that has most of it: counters, and their least values.

    Beyond its table a unit gets receives one at a time, and messages may be there before some.
    """
    if cell.kind == LATENCY:
        return {"arrivals": repeats, "posted_depth_max": max(1, cell.number)}
    least = {"arrivals": cell.number * repeats}
    if cell.number > entries:
        return least
    if cell.kind == UNEXPECTED:
        return {
            **least,
            "arrive_queued": cell.number * repeats,
            "unexpected_depth_max": cell.number,
        }
    return {**least, "arrive_matched": cell.number * repeats, "posted_depth_max": cell.number}


def together(preset: str, engine: str, runs: Sequence[Result]) -> Result:
    """A cell from its runs: times of the run with the lowest median, clocks of all.

    Neighbours on the machine make a run slower, and never faster.
    """
    ordered = sorted(runs, key=lambda one: float(one["microseconds"]["p50"]))
    best = ordered[0]
    matches = sum(one["matches"] for one in runs)
    verdicts = sum(one["verdicts"] for one in runs)

    def per(name: str, what: int) -> float | None:
        return round(sum(one[name] for one in runs) / what, 2) if name in runs[0] else None

    return {
        "preset": preset,
        "kind": "mpi",
        "position": best["kind"],
        "depth": best["number"],
        "bytes": best["bytes"],
        "engine": engine,
        "repeats": best["repeats"],
        "runs": len(runs),
        "microseconds": best["microseconds"],
        "p50_of_runs": [one["microseconds"]["p50"] for one in ordered],
        "messages_per_second": round(1e6 / best["microseconds"]["p50"]),
        "verdicts": verdicts,
        "mismatches": 0,
        "clocks_per_verdict": per("clocks", verdicts),
        "clocks_per_message": per("clocks", matches),
        "busy_clocks_per_message": per("busy_clocks", matches),
    }


def promises(results: Sequence[Result]) -> list[Promise]:
    """The unit's own work for a message is bounded, however long its queues are.

    In its tables a post and an arrival take some clocks each and do not wait for a search that
    grows with the depth; messages that come one at a time wait for the host in between.
    """
    preset = presets.find(results[0]["preset"])
    return [
        Promise(
            f"clocks at work, {one['position']} {one['depth']:,}",
            one["busy_clocks_per_message"],
            BUSY_CLOCKS,
        )
        for one in results
        if one["engine"] == "rtl" and one["depth"] < preset.array_entries
    ]
