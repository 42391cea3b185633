# SPDX-License-Identifier: Apache-2.0
"""The order of the tests, and starting the front door as a user does."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths, toolchain
from opentmu.errors import ToolMissing

Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]

# Tests of `./tmu test --fast`, by the starts of their names, but for those marked slow: no Java,
# no Verilator, no MPI program, no environment made for a test; but a build of the C programs.
FAST = (
    "tests/cli/",
    "tests/docs/",
    "tests/engines/",
    "tests/model/",
    "tests/record/test_contexts.py",
    "tests/record/test_log.py",
    "tests/record/test_merge.py",
    "tests/record/test_trace_mutants.py",
    "tests/system/test_exports.py::test_a_list_names",
    "tests/system/test_vfio.py",
    "tests/wire/",
)


def turn(item: pytest.Item) -> int:
    """When workers take a test, by its marks.

    First those that need no design, for Chisel is still at it; then long ones, so that no worker is
    left alone with one at the end; last those that need Mill, which the tests in Scala have until
    then.
    """
    for number, mark in ((0, "fast"), (3, "mill"), (1, "slow")):
        if item.get_closest_marker(mark):
            return number
    return 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    named = (start.partition("::")[0] for start in FAST)
    gone = [name for name in named if not list(paths.ROOT.glob(f"{name.rstrip('/')}*"))]
    if gone:
        raise pytest.UsageError(f"tests/conftest.py names what is not there: {gone}")
    for item in items:
        if item.nodeid.startswith(FAST) and not item.get_closest_marker("slow"):
            item.add_marker("fast")
    items.sort(key=turn)


PROGRAM_FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror")


def compile_program(compiler: str | Path, source: Path, folder: Path, *more: str | Path) -> Path:
    """Build a C program that tests start into a folder; without a warning, or the test fails."""
    output = folder / source.stem
    command = [compiler, *PROGRAM_FLAGS, "-o", output, source, *more]
    subprocess.run(command, check=True)
    return output


@pytest.fixture(scope="session")
def compile_with() -> Callable[..., Path]:
    """Builds a C program with a compiler into a folder."""
    return compile_program


@pytest.fixture(scope="session")
def compile_fabric() -> Callable[..., Path]:
    """Builds a C program with libfabric into a folder."""

    def build(source: Path, folder: Path, *more: str | Path) -> Path:
        return compile_program("gcc", source, folder, *more, "-lfabric", "-lpthread")

    return build


@pytest.fixture
def compile_mpi(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """Builds an MPI program of the test's folder into the test's own; skips without MPI."""
    try:
        toolchain.need_mpi()
    except ToolMissing as error:
        pytest.skip(str(error))

    def build(source: str, *more: str) -> Path:
        return compile_program("mpicc", request.path.parent / source, tmp_path, *more)

    return build


@pytest.fixture
def tmu(tmp_path: Path) -> Tmu:
    """Run ./tmu with arguments from a folder that is not the checkout."""

    def run(*arguments: str | Path, cwd: Path = tmp_path) -> Done:
        return subprocess.run(
            [str(paths.ROOT / "tmu"), *map(str, arguments)],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    return run
