# SPDX-License-Identifier: Apache-2.0
"""Headers of Debian's kernels in build/headers, from pinned packages: modules compile with them.

Their tools are programs of the same release, which start with its libraries on any other.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from opentmu import paths, stage
from opentmu.setup import debian

LOCK = Path(__file__).with_name("headers.lock")
FOLDER = paths.BUILD / "headers"
ROOT = FOLDER / "root"
# By Debian's release: the kernel's version, and whether its tools bring libraries of their own.
KERNELS = {"bookworm": "6.1", "trixie": "6.12"}
LIBRARIES_OF = "trixie"
# Each with the program that is meant: some choose one by the machine.
TOOLS = {
    "scripts/basic/fixdep": "fixdep",
    "scripts/mod/modpost": "modpost.real-lsb-64",
    "tools/objtool/objtool": "objtool.real-x86",
}
OWN = ".program"


def key() -> str:
    """Stamp of build/headers: what is pinned, and what is made of it."""
    return stage.hash_of([LOCK, Path(__file__), str(FOLDER)])


def ensure() -> bool:
    """Have the headers; True iff they were fetched now."""
    return stage.ensure(FOLDER, key(), _make, in_place=True)


def folder(release: str) -> Path:
    """The folder that `make -C` wants for a module of that release's kernel."""
    version = KERNELS[release]
    return next((ROOT / "usr" / "src").glob(f"linux-headers-{version}.[0-9]*-amd64"))


def _make(target: Path) -> None:
    pins = debian.read_lock(LOCK)
    debian.unpack(pins, target / "work", ROOT, "fetching headers of Debian's kernels")
    for release in KERNELS:
        headers = folder(release)
        makefile = headers / "Makefile"
        makefile.write_text(makefile.read_text().replace("/usr/src", f"{ROOT}/usr/src"))
        # With it modules get types for BPF, by a tool that is not here.
        (headers / "vmlinux").unlink(missing_ok=True)
    for name, program in TOOLS.items():
        _start_by_own_loader(folder(LIBRARIES_OF) / name, program)
    shutil.rmtree(target / "work")


def _start_by_own_loader(tool: Path, program: str) -> None:
    """Have a script in place of a tool that starts it with the libraries of its release."""
    libraries = ROOT / "usr" / "lib" / "x86_64-linux-gnu"
    started = tool.with_name(program)
    if started == tool:
        started = tool.rename(tool.with_name(f"{tool.name}{OWN}"))
    else:
        tool.unlink()
    loader = libraries / "ld-linux-x86-64.so.2"
    tool.write_text(f'#!/bin/sh\nexec "{loader}" --library-path "{libraries}" "{started}" "$@"\n')
    tool.chmod(0o755)


def main() -> None:
    """Write the lock file anew, with the versions that Debian has now."""
    with TemporaryDirectory() as work:
        debian.renew(LOCK, Path(work))


if __name__ == "__main__":
    main()
