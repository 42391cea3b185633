# SPDX-License-Identifier: Apache-2.0
"""Which folder's C may include what of another: the driver's core knows no device, sim/ no driver.

What sim/ may have of the driver is in sw-driver/include.

A header is foreign by its name, unless the including folder has one of that name itself.
"""

import re
from pathlib import Path

from opentmu import paths

DRIVER = paths.ROOT / "sw-driver"
KINDS = {".c", ".h", ".cpp"}
MOST_FOLDERS = 12
TESTS = {"test", "tests"}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def c_files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.suffix in KINDS]


def headers(*folders: Path) -> set[str]:
    return {file.name for folder in folders for file in c_files(folder) if file.suffix == ".h"}


def crossings(folder: Path, foreign: set[str]) -> dict[str, set[str]]:
    """The files below a folder that include a header of some others, and which."""
    found = {}
    foreign = foreign - headers(folder)
    for file in c_files(folder):
        if own := set(INCLUDE.findall(file.read_text())) & foreign:
            found[file.relative_to(folder).as_posix()] = own
    return found


def without_tests(found: dict[str, set[str]]) -> dict[str, set[str]]:
    return {name: what for name, what in found.items() if not TESTS & set(Path(name).parts)}


def test_the_core_of_the_driver_includes_no_backend_and_nothing_of_sim() -> None:
    foreign = headers(DRIVER / "backends", DRIVER / "share", DRIVER / "provider", paths.SIM)
    assert len(foreign) > 50
    assert crossings(DRIVER / "core", foreign) == {}


def test_the_driver_includes_and_compiles_nothing_of_sim() -> None:
    """Tests may; and what is installed beside the driver has a CMake file of its own."""
    foreign = headers(paths.SIM) - headers(DRIVER)
    assert {"tmu_model.h", "tmu_sim.h", "ref_device.h"} <= foreign
    assert without_tests(crossings(DRIVER, foreign)) == {}
    for file in (DRIVER / "CMakeLists.txt", *sorted((DRIVER / "cmake").glob("*.cmake"))):
        named = re.findall(r"\bsim/\S*", file.read_text())
        assert not [name for name in named if Path(name).suffix in KINDS], file


def test_the_provider_is_a_program_of_the_library_as_any_other() -> None:
    foreign = headers(DRIVER / "core", DRIVER / "backends", paths.SIM)
    assert without_tests(crossings(DRIVER / "provider", foreign)) == {}


def test_sim_includes_no_private_header_of_the_driver() -> None:
    foreign = headers(DRIVER / "core", DRIVER / "backends")
    assert without_tests(crossings(paths.SIM, foreign)) == {}


def test_the_law_and_the_engines_know_no_driver_and_not_each_other() -> None:
    law, engines = paths.SIM / "law", paths.SIM / "engines"
    others = [
        one
        for one in paths.SIM.iterdir()
        if one.name in ("device", "functional", "pci", "run", "unit")
    ]
    assert without_tests(crossings(law, headers(engines, *others))) == {}
    assert without_tests(crossings(engines, headers(*others))) == {}


def test_one_place_turns_an_operation_into_a_call_of_the_model() -> None:
    """Whoever asks the law fills in a question; tests of the law itself call what they test."""
    callers = {
        file.relative_to(paths.ROOT).as_posix()
        for folder in (paths.SIM, DRIVER)
        for file in c_files(folder)
        if "tmu_model_claim(" in file.read_text() and file.parent != paths.SIM / "law" / "test"
    }
    law = {"sim/law/tmu_model.c", "sim/law/tmu_model.h", "sim/law/tmu_model_ask.h"}
    # The functional device has a table of functions, one each for a software engine's.
    assert callers == law | {"sim/functional/ref_model.c"}


def test_an_include_across_is_seen(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text('#include <stdio.h>\n#include "tmu_internal.h"\n')
    assert crossings(tmp_path, headers(DRIVER / "core")) == {"one.c": {"tmu_internal.h"}}


def test_sim_has_few_folders() -> None:
    folders = {file.relative_to(paths.SIM).parts[0] for file in c_files(paths.SIM)}
    assert 0 < len(folders) <= MOST_FOLDERS, folders
