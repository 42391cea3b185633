# SPDX-License-Identifier: Apache-2.0
"""Progress of running steps on standard error, with nothing but the standard library.

It serves before the Python environment exists, and every build afterwards.
A step shorter than two seconds prints nothing.
On a terminal one line shows all running steps; elsewhere each prints a line at growing intervals.
"""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

QUIET_SECONDS = 2.0
FIRST_INTERVAL = 8.0
LONGEST_INTERVAL = 60.0
_ERASE = "\r\033[K"


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
        """Whether its next line is due where lines stay; settles when the one after is."""
        now = self.elapsed()
        if now < self._next:
            return False
        self._next = now + min(LONGEST_INTERVAL, max(FIRST_INTERVAL, now))
        return True


_lock = threading.Lock()
_running: list[Ticker] = []
_wake = threading.Event()


def say(text: str) -> None:
    """Print one line for the user; figures never come this way."""
    with _lock:
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
            if ticker.shown:
                _print(f"tmu: {title}: {end} in {ticker.elapsed():.1f} s")


def _show() -> None:
    """Body of the one thread that shows; it ends when no step runs."""
    while not _wake.wait(0.5):
        with _lock:
            if not _running:
                return
            if sys.stderr.isatty():
                _show_line()
            else:
                for ticker in [one for one in _running if one.is_due()]:
                    ticker.shown = True
                    _print(f"tmu: {ticker.text()}")


def _show_line() -> None:
    late = [ticker for ticker in _running if ticker.elapsed() >= QUIET_SECONDS]
    for ticker in late:
        ticker.shown = True
    if late:
        line = "tmu: " + " | ".join(ticker.text() for ticker in late)
        width = shutil.get_terminal_size().columns - 1
        print(_ERASE + line[:width], end="", file=sys.stderr, flush=True)


def _print(line: str) -> None:
    erase = _ERASE if sys.stderr.isatty() else ""
    print(erase + line, file=sys.stderr, flush=True)
