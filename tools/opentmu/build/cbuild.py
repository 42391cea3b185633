# SPDX-License-Identifier: Apache-2.0
"""All C of the project through CMake and Ninja, plain or with sanitizers."""

from dataclasses import dataclass
from pathlib import Path

from opentmu import paths, stage, toolchain
from opentmu.errors import CheckFailed
from opentmu.process import run_logged


@dataclass(frozen=True)
class Variant:
    """One kind of build of the C programs, in a folder of its own."""

    folder: Path
    words: str  # what it is called in messages
    switches: tuple[str, ...] = ()
    target: str = "all"


PLAIN = Variant(paths.C_BUILD, "the C programs")
SANITIZED = Variant(paths.C_BUILD_ASAN, "the C programs with sanitizers", ("-DTMU_SANITIZE=ON",))
THREADS = Variant(
    paths.C_BUILD_TSAN,
    "the tests of threads with ThreadSanitizer",
    ("-DTMU_SANITIZE_THREADS=ON",),
    target="thread_tests",
)
# A library of ours that is loaded into a program of somebody else's.
LIBRARY_FLAGS = (
    "-std=c11",
    "-O2",
    "-g",
    "-fPIC",
    "-shared",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
)


def exports(map_file: Path) -> tuple[str, ...]:
    """Flags by which a shared object exports what its map lists and nothing else."""
    return (f"-Wl,--version-script={map_file}",)


def ensure(variant: Variant = PLAIN) -> Path:
    """The build folder with everything up to date.

    CMake and Ninja know what changed and finish what was interrupted, so there is no stamp.
    """
    toolchain.need_compiler()
    folder = variant.folder
    with stage.locked(folder.name):
        if not _configured(folder):
            command: list[str | Path] = ["cmake", "-G", "Ninja", "--fresh", "-S", paths.SIM]
            command += ["-B", folder, *variant.switches]
            run_logged(command, f"configuring {variant.words}", f"cmake-{folder.name}")
        ninja: list[str | Path] = ["ninja", "-C", folder, f"-j{toolchain.PARALLEL_JOBS}"]
        try:
            run_logged(
                [*ninja, variant.target], f"building {variant.words}", f"ninja-{folder.name}"
            )
            # Programs of targets that are gone; `program` may find such a one.
            run_logged([*ninja[:3], "-t", "cleandead"], "tidying", f"ninja-{folder.name}-dead")
        except CheckFailed:
            # A program that CMake found may be missing, a compiler for example: CMake looks again,
            # and nothing is compiled twice for that.
            (folder / "CMakeCache.txt").unlink(missing_ok=True)
            raise
    return folder


def program(folder: Path, name: str) -> Path:
    """The built program `name`, wherever its CMake file put it."""
    found = [file for file in folder.rglob(name) if file.is_file()]
    if not found:
        raise CheckFailed(f"the C build made no program {name} in {folder}")
    return found[0]


def library(folder: Path, name: str) -> Path:
    """The built shared library `lib<name>.so`."""
    return program(folder, f"lib{name}.so")


def _configured(folder: Path) -> bool:
    """Whether a finished configuration for this checkout is there."""
    cache = folder / "CMakeCache.txt"
    if not (folder / "build.ninja").is_file() or not cache.is_file():
        return False
    return f"CMAKE_HOME_DIRECTORY:INTERNAL={paths.SIM}\n" in cache.read_text()
