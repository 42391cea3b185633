# SPDX-License-Identifier: Apache-2.0
"""Build state belongs to one checkout, whose path `build/.checkout` holds.

Tools write absolute paths into what they make: Mill into its results, CMake into its cache, venv
into its programs.  In a copy of a checkout, or in one that was moved, such paths lead to the other
one, and a tool would read, write and delete there.  So whatever is not known to be free of paths
is removed from the copy before any tool starts, and made again when it is needed.
"""

import shutil
from pathlib import Path

from opentmu import paths, stage
from opentmu.errors import BadInput
from opentmu.progress import say

OWNER = paths.BUILD / ".checkout"
# Known to be free of paths that tools follow, and long in the making.  What else there is goes.
KEPT = ("ccache", "locks", "mill", "mpi", "rtl", "verilated", "vm")


def owner() -> str | None:
    """The checkout that build/ belongs to, by its record or by its Python environment's stamp."""
    for file in (OWNER, paths.VENV / stage.STAMP):
        try:
            lines = file.read_text().splitlines()
        except OSError:
            continue
        if lines:
            return lines[0]
    return None


def adopt() -> None:
    """Have build/ belong to this checkout; cheap when it does."""
    if _is_ours():
        return
    paths.BUILD.mkdir(parents=True, exist_ok=True)
    with stage.locked("checkout"):
        if _is_ours():
            return
        other = owner()
        if other is not None and other != str(paths.ROOT):
            _clear(other)
        _write(OWNER, f"{paths.ROOT}\n")


def _is_ours() -> bool:
    try:
        return OWNER.read_text() == f"{paths.ROOT}\n"
    except OSError:
        return False


def _clear(other: str) -> None:
    """Remove what may hold paths of another checkout; what is kept loses them."""
    if paths.BUILD.is_symlink():
        raise BadInput(
            f"{paths.BUILD} is a link to {paths.BUILD.resolve()}, which belongs to the checkout "
            f"{other}: each checkout needs a build folder of its own. Type: rm {paths.BUILD}"
        )
    say(f"build/ was copied or moved from {other}: what holds paths of that checkout is made again")
    for entry in sorted(paths.BUILD.iterdir()):
        if entry.name in KEPT:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    # Debian's makefile of the kernel's headers has the path of its other half.
    for makefile in paths.VM.glob("headers/usr/src/linux-headers-*/Makefile"):
        text = makefile.read_text()
        _write(makefile, text.replace(f"{other}/build/vm/", f"{paths.VM}/"))


def _write(file: Path, text: str) -> None:
    """Whole or not at all, and never into a file that a copy shares by a hard link."""
    fresh = file.with_name(f"{file.name}.fresh")
    fresh.write_text(text)
    fresh.replace(file)
