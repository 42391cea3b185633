# SPDX-License-Identifier: Apache-2.0
"""Run the lanes of stages side by side and collect what they came to."""

import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opentmu import paths
from opentmu import stage as stage_locks
from opentmu.errors import TmuError
from opentmu.process import excerpt
from opentmu.progress import say, step
from opentmu.testing.outcome import Outcome
from opentmu.testing.stages import Stage

SHOWN_LINES = 80
SHOWN_NAMES = 30
# The reason of a skipped test has this where what it needs is fetched only when it is asked for.
ON_DEMAND = "on demand: "


@dataclass(frozen=True)
class Finished:
    """A stage that ran."""

    name: str
    outcome: Outcome
    seconds: float
    exit_code: int
    log: Path


@contextmanager
def report_folder() -> Iterator[Path]:
    """The folder of this run's reports: build/test, beside another run build/test-2 and so on."""
    with stage_locks.first_free(paths.TEST_REPORTS.name) as name:
        folder = paths.TEST_REPORTS.with_name(name)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def run_lanes(lanes: Sequence[Sequence[Stage]], folder: Path) -> list[Finished]:
    """Run every stage; a stage that breaks counts as one failure and stops nothing."""
    with ThreadPoolExecutor(max_workers=len(lanes)) as pool:
        results = list(pool.map(lambda lane: [_run(stage, folder) for stage in lane], lanes))
    return [finished for lane in results for finished in lane]


def shown(file: Path) -> str:
    """A path as users see it, from the root of the checkout."""
    return file.relative_to(paths.ROOT).as_posix()


def _run(stage: Stage, folder: Path) -> Finished:
    log = folder / f"{stage.name}.log"
    log.write_text("")
    start = time.monotonic()
    code = 0
    try:
        with step(stage.name) as ticker:
            ticker.share = lambda: share_of(log)
            outcome = stage.run(log)
    except TmuError as error:
        code = error.exit_code
        with log.open("a") as output:
            print(error, file=output)
        outcome = Outcome(failures=[f"{stage.name} could not run"])
    seconds = time.monotonic() - start
    finished = Finished(stage.name, outcome, seconds, code, log)
    counts = summary([finished])
    say(f"{'FAILED' if outcome.failed else 'ok':6} {stage.name}: {counts} in {seconds:.1f} s")
    return finished


def share_of(log: Path) -> str:
    """Progress of pytest, from the percentage that it prints at the end of its lines."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 400))
            found = re.findall(rb"\[ *(\d+)%\]", file.read())
    except OSError:  # somebody has removed the folder of reports
        return ""
    return f" {found[-1].decode()} %," if found else ""


def summary(finished: Sequence[Finished]) -> str:
    """`N passed, N failed`, and `N skipped` where there are such."""
    passed = sum(one.outcome.passed for one in finished)
    failed = sum(one.outcome.failed for one in finished)
    skipped = sum(len(one.outcome.skips) for one in finished)
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def skip_report(finished: Sequence[Finished]) -> str:
    """A line for each test that was skipped, with the reason."""
    return "".join(f"skipped {why}\n" for one in finished for why in one.outcome.skips)


def failure_report(finished: Sequence[Finished]) -> str:
    """For each failed stage the failed tests' names and the end of its log."""
    parts = []
    for one in finished:
        if not one.outcome.failures:
            continue
        names = one.outcome.failures[:SHOWN_NAMES]
        more = len(one.outcome.failures) - len(names)
        names += [f"and {more} more"] if more else []
        listed = "\n".join(f"  {name}" for name in names)
        end = excerpt(one.log, SHOWN_LINES)
        parts.append(
            f"--- {one.name}, whole output in {shown(one.log)}\n{end}\nfailed:\n{listed}\n"
        )
    return "\n".join(parts)
