# SPDX-License-Identifier: Apache-2.0
"""The libfabric provider (sw-driver/provider), built for this machine when first needed."""

from pathlib import Path

from opentmu import paths
from opentmu.build import cbuild
from opentmu.process import run_logged
from opentmu.setup.system import require
from opentmu.stage import ensure, hash_of

SOURCES = paths.ROOT / "sw-driver" / "provider"
EXPORTS = SOURCES / "tmu-fi.map"
HEADERS = paths.ROOT / "sw-driver" / "include"
# libfabric looks for this ending.
NAME = "libtmu-fi.so"
FLAGS = (
    *cbuild.LIBRARY_FLAGS,
    "-D_GNU_SOURCE",
    "-fvisibility=hidden",
    # Several programs bring a libtmu of their own: this one's is for this library alone.
    *cbuild.exports(EXPORTS),
    "-Wl,-z,defs",
)


def folder() -> Path:
    """A folder for FI_PROVIDER_PATH, built when sources or driver have changed.

    A missing libfabric is installed as root; otherwise ToolMissing says what to type.
    """
    require("rdma/fabric.h")
    driver = cbuild.program(cbuild.ensure(), "libtmu_static.a")
    target = paths.BUILD / "provider"
    key = hash_of([SOURCES, HEADERS, driver, *FLAGS])
    ensure(target, key, lambda folder: build(folder, driver))
    return target


def build(folder: Path, driver: Path, *more: str) -> None:
    """Compile it into a folder, linked with a static driver; `more` are flags of the compiler."""
    command: list[str | Path] = ["gcc", *FLAGS, *more, f"-I{SOURCES}", f"-I{HEADERS}"]
    command += ["-o", folder / NAME, *sorted(SOURCES.glob("*.c")), driver]
    # Some programs load their MPI where later libraries do not see it: libfabric is named here.
    command += ["-lfabric", "-lpthread", "-ldl"]
    run_logged(command, "building the libfabric provider", "provider-build")
