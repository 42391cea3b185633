# SPDX-License-Identifier: Apache-2.0
"""Progress of one step on standard error, with nothing but the standard library.

It serves before the Python environment exists, and every build afterwards.
A step shorter than two seconds prints nothing.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

QUIET_SECONDS = 2.0


def say(text: str) -> None:
    """Print one line for the user; figures never come this way."""
    print(f"tmu: {text}", file=sys.stderr, flush=True)


class _Ticker(threading.Thread):
    """Rewrites one line on a terminal; elsewhere prints a line at growing intervals."""

    def __init__(self, title: str) -> None:
        super().__init__(daemon=True)
        self.title = title
        self.start_time = time.monotonic()
        self.done = threading.Event()
        self.shown = False

    def elapsed(self) -> float:
        return time.monotonic() - self.start_time

    def run(self) -> None:
        tty = sys.stderr.isatty()
        wait = QUIET_SECONDS
        while not self.done.wait(wait):
            self.shown = True
            line = f"tmu: {self.title} ... {self.elapsed():.0f} s"
            if tty:
                print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
                wait = 1.0
            else:
                print(line, file=sys.stderr, flush=True)
                wait = min(60.0, max(8.0, self.elapsed()))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.done.set()
        self.join()
        if self.shown:
            start = "\r\033[K" if sys.stderr.isatty() else ""
            end = "done" if kind is None else "stopped"
            text = f"{start}tmu: {self.title}: {end} in {self.elapsed():.1f} s"
            print(text, file=sys.stderr, flush=True)

    def __enter__(self) -> "_Ticker":
        self.start()
        return self


@contextmanager
def step(title: str) -> Iterator[None]:
    """Show `title` with its elapsed seconds while the body runs, once it takes over 2 s."""
    with _Ticker(title):
        yield
