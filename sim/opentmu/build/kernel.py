# SPDX-License-Identifier: Apache-2.0
"""The kernel module, built for the kernel of the virtual machine in build/kernel."""

import shutil
from pathlib import Path

from opentmu import paths, stage, toolchain
from opentmu.errors import ToolMissing
from opentmu.process import run_logged
from opentmu.setup import vm

FOLDER = paths.BUILD / "kernel"
DRIVER = paths.ROOT / "sw-driver"
SOURCES = DRIVER / "kernel"
HEADERS = DRIVER / "include"
# Debian's headers name the compiler that their kernel was built with.
COMPILER = "gcc-12"


def module() -> Path:
    """The module, up to date."""
    vm.ensure()
    key = stage.hash_of([vm.key(), str(paths.VM), SOURCES, HEADERS])
    stage.ensure(FOLDER, key, _make)
    return FOLDER / "kernel" / "tmu.ko"


def _make(folder: Path) -> None:
    """kbuild writes beside its sources, so it gets copies."""
    if shutil.which(COMPILER) is None:
        raise ToolMissing(f"found no {COMPILER}, which Debian's kernel 6.1 was built with")
    shutil.copytree(SOURCES, folder / "kernel")
    shutil.copytree(HEADERS, folder / "include")
    command: list[str | Path] = ["make", "-C", vm.headers_folder(), f"M={folder / 'kernel'}"]
    jobs = f"-j{toolchain.PARALLEL_JOBS}"
    run_logged([*command, "modules", jobs], "building the kernel module", "kernel-module")
