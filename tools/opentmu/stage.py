# SPDX-License-Identifier: Apache-2.0
"""Stages of set-up and build: made once for their inputs, whole or not at all.

A stage makes one folder and ends with a stamp that holds the hash of its inputs.
Without the right stamp the folder counts for nothing and is made again, so an interrupted
stage repairs itself at the next call.
A lock per stage makes a second caller wait; the programs that a stage starts inherit the lock,
so a program that outlives an interrupted caller is waited for too.
"""

import fcntl
import hashlib
import itertools
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from opentmu import paths
from opentmu.progress import step

STAMP = ".stamp"


class _Held(threading.local):
    """Locks that this thread holds.

    A program inherits no other thread's lock, for it may live longer than that lock is held.
    """

    def __init__(self) -> None:
        self.descriptors: list[int] = []


_held = _Held()


def held_locks() -> tuple[int, ...]:
    """File descriptors that a program started by this thread has to inherit (`pass_fds`)."""
    return tuple(_held.descriptors)


def _open(name: str) -> int:
    paths.LOCKS.mkdir(parents=True, exist_ok=True)
    return os.open(paths.LOCKS / name, os.O_RDWR | os.O_CREAT, 0o666)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold the lock `name` of this checkout; says so when it has to wait."""
    descriptor = _open(name)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with step(f"waiting for another tmu command that makes {name}"):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        _held.descriptors.append(descriptor)
        try:
            yield
        finally:
            _held.descriptors.remove(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def first_free(name: str) -> Iterator[str]:
    """Hold the first free one of the locks `name`, `name-2`, `name-3` ... of this checkout."""
    for number in itertools.count(1):
        tried = name if number == 1 else f"{name}-{number}"
        descriptor = _open(tried)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        try:
            yield tried
        finally:
            os.close(descriptor)
        return


def hash_of(items: Iterable[str | Path]) -> str:
    """Content hash of texts, files and folders (all files below, by relative name)."""
    digest = hashlib.sha256()
    for item in items:
        if isinstance(item, str):
            digest.update(b"text\0" + item.encode() + b"\0")
            continue
        files = [item]
        if item.is_dir():
            files = sorted(f for f in item.rglob("*") if f.is_file() and _counts(f))
        for file in files:
            name = file.relative_to(item).as_posix() if file != item else file.name
            data = file.read_bytes()
            digest.update(f"file\0{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _counts(file: Path) -> bool:
    return "__pycache__" not in file.parts and not file.name.endswith((".pyc", ".swp", "~"))


def is_current(target: Path, key: str) -> bool:
    """True iff `target` was finished for exactly these inputs."""
    try:
        return (target / STAMP).read_text() == key
    except OSError:
        return False


def ensure(target: Path, key: str, make: Callable[[Path], None], *, in_place: bool = False) -> bool:
    """Have `target` made by `make(folder)` for the inputs `key`; True iff it was made now.

    `make` gets an empty folder beside the target that is renamed at the end.
    With `in_place` it gets the final folder, for tools that write their own path into what
    they make; the stamp, written last, is what makes the folder count.
    """
    if is_current(target, key):
        return False
    with locked(_lock_name(target)):
        if is_current(target, key):
            return False
        _clean(target)
        folder = target if in_place else target.with_name(f".{target.name}.partial")
        if in_place and target.exists():
            _remove(target)
        folder.mkdir(parents=True)
        make(folder)
        (folder / STAMP).write_text(key)
        if not in_place:
            if target.exists():
                _remove(target)
            folder.rename(target)
    return True


def _lock_name(target: Path) -> str:
    if target.is_relative_to(paths.BUILD):
        return "-".join(target.relative_to(paths.BUILD).parts)
    return hashlib.sha256(str(target).encode()).hexdigest()[:16]


def _clean(target: Path) -> None:
    """Remove what an interrupted stage left; the caller holds the lock."""
    for end in ("partial", "old"):
        leftover = target.with_name(f".{target.name}.{end}")
        if leftover.exists():
            shutil.rmtree(leftover)


def _remove(target: Path) -> None:
    """Take the stamp first, so that a half-removed folder never counts as finished."""
    (target / STAMP).unlink(missing_ok=True)
    old = target.with_name(f".{target.name}.old")
    target.rename(old)
    shutil.rmtree(old)
