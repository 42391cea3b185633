# SPDX-License-Identifier: Apache-2.0
"""The kernel module: for the virtual machine in build/kernel, and compiled for other kernels."""

import shutil
from functools import partial
from pathlib import Path

from opentmu import paths, stage, toolchain
from opentmu.errors import ToolMissing
from opentmu.process import run_logged
from opentmu.setup import headers, vm

FOLDER = paths.BUILD / "kernel"
DRIVER = paths.ROOT / "sw-driver"
SOURCES = DRIVER / "kernel"
HEADERS = DRIVER / "include"
COMPILER = "gcc-12"
# Option of newer compilers than that, in the settings of the kernels that they have built.
UNKNOWN = "-fmin-function-alignment=*"
SCRIPT = f"""#!/bin/sh
for word; do
    shift
    case "$word" in {UNKNOWN}) ;; *) set -- "$@" "$word" ;; esac
done
exec {COMPILER} "$@"
"""
LOG = "kernel-module"


def module() -> Path:
    """The module, up to date."""
    vm.ensure()
    key = stage.hash_of([vm.key(), str(paths.VM), SOURCES, HEADERS])
    stage.ensure(FOLDER, key, partial(_make, kernel=vm.headers_folder()))
    return FOLDER / "kernel" / "tmu.ko"


def compiled(release: str) -> Path:
    """The module as the kernel of a Debian release would load it, up to date."""
    headers.ensure()
    target = paths.BUILD / f"kernel-{release}"
    key = stage.hash_of([headers.key(), SOURCES, HEADERS, Path(__file__)])
    stage.ensure(target, key, partial(_make, kernel=headers.folder(release)))
    return target / "kernel" / "tmu.ko"


def _make(folder: Path, kernel: Path) -> None:
    """kbuild writes beside its sources, so it gets copies."""
    if shutil.which(COMPILER) is None:
        raise ToolMissing(f"found no {COMPILER}, which Debian's kernel 6.1 was built with")
    shutil.copytree(SOURCES, folder / "kernel")
    shutil.copytree(HEADERS, folder / "include")
    compiler = folder / "cc"
    compiler.write_text(SCRIPT)
    compiler.chmod(0o755)
    command: list[str | Path] = ["make", "-C", kernel, f"M={folder / 'kernel'}", f"CC={compiler}"]
    jobs = f"-j{toolchain.PARALLEL_JOBS}"
    run_logged([*command, "modules", jobs], f"building the module for {kernel.name}", LOG)
