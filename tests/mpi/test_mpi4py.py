# SPDX-License-Identifier: Apache-2.0
"""mpi4py's own tests, each message matched by the unit, on each MPI."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.mpi import library
from opentmu.setup import mpi4py

from .test_mpi import Done, Tmu, result_of

pytestmark = pytest.mark.long

# Point to point, collectives, communicators and requests; files of tests by mpi4py's option -i.
MOST = r"test_(p2p|msg|cco|comm|request)"
# Debian's Open MPI 4.1.4 itself breaks in others over libfabric (docs/mpi.md).
SOUND = r"test_(p2p_buf|p2p_buf_matched|p2p_obj_matched|msgspec|comm|request)\.py"
# MPICH 5.0.2 counts a neighbour too many now and then, on libfabric's own tcp as well.
RACES = {"mpich": ["-e", r"test_comm_topo\.py"]}
WINDOWS = r"test_(rma|win)"
POINT_TO_POINT = r"test_(p2p|msg|request)"


@pytest.fixture(scope="module")
def suite() -> Path:
    """mpi4py and its tests; an error where they cannot be had, as it says."""
    return mpi4py.ensure()


@pytest.mark.usefixtures("provider_folder")
@pytest.mark.parametrize(
    ("name", "engine", "ranks", "files", "tests"),
    [
        ("system", "model", 2, SOUND, 364),
        ("system", "rtl", 2, SOUND, 364),
        ("openmpi", "model", 2, MOST, 1000),
        ("openmpi", "rtl", 2, MOST, 1000),
        ("mpich", "model", 2, MOST, 1000),
        ("mpich", "model", 4, MOST, 1000),
        ("mpich", "rtl", 2, MOST, 1000),
        ("mpich", "software", 2, MOST, 1000),
        ("mpich", "model", 2, WINDOWS, 150),
    ],
)
def test_mpi4pys_own_tests(
    name: str,
    engine: str,
    ranks: int,
    files: str,
    tests: int,
    tmu: Tmu,
    suite: Path,
    fetched: Callable[[str], library.Library],
) -> None:
    """R1 to R12 as another project sees MPI; nothing is left in any queue."""
    assert fetched(name).name == name
    words = ["--mpi", name, "-n", str(ranks), "--engine", engine, "--preset", "tiny", "--json"]
    judged(tmu("mpi", *words, "--", *program(suite, name, files)), tests)


@pytest.mark.usefixtures("provider_folder")
@pytest.mark.parametrize(("name", "ranks"), [("mpich", 2), ("openmpi", 2), ("mpich", 4)])
def test_mpi4pys_own_tests_over_a_lossy_wire(
    name: str,
    ranks: int,
    tmu: Tmu,
    suite: Path,
    fetched: Callable[[str], library.Library],
) -> None:
    """W1 to W4 as another project sees MPI, between cards."""
    assert fetched(name).name == name
    words = ["--wire", "--drop", "0.01", "--mpi", name, "-n", str(ranks), "--preset", "tiny"]
    judged(tmu("mpi", *words, "--json", "--", *program(suite, name, POINT_TO_POINT)), 300)


def program(suite: Path, name: str, files: str) -> list[str | Path]:
    """Command line of mpi4py's tests in files of these names."""
    main: list[str | Path] = [
        "env",
        f"PYTHONPATH={suite / 'site'}",
        sys.executable,
        suite / "test" / "main.py",
    ]
    return [*main, "-f", "-i", files, *RACES.get(name, [])]


def judged(done: Done, tests: int) -> None:
    """Every check held, and at least so many tests ran."""
    result = result_of(done)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0), done.stderr[
        -3000:
    ]
    # Skipped tests are mpi4py's own choice, for what an MPI or the number of ranks does not have.
    ran = [int(count) for count in re.findall(r"Ran (\d+) tests? in", done.stderr)]
    assert ran and min(ran) >= tests
    assert "FAILED" not in done.stderr
    assert result["operations"] > 10_000
