# SPDX-License-Identifier: Apache-2.0
"""The driver as an operator builds and installs it, once for the tests of this folder."""

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from opentmu import paths, toolchain
from opentmu.errors import ToolMissing
from opentmu.setup import system

DRIVER = paths.ROOT / "sw-driver"


def run(
    *command: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command that has to succeed, with more variables than those of the tests."""
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done


@dataclass(frozen=True)
class Installed:
    """A build folder, and the prefix that it is installed below."""

    build: Path
    prefix: Path

    @property
    def library(self) -> Path:
        (found,) = self.prefix.glob("**/libtmu.so")
        return found.parent

    @property
    def pages(self) -> Path:
        return self.prefix / "share" / "man"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that the README of the examples sets for a prefix of one's own."""
        return {
            "PKG_CONFIG_PATH": str(self.library / "pkgconfig"),
            "CMAKE_PREFIX_PATH": str(self.prefix),
            "LD_LIBRARY_PATH": str(self.library),
            "FI_PROVIDER_PATH": str(self.library / "libfabric"),
        }


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    toolchain.need_compiler()
    with suppress(ToolMissing):  # now, for CMake asks once whether it is there
        system.require("rdma/fabric.h")
    folder = tmp_path_factory.mktemp("driver")
    build, prefix = folder / "build", folder / "prefix"
    options = [f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_BUILD_TYPE=Debug", "-DTMU_TESTS=OFF"]
    run("cmake", "-G", "Ninja", "-S", DRIVER, "-B", build, *options)
    run("cmake", "--build", build, f"-j{toolchain.PARALLEL_JOBS}")
    run("cmake", "--install", build)
    return Installed(build, prefix)


def need(name: str) -> None:
    """Have what these tests need of the system, or skip with what is to be typed."""
    try:
        system.require(name)
    except ToolMissing as error:
        pytest.skip(str(error))


@pytest.fixture
def pkg_config() -> None:
    need("pkg-config")


@pytest.fixture
def formatter() -> None:
    need("groff")


@pytest.fixture
def fabric() -> None:
    need("rdma/fabric.h")
