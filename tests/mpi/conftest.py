# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the provider's tests; they are skipped where MPI or libfabric is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import toolchain
from opentmu.build import cbuild
from opentmu.errors import ToolMissing
from opentmu.mpi import library, provider

HERE = Path(__file__).parent
SANITIZE = ("-fsanitize=address,undefined",)


@pytest.fixture(scope="session")
def provider_folder() -> Path:
    """The built provider; installs what it needs where that is possible."""
    try:
        toolchain.need_mpi()
        return provider.folder()
    except ToolMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def fetched() -> Callable[[str], library.Library]:
    """An MPI by its name; the test is skipped where that cannot be installed, and says why."""

    def choose(name: str) -> library.Library:
        try:
            return library.choose(name)
        except ToolMissing as error:
            pytest.skip(str(error))

    return choose


@pytest.fixture
def compile_mpi(compile_mpi: Callable[..., Path], provider_folder: Path) -> Callable[..., Path]:
    """Builds an MPI program of this folder, where the provider can be built as well."""
    assert provider_folder.is_dir()
    return compile_mpi


@pytest.fixture(scope="session")
def fabric_calls(
    compile_fabric: Callable[..., Path],
    provider_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The program that goes through libfabric's calls."""
    return compile_fabric(HERE / "fabric_calls.c", tmp_path_factory.mktemp("fabric"))


def sanitized_driver() -> Path:
    return cbuild.program(cbuild.ensure(cbuild.SANITIZED), "libtmu_static.a")


@pytest.fixture(scope="session")
def sanitized(provider_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The provider with AddressSanitizer, its leak check included."""
    folder = tmp_path_factory.mktemp("sanitized")
    provider.build(folder, sanitized_driver(), *SANITIZE)
    # Memory that libfabric itself does not free is not ours to judge.
    (folder / "leaks").write_text("leak:libfabric.so\n")
    return folder
