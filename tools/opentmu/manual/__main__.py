# SPDX-License-Identifier: Apache-2.0
"""Writes every manual page into man1, man3 and man7 of a folder."""

import shutil
import subprocess
import sys
from pathlib import Path

from opentmu import __version__
from opentmu.manual import fabric, headers, programs, roff

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "sw-driver" / "include" / "tmu"


def program_pages(files: list[Path]) -> dict[str, str]:
    """A page for each program, from what it prints when it is asked for help."""
    pages = {}
    for file in files:
        done = subprocess.run([file, "--help"], capture_output=True, text=True, check=True)
        pages[f"{file.name}.1"] = programs.page(file.name, done.stdout, __version__)
    return pages


def command_pages() -> dict[str, str]:
    """The page of ./tmu; none with a Python that lacks what ./tmu needs."""
    try:
        from opentmu.manual import commands
    except ImportError as error:
        print(
            f"no page of ./tmu: {error}; with build/venv/bin/python there is one", file=sys.stderr
        )
        return {}
    return {"tmu.1": commands.page(__version__)}


def main(folder: Path, files: list[Path]) -> int:
    pages = program_pages(files) | command_pages()
    pages |= headers.pages(sorted(INCLUDE.glob("*.h")), __version__)
    pages |= {"fi_tmu.7": fabric.page((ROOT / "docs" / "mpi.md").read_text(), __version__)}
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in sorted(pages.items()):
        section = folder / f"man{name[-1]}"
        section.mkdir(parents=True, exist_ok=True)
        (section / name).write_text(text)
    return 0


if __name__ == "__main__":
    try:
        code = main(Path(sys.argv[1]), [Path(word) for word in sys.argv[2:]])
    except roff.NotFound as error:
        print(f"manual pages: {error}", file=sys.stderr)
        code = 1
    sys.exit(code)
