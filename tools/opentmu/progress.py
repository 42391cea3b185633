# SPDX-License-Identifier: Apache-2.0
"""Progress of running steps on standard error, with nothing but the standard library.

It serves before the Python environment exists, and every build afterwards.
A step shorter than two seconds prints nothing; a longer one prints a line at growing intervals.
Whatever is said goes into a log file as well, with the programs that were started.
"""

import datetime
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from opentmu.errors import BadInput

QUIET_SECONDS = 2.0
FIRST_INTERVAL = 8.0
LONGEST_INTERVAL = 60.0


class Ticker:
    """One running step."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.shown = False
        self._start = time.monotonic()
        self._next = QUIET_SECONDS
        self.share: Callable[[], str] = str

    def advance(self, done: int, total: int) -> None:
        """Say with the next line how much of the step is done."""
        if total:
            self.share = lambda: f" {done:,} of {total:,},"

    def elapsed(self) -> float:
        return time.monotonic() - self._start

    def text(self) -> str:
        return f"{self.title} ...{self.share()} {self.elapsed():.0f} s"

    def is_due(self) -> bool:
        """Whether its next line is due; settles when the one after is."""
        now = self.elapsed()
        if now < self._next:
            return False
        self._next = now + min(LONGEST_INTERVAL, max(FIRST_INTERVAL, now))
        return True


@dataclass
class Told:
    """Amount of messages on standard error, and the log of all of them."""

    verbose: bool = False
    quiet: bool = False
    log: IO[str] | None = None


told = Told()
# A log that has grown to so many bytes begins anew.
LOG_BYTES = 1 << 20

_lock = threading.Lock()
_running: list[Ticker] = []
_wake = threading.Event()


def open_log(file: Path, words: list[str]) -> None:
    """Add to this log from here on; `words` are the command line that it begins with."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        long = file.is_file() and file.stat().st_size > LOG_BYTES
        told.log = file.open("w" if long else "a", buffering=1)
    except OSError as error:
        raise BadInput(f"--log {file}: cannot be written ({error.strerror})") from error
    note(f"{datetime.date.today()} {shlex.join(words)}", loud=False)


def note(text: str, *, loud: bool = True) -> None:
    """A line for the log, and with --verbose for standard error, too."""
    with _lock:
        _write(text)
        if loud and told.verbose:
            _print(f"tmu: {text}")


def say(text: str) -> None:
    """Print one line for the user; figures never come here."""
    with _lock:
        _write(text)
        if not told.quiet:
            _print(f"tmu: {text}")


def warn(text: str) -> None:
    """As `say`, and printed whatever the caller wants to hear: something is wrong."""
    with _lock:
        _write(text)
        _print(f"tmu: {text}")


@contextmanager
def step(title: str) -> Iterator[Ticker]:
    """Show `title` with its elapsed seconds while the body runs, once it takes over 2 s."""
    ticker = Ticker(title)
    with _lock:
        _running.append(ticker)
        if len(_running) == 1:
            _wake.clear()
            threading.Thread(target=_show, daemon=True).start()
    end = "stopped"
    try:
        yield ticker
        end = "done"
    finally:
        with _lock:
            _running.remove(ticker)
            if not _running:
                _wake.set()
            line = f"{title}: {end} in {ticker.elapsed():.1f} s"
            _write(line)
            if ticker.shown:
                _print(f"tmu: {line}")


def _show() -> None:
    """Body of the one thread that shows; it ends when no step runs."""
    while not _wake.wait(0.5):
        with _lock:
            if not _running:
                return
            if told.quiet:
                continue
            for ticker in [one for one in _running if one.is_due()]:
                ticker.shown = True
                _print(f"tmu: {ticker.text()}")


def _write(line: str) -> None:
    if told.log is not None:
        told.log.write(f"{datetime.datetime.now():%H:%M:%S} {line}\n")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
