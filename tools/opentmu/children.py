# SPDX-License-Identifier: Apache-2.0
"""Programs that this process starts end with it, whatever ends it.

SIGTERM and SIGHUP go to every program below this process, whichever other one started it; they are
waited for, and what does not end in time is killed.  The caller meanwhile leaves its blocks, so
that temporary folders are removed and locks freed.  When this process is killed by SIGKILL the
kernel sends SIGTERM to the programs that it started itself.
"""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from opentmu.errors import CheckFailed
from opentmu.progress import note

# Seconds that programs have to end by themselves, and that a keyboard's signal, which the terminal
# sends to all of them, stays alone.
PATIENCE = 10.0
KEYBOARD = 2.0
_INTERVAL = 0.2
_SET_CHILD_SUBREAPER = 36  # of prctl: orphans of the programs below stay below this process


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
Result = TypeVar("Result")


class Ended(BaseException):
    """A signal that ends this process; no error, so nothing but the front door catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_ending = threading.Event()
_finished = threading.Event()


@contextmanager
def watched() -> Iterator[None]:
    """A block in which SIGTERM, SIGHUP and SIGINT end the programs below, then the block.

    They end it by Ended and KeyboardInterrupt, and nothing is left below this process behind it.
    A signal that the caller ignores, as nohup has it, stays ignored.
    """
    _ending.clear()
    _finished.clear()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, _end)
        yield
    finally:
        _finish()
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    first = not _ending.is_set()
    _ending.set()
    if not first:
        # The caller is in a hurry.
        _signal_all(below(), signal.SIGKILL)
        return
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    keyboard = number == signal.SIGINT
    if not keyboard:
        _signal_all(below(), signal.SIGTERM)
    delay = KEYBOARD if keyboard else 0.0
    threading.Thread(target=_sweep, args=(delay,), daemon=True).start()
    raise KeyboardInterrupt if keyboard else Ended(number)


def _sweep(delay: float) -> None:
    """End what is below this process, also what another thread was just about to start."""
    time.sleep(delay)
    told: set[int] = set()
    deadline = time.monotonic() + PATIENCE
    while (left := below()) or not _finished.is_set():
        late = time.monotonic() > deadline
        _signal_all(left if late else left - told, signal.SIGKILL if late else signal.SIGTERM)
        told |= left
        time.sleep(_INTERVAL)


def _finish() -> None:
    _finished.set()
    deadline = time.monotonic() + KEYBOARD + 2 * PATIENCE
    while _ending.is_set() and below() and time.monotonic() < deadline:
        time.sleep(_INTERVAL)


def below() -> set[int]:
    """The processes that descend from this one and have not ended."""
    parents: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            # The name in parentheses may hold anything; behind it are the state and the parent.
            words = Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if words[0] not in "ZX":
            parents.setdefault(int(words[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found.update(children)
        waiting += children
    return found


def _signal_all(processes: set[int], number: int) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


@cache
def _wrapper() -> tuple[str, ...]:
    """Prefix that has a program end with its parent; thread-safe, unlike a preexec_fn."""
    found = shutil.which("setpriv")
    return (found, "--pdeathsig", "TERM", "--") if found else ()


def start(words: Sequence[str | Path], **options: Any) -> "subprocess.Popen[Any]":
    """Start a program; OSError when there is none of that name."""
    if _ending.is_set():
        raise CheckFailed(f"{words[0]} was not started, for this command is being ended")
    command = [str(word) for word in words]
    note(f"$ {shlex.join(command)}")
    if shutil.which(command[0], path=(options.get("env") or os.environ).get("PATH")) is None:
        return subprocess.Popen(command, **options)  # it says what is wrong
    return subprocess.Popen([*_wrapper(), *command], **options)


def end(process: "subprocess.Popen[Any]") -> None:
    """End a program, in time by itself, and wait for it."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run(
    words: Sequence[str | Path], *, seconds: float | None = None, **options: Any
) -> "subprocess.CompletedProcess[Any]":
    """Run a program to its end; it is ended when the caller is, or after so many seconds.

    Raises subprocess.TimeoutExpired then.
    """
    with start(words, **options) as process:
        out, errors = guarded(process, lambda: process.communicate(timeout=seconds))
    return subprocess.CompletedProcess(process.args, process.returncode, out, errors)


def guarded(process: "subprocess.Popen[Any]", wait: Callable[[], Result]) -> Result:
    """Result of `wait`; whatever it raises, the program has ended then."""
    try:
        return wait()
    except BaseException:
        end(process)
        raise
