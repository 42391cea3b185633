# SPDX-License-Identifier: Apache-2.0
"""`tmu verilog`: a folder that an integration can use from anywhere, and says what it is of."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import opentmu
import pytest
from opentmu import paths, regs
from opentmu.export import design as export
from opentmu.export.core import TOP

Tmu = Callable[..., subprocess.CompletedProcess[str]]
PRESET = "tiny"
IPXACT = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported design of a preset, below a folder whose name has a blank."""
    target = tmp_path_factory.mktemp("some where") / "tiny"
    words = [str(paths.ROOT / "tmu"), "verilog", "--preset", PRESET, "-o", str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def test_every_file_says_what_it_is_of(folder: Path) -> None:
    p = regs.PRESETS[PRESET]
    for file in sorted(folder.rglob("*.sv")):
        head = " ".join(line.lstrip("/ ") for line in file.read_text().splitlines()[:8])
        assert head.startswith(f"{file.stem}: "), file
        assert f"OpenTMU {opentmu.__version__}, hardware interface" in head
        assert (
            f"preset {PRESET}: endpoints {p.endpoints}, posted_entries {p.posted_entries}" in head
        )
        assert f"spill_segments {p.spill_segments}" in head
        assert "SPDX-License-Identifier: Apache-2.0" in head


def test_lines_say_where_they_are_from(folder: Path) -> None:
    """Source locators, from the root of the checkout, to files and lines that exist."""
    text = (folder / "MatchUnit.sv").read_text()
    locators = re.findall(r"// (hw/src/tmu/\S+\.scala):(\d+):\d+", text)
    assert len(locators) > 100
    assert str(paths.ROOT) not in text
    for file, line in set(locators):
        assert len((paths.ROOT / file).read_text().splitlines()) >= int(line)


def test_lists_name_every_file_once(folder: Path) -> None:
    hardware = (folder / "filelist.f").read_text().split("\n")[:-1]
    every = (folder / "filelist_assertions.f").read_text().split("\n")[:-1]
    modules = [str(file.relative_to(folder)) for file in folder.rglob("*.sv")]
    assert not [name for name in hardware if name.startswith("verification")]
    assert hardware[-1] == "wrapper/tmu_wrapper.sv"
    files = [name for name in every if not name.startswith("+incdir+")]
    assert sorted(files) == sorted(modules) and len(set(files)) == len(files)
    bound = sum("bind " in (folder / name).read_text() for name in files)
    assert bound > 20
    text = " ".join((folder / name).read_text() for name in hardware)
    assert not re.search(r"^\s*(bind|assert)\b", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("option", "name"),
    [("-F", "filelist.f"), ("-F", "filelist_assertions.f"), ("-f", "filelist.abs.f")],
)
def test_verilator_reads_a_list_from_another_folder(
    folder: Path, tmp_path: Path, option: str, name: str
) -> None:
    words = ["verilator", "--lint-only", "-Wno-lint", "-Wno-style", "--assert", "--no-timing"]
    words += ["--top-module", TOP, option, str(folder / name)]
    if option == "-f":
        # Verilator splits a line of a list at blanks.
        plain = tmp_path / "plain"
        plain.symlink_to(folder)
        (tmp_path / name).write_text((folder / name).read_text().replace(str(folder), str(plain)))
        words[-1] = str(tmp_path / name)
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_core_names_what_is_there(folder: Path) -> None:
    """FuseSoC's CAPI2: every file of the lists in a file set, the wrapper on top."""
    text = (folder / f"opentmu_tmu_{PRESET}.core").read_text()
    assert text.startswith("CAPI=2:\n")
    assert f"name: opentmu:tmu:tmu_{PRESET}:{opentmu.__version__}" in text
    named = re.findall(r"^      - ([^\s:]+)", text, re.MULTILINE)
    assert all((folder / name).is_file() for name in named)
    modules = {str(file.relative_to(folder)) for file in folder.rglob("*.sv")}
    assert modules == {name for name in named if name.endswith(".sv")}
    assert {"constraints/tmu.xdc", "constraints/tmu.sdc"} < set(named)
    assert text.count(f"toplevel: {TOP}") == 4


def number(text: str | None) -> int:
    """IP-XACT writes numbers as Verilog does."""
    assert text
    return int(text.removeprefix("'h"), 16) if text.startswith("'h") else int(text)


def ipxact(folder: Path) -> dict[str, Any]:
    tree = ElementTree.parse(folder / "tmu.xml")
    return {str(one.findtext(f"{IPXACT}name")): one for one in tree.iter(f"{IPXACT}register")}


def test_ipxact_has_every_register_with_the_presets_values(folder: Path) -> None:
    found = ipxact(folder)
    offsets = {name: number(one.findtext(f"{IPXACT}addressOffset")) for name, one in found.items()}
    assert {name: offsets[name] for name in regs.REGISTERS} == dict(regs.REGISTERS)
    counters = {f"COUNTER_{name.upper()}_LO": at for name, at in regs.COUNTERS.items()}
    assert {name: offsets[name] for name in counters} == counters
    p = regs.PRESETS[PRESET]
    for name, value in (("ENDPOINTS", p.endpoints), ("QUEUES", p.queues), ("PRESET", p.number)):
        (reset,) = found[name].iter(f"{IPXACT}reset")
        assert number(reset.findtext(f"{IPXACT}value")) == value, name


def test_constraints_name_ports_of_the_wrapper(folder: Path) -> None:
    wrapper = (folder / "wrapper" / "tmu_wrapper.sv").read_text()
    for kind in ("xdc", "sdc"):
        text = (folder / "constraints" / f"tmu.{kind}").read_text()
        names = set(re.findall(r"\[get_ports (\w+)\]", text))
        assert names >= {"aclk", "aresetn"}
        assert all(re.search(rf"\b{name}\b", wrapper) for name in names)
        assert "create_clock" in text and "set_false_path" in text


def test_without_ipxact_nothing_is_fetched(tmu: Tmu, tmp_path: Path) -> None:
    done = tmu("verilog", "--preset", PRESET, "--no-ipxact", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "tmu.xml").exists() and (tmp_path / export.RDL).is_file()
