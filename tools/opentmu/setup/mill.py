# SPDX-License-Identifier: Apache-2.0
"""Mill, the Scala build tool: fetched once through Maven, checked by hash."""

import hashlib
from pathlib import Path

from opentmu import paths, pins, stage
from opentmu.errors import ToolMissing
from opentmu.process import run_logged
from opentmu.setup import system

FILE = paths.MILL / pins.MILL_FILE


def ensure() -> bool:
    """Have Mill in build/mill; True iff it was fetched now."""
    if not stage.is_current(paths.MILL, pins.MILL_SHA256):
        system.require("java", "mvn")
    return stage.ensure(paths.MILL, pins.MILL_SHA256, _fetch)


def check(file: Path, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the pinned one."""
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != expected:
        raise ToolMissing(f"{file.name}: found SHA-256 {found}, expected {expected}")


def _fetch(folder: Path) -> None:
    # Maven knows the machine's mirrors, so no host is named here; its store goes away again.
    run_logged(
        ["mvn", "-B", "-q", f"-Dmaven.repo.local={folder / 'store'}", "dependency:copy"]
        + [f"-Dartifact={pins.MILL_ARTIFACT}", f"-DoutputDirectory={folder}"],
        f"fetching Mill {pins.MILL_VERSION}",
        "mill-fetch",
        cwd=folder,
        failure=ToolMissing,
    )
    check(folder / pins.MILL_FILE, pins.MILL_SHA256)
    _remove_store(folder / "store")


def _remove_store(store: Path) -> None:
    import shutil

    shutil.rmtree(store)
