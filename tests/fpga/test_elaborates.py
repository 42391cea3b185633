# SPDX-License-Identifier: Apache-2.0
"""The FPGA wrappers with the unit in them: Yosys and Verilator take them, and can object."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from opentmu import paths, regs
from opentmu.build import fpga, rtl, verilate
from opentmu.errors import CheckFailed

PRESETS = ("tiny", pytest.param("ecp5", marks=pytest.mark.long))
# Flip-flops of the serial registers: 709 inputs, both doorbell addresses, and 1,237 outputs.
SERIAL_BITS = 709 + 2 * fpga.address_bits("tiny") + 1237


@pytest.mark.parametrize("preset", PRESETS)
def test_no_assertion_or_bind_file_gets_into_an_fpga_build(preset: str) -> None:
    design = rtl.ensure(preset)
    simulation = set(verilate.sources(design))
    build = set(fpga.sources(design))
    binds = set(verilate.bind_files(design))
    checks = {file for file in simulation if "verification" in file.relative_to(design).parts}
    assert binds and checks > binds, "the design has checks that could get in"
    assert not build & checks
    assert build - simulation == {fpga.FPGA / "wrapper" / f"{name}.sv" for name in fpga.WRAPPERS}
    assert simulation - checks <= build


@pytest.mark.parametrize("text", ["bind TmuTop Checks checks();", "  assert(a == b);"])
def test_an_assertion_among_the_sources_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "filelist.f").write_text("Sound.sv\nOdd.sv\n")
    (tmp_path / "Sound.sv").write_text("module Sound; endmodule\n")
    (tmp_path / "Odd.sv").write_text(f"module Odd;\n{text}\nendmodule\n")
    with pytest.raises(CheckFailed, match=r"Odd\.sv"):
        fpga.sources(tmp_path)


# Sizes that the contract does not tell: slots beyond entries, some of them for those that flipped
# bits take away; and tiny's memory rows of filter ids.
SPARE_SLOTS = 8
LOSABLE_SLOTS = 16
HAVE_PARITY = {"tiny"}
TINY_FILTER_LANES = 8
TINY_FILTER_ROWS = 16
FILTER_BITS = 32 + 3
FILTER_ID_BITS = 6


def expected_memories(preset: str) -> Counter[tuple[int, int]]:
    """Memories that hold entries: whole ones by slot; beyond the arrays, filter ids and slots."""
    p = regs.PRESETS[preset]
    endpoint = (p.endpoints - 1).bit_length()
    key = p.match_bits + p.source_bits
    body = endpoint + key + p.handle_bits + p.address_bits + p.length_bits
    # Only memory rows read an entry's id back; lanes have their own.
    named_again = p.id_bits if p.posted_entries > p.array_entries else 0
    parity = preset in HAVE_PARITY
    found: Counter[tuple[int, int]] = Counter()
    for entries, whole, named in (
        (p.posted_entries, body + key + named_again, FILTER_ID_BITS),
        (p.unexpected_entries, body, 0),
    ):
        slots = entries + SPARE_SLOTS + LOSABLE_SLOTS * parity
        found[(slots, whole + 2 * parity)] += 1  # of the endpoint, and of all
        if entries > p.array_entries:
            for bits in (endpoint + FILTER_BITS + named + parity, (slots - 1).bit_length()):
                found[(TINY_FILTER_ROWS, bits)] += TINY_FILTER_LANES
    return found


@pytest.mark.parametrize("top", fpga.WRAPPERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_yosys_elaborates_the_wrapper(preset: str, top: str) -> None:
    design = rtl.ensure(preset)
    steps = [fpga.script(fpga.ELABORATE), "flatten", fpga.DUMP]
    name = f"yosys-{top}-{preset}"
    log = fpga.yosys(design, top, fpga.address_bits(preset), steps, name)
    found = fpga.memories(log)
    assert fpga.cells(log)["$mem_v2"] == found.total()
    missing = expected_memories(preset) - found
    assert not missing, f"not seen as memories: {missing}"


def test_yosys_refuses_a_wrapper_of_another_width() -> None:
    design = rtl.ensure("tiny")
    with pytest.raises(CheckFailed, match=r"s_axi_a[rw]addr"):
        bits = fpga.address_bits("tiny") + 1
        fpga.yosys(design, "tmu_wrapper", bits, [fpga.script(fpga.ELABORATE)], "yosys-wide")


def test_yosys_refuses_a_design_without_a_module() -> None:
    folder = paths.BUILD / "test" / "incomplete"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(rtl.ensure("tiny"), folder)
    files = (folder / "filelist.f").read_text()
    (folder / "filelist.f").write_text(files.replace("PageTable.sv\n", ""))
    with pytest.raises(CheckFailed, match="PageTable"):
        bits = fpga.address_bits("tiny")
        fpga.yosys(folder, "tmu_wrapper", bits, [fpga.script(fpga.ELABORATE)], "yosys-incomplete")


@pytest.mark.parametrize("top", fpga.WRAPPERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_verilator_finds_nothing_in_the_wrapper(preset: str, top: str, tmp_path: Path) -> None:
    design = rtl.ensure(preset)
    fpga.lint(design, top, fpga.address_bits(preset), tmp_path, f"lint-{top}-{preset}")


def test_verilator_refuses_a_wrapper_of_another_width(tmp_path: Path) -> None:
    design = rtl.ensure("tiny")
    with pytest.raises(CheckFailed, match="WIDTH"):
        fpga.lint(design, "tmu_wrapper", fpga.address_bits("tiny") + 1, tmp_path, "lint-wide")


def test_no_output_follows_an_input_in_the_same_clock() -> None:
    """AXI: no path from an input to an output, but for the reset that gates valid and ready."""
    text = (fpga.FPGA / "wrapper" / "tmu_wrapper.sv").read_text()
    outputs = re.findall(r"^    output wire .*?(\w+),?$", text, re.MULTILINE)
    assert len(outputs) > 40
    # From each output back to flip-flops and memories; the inputs among what was passed.
    steps = ["proc", "memory -nomap", "flatten", "opt_clean"]
    for name in outputs:
        steps += [f"log from {name}", f"select -list w:{name} %ci*:-$dff,$adff,$mem_v2 i:* %i"]
    bits = fpga.address_bits("tiny")
    log = fpga.yosys(rtl.ensure("tiny"), "tmu_wrapper", bits, steps, "yosys-through")
    found: dict[str, set[str]] = {}
    for line in log.splitlines():
        if line.startswith("from "):
            output = line.split()[1]
        elif line.startswith("tmu_wrapper/"):
            found.setdefault(output, set()).add(line.split("/")[1])
    gated = {name for name, inputs in found.items() if "aresetn" in inputs}
    assert gated == {name for name in outputs if re.search("(valid|ready)$", name)} - {
        "m_axi_arvalid",
        "m_axi_rready",
    }
    found = {name: inputs - {"aresetn"} for name, inputs in found.items()}
    assert {name: inputs for name, inputs in found.items() if inputs} == {}


@pytest.mark.long  # minutes; docs/nightly.md
def test_ecp5_cells_of_the_tiny_unit() -> None:
    design = rtl.ensure("tiny")
    steps = [fpga.script(fpga.ELABORATE), fpga.script(fpga.ECP5)]
    log = fpga.yosys(design, "tmu_pins", fpga.address_bits("tiny"), steps, "yosys-ecp5-tiny")
    cells = fpga.cells(log)
    # The unit is still there behind its six pins, and fits an ECP5-85 (83,640 LUTs).
    counters = 37 * 48 * 2
    assert cells["TRELLIS_FF"] > SERIAL_BITS + counters
    assert 5_000 < cells["LUT4"] < 83_640
