# SPDX-License-Identifier: Apache-2.0
"""mpi4py with its own tests in build/mpi/mpi4py, for `./tmu test --long`.

Programs find it by PYTHONPATH; nothing of it gets into build/venv.  The wheel is for the Python of
this environment, and takes the MPI that `tmu mpi` puts first.
"""

import shutil
import tarfile
from pathlib import Path

from opentmu import paths, stage
from opentmu.setup import pinned

LOCK = Path(__file__).with_suffix(".lock")
FOLDER = paths.MPI / "mpi4py"


def ensure() -> Path:
    """A folder with `site` for PYTHONPATH and `test/main.py`; fetched when it is first needed."""
    stage.ensure(FOLDER, stage.hash_of([LOCK]), _make)
    return FOLDER


def _pip(*words: str | Path) -> None:
    advice = (
        "mpi4py comes from the Python package index, as a wheel for CPython 3.11 on "
        "x86-64.\nSee that pip reaches the index and type the command again."
    )
    title = "fetching mpi4py into build/mpi/mpi4py"
    pinned.pip([*words], LOCK, title, f"pip-mpi4py-{words[0]}", advice)


def _make(folder: Path) -> None:
    _pip("install", "--only-binary", ":all:", "--target", folder / "site")
    _pip("download", "--no-binary", "mpi4py", "--dest", folder / "sources")
    (archive,) = (folder / "sources").glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(folder / "sources", filter="data")
    (tests,) = (folder / "sources").glob("*/test")
    shutil.move(tests, folder / "test")
    shutil.rmtree(folder / "sources")
