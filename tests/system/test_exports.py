# SPDX-License-Identifier: Apache-2.0
"""Every shared object that is built exports what its committed list names, and nothing else.

A symbol more is a function that a program may lose to ours: the recorder is loaded before libtmu.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.build import cbuild, verilate
from opentmu.errors import ToolMissing
from opentmu.mpi import provider
from opentmu.record import library as recorder

DRIVER = paths.ROOT / "sw-driver"
PUBLIC = DRIVER / "include" / "tmu"
LIBTMU = DRIVER / "core" / "libtmu.map"
LAW = paths.SIM / "law"
WIRE = paths.SIM / "wire" / "law"

# Libraries that CMake builds, by name: the list of exports.
BUILT = {
    "libtmu.so": LIBTMU,
    "libtmu_fake_sim.so": verilate.EXPORTS,
    "libtmu_functional.so": verilate.EXPORTS,
    "libtmu_model.so": LAW / "tmu_model.map",
    "libtmu_model_trace.so": LAW / "tmu_model_trace.map",
    "libtmu_stub_unit.so": verilate.EXPORTS,
    "libtmu_trace.so": LAW / "tmu_trace.map",
    "libtmu_wire_model.so": WIRE / "tmu_wire_model.map",
}
# Libraries that the front door builds when they are first needed.
MADE: dict[Path, Callable[[], Path]] = {
    provider.EXPORTS: lambda: provider.folder() / provider.NAME,
    recorder.EXPORTS: recorder.library,
    verilate.EXPORTS: lambda: verilate.library("tiny"),
}
# The headers that declare what a list names.
DECLARED = {
    LIBTMU: tuple(sorted(PUBLIC.glob("*.h"))),
    LAW / "tmu_model.map": (LAW / "tmu_model.h",),
    LAW / "tmu_model_trace.map": (LAW / "tmu_model_trace.h",),
    LAW / "tmu_trace.map": (LAW / "tmu_trace.h", LAW / "tmu_verdict_log.h"),
    WIRE / "tmu_wire_model.map": (WIRE / "wire_model.h",),
    verilate.EXPORTS: (verilate.DEVICE / "tmu_sim.h",),
}


# The names of a version; of the first one, that all others are hidden; of a later one, its elder.
NODE = r"\s*[\w.]*\s*\{\s*global:([^}]*?)(?:local:\s*\*;\s*)?\}\s*[\w.]*;\s*"


def listed(file: Path) -> set[str]:
    """The names of a version script; it has to hide all others."""
    text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
    assert re.fullmatch(f"(?:{NODE})+", text), f"{file}: expected lists of names"
    assert text.count("local:") == 1, f"{file}: expected one 'local: *'"
    found: set[str] = set()
    for node in re.findall(NODE, text):
        names = node.split()
        assert names == sorted(names) and all(re.fullmatch(r"\w+;", name) for name in names), file
        assert not found & set(names), file
        found |= set(names)
    return {name.rstrip(";") for name in found}


def exported(library: Path) -> set[str]:
    """The dynamic symbols that a shared object defines, data too; a version node is none."""
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    symbols = (line.split()[-2:] for line in lines)
    return {name.partition("@")[0] for kind, name in symbols if kind != "A"}


def declared(headers: tuple[Path, ...]) -> set[str]:
    """The functions that headers declare, without those that they define."""
    text = "".join(header.read_text() for header in headers)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"^ *#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^static inline[^;{]*\{.*?^\}", "", text, flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"\b((?:tmu|wire)_\w+)\(", text))


def test_what_cmake_builds_exports_its_list() -> None:
    # By the name that programs link, for a build folder keeps files of earlier versions.
    built = {file.resolve() for file in cbuild.ensure().rglob("*.so")}
    by_name = {file.name.partition(".so")[0] + ".so": file for file in built}
    assert set(by_name) == set(BUILT), "a shared object without a list, or a list without one"
    for name, file in by_name.items():
        # Other devices with the interface of a simulated one have what the driver calls of it.
        expected = listed(BUILT[name])
        found = exported(file)
        assert found <= expected if BUILT[name] == verilate.EXPORTS else found == expected, name


@pytest.mark.parametrize("exports", MADE, ids=lambda file: file.name)
def test_what_the_front_door_builds_exports_its_list(exports: Path) -> None:
    try:
        library = MADE[exports]()
    except ToolMissing as error:
        pytest.skip(str(error))
    assert exported(library) == listed(exports)


@pytest.mark.parametrize("exports", DECLARED, ids=lambda file: file.name)
def test_a_list_names_what_its_headers_declare(exports: Path) -> None:
    assert listed(exports) == declared(DECLARED[exports])


def test_the_recorder_answers_to_the_calls_that_it_wraps_alone() -> None:
    header = (recorder.SOURCES / "recorder.h").read_text()
    (table,) = re.findall(r"#define REC_CALLS\(X\)(.*?)clang-format on", header, re.DOTALL)
    calls = re.findall(r"\bX\((\w+)\)", table)
    assert len(calls) > 50
    expected = {f"{prefix}_{call}" for call in calls for prefix in ("MPI", "PMPI")}
    assert listed(recorder.EXPORTS) == expected


def test_every_list_is_of_something_that_is_built() -> None:
    lists = {file for folder in (paths.SIM, paths.TOOLS, DRIVER) for file in folder.rglob("*.map")}
    assert lists == set(BUILT.values()) | set(MADE)


def test_a_symbol_more_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "two.c"
    source.write_text("int tmu_post(void) { return 0; }\nint tmu_data;\n")
    library = tmp_path / "two.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    assert exported(library) == {"tmu_post", "tmu_data"}
    hidden = tmp_path / "hidden.so"
    exports = tmp_path / "two.map"
    exports.write_text("{\n  global:\n    tmu_post;\n  local:\n    *;\n};\n")
    command: list[str | Path] = [
        "gcc",
        "-shared",
        "-fPIC",
        "-o",
        hidden,
        source,
        *cbuild.exports(exports),
    ]
    subprocess.run(command, check=True)
    assert exported(hidden) == listed(exports) == {"tmu_post"}
