# SPDX-License-Identifier: Apache-2.0
"""What the tests of the provider need; they are skipped where MPI or libfabric is missing."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import toolchain
from opentmu.errors import ToolMissing
from opentmu.mpi import provider

HERE = Path(__file__).parent
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror")
Compile = Callable[[str], Path]


@pytest.fixture(scope="session")
def provider_folder() -> Path:
    """The built provider; installs what it needs where that is possible."""
    try:
        toolchain.need_mpi()
        return provider.folder()
    except ToolMissing as error:
        pytest.skip(str(error))


@pytest.fixture
def compile_mpi(provider_folder: Path, tmp_path: Path) -> Compile:
    """Builds a program of this folder with MPI into the test's own folder."""

    def build(source: str) -> Path:
        output = tmp_path / Path(source).stem
        subprocess.run(["mpicc", *FLAGS, "-o", output, HERE / source], check=True)
        return output

    return build


@pytest.fixture(scope="session")
def fabric_calls(provider_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that uses libfabric without MPI."""
    output = tmp_path_factory.mktemp("fabric") / "fabric_calls"
    command = ["gcc", *FLAGS, "-o", output, HERE / "fabric_calls.c", "-lfabric"]
    subprocess.run(command, check=True)
    return output
