# SPDX-License-Identifier: Apache-2.0
"""The SystemRDL file, read by an independent compiler, says what C and Python constants say."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from opentmu import paths, regs
from systemrdl.compiler import RDLCompiler

pytestmark = pytest.mark.mill

HEADER = paths.ROOT / "sw-driver" / "include" / "tmu" / "tmu_regs.h"
RDL = paths.ROOT / "docs" / "tmu.rdl"
PRESET = regs.PRESETS["nic"]
WORDS = {"read only": "r", "read/write": "rw", "write 1 to trigger": "w"}


@dataclass
class Register:
    """A register as one of the three files describes it."""

    offset: int
    access: str
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)


@cache
def rdl_registers() -> dict[str, Any]:
    """The compiled registers by name."""
    compiler = RDLCompiler()
    compiler.compile_file(str(RDL))
    return {node.inst_name: node for node in compiler.elaborate().top.registers()}


def from_rdl() -> dict[str, Register]:
    """Registers of the SystemRDL file; a field VALUE is the whole register."""
    result = {}
    for name, node in rdl_registers().items():
        access = {one.get_property("sw").name for one in node.fields()}
        assert len(access) == 1, f"{name} mixes {access}"
        fields = {f.inst_name: (f.low, f.width) for f in node.fields()}
        if set(fields) == {"VALUE"}:
            assert fields["VALUE"] == (0, 32), name
            fields = {}
        result[name] = Register(node.absolute_address, access.pop(), fields)
    return result


def from_python() -> dict[str, Register]:
    """Registers of regs.py."""
    result = {
        name: Register(offset, regs.REGISTER_ACCESS[name], dict(regs.REGISTER_FIELDS.get(name, {})))
        for name, offset in regs.REGISTERS.items()
    }
    for name, offset in regs.COUNTERS.items():
        result[f"COUNTER_{name.upper()}_LO"] = Register(offset, "r")
        result[f"COUNTER_{name.upper()}_HI"] = Register(offset + 4, "r")
    return result


def from_header() -> dict[str, Register]:
    """Registers of tmu_regs.h."""
    text = HEADER.read_text()
    result = {}
    for name, offset, comment in re.findall(
        r"^#define TMU_REG_(\w+) (0x[0-9a-f]+) /\* ([a-z0-9 /]+):", text, re.MULTILINE
    ):
        result[name] = Register(int(offset, 16), WORDS[comment])
    for name, register in result.items():
        pattern = (
            rf"^#define TMU_{name}_(\w+)_SHIFT (\d+).*\n#define TMU_{name}_\1_MASK (0x[0-9a-f]+)u"
        )
        for one, shift, mask in re.findall(pattern, text, re.MULTILINE):
            register.fields[one] = (int(shift), int(mask, 16).bit_length())
    return result


def test_the_rdl_file_and_the_python_constants_agree() -> None:
    """Names, offsets, access and fields of every register."""
    assert from_rdl() == from_python()


def test_the_rdl_file_and_the_c_header_agree() -> None:
    """Names, offsets, access and fields of every register; the header has a card's beside them."""
    unit, header = from_rdl(), from_header()
    assert {name: one for name, one in header.items() if name in unit} == unit
    card = {name: one for name, one in header.items() if name not in unit}
    assert card and all(re.match("(WIRE|POOL|NAME|PEER|MEMORY|TABLE)_", name) for name in card)
    offsets = {one.offset for one in card.values()}
    assert len(offsets) == len(card) and not offsets & {one.offset for one in unit.values()}


def test_registers_do_not_overlap_and_lie_in_the_space() -> None:
    """Every register has its own word inside the documented size."""
    offsets = [one.offset for one in from_rdl().values()]
    assert len(offsets) == len(set(offsets)) > 0
    assert all(offset % 4 == 0 and offset < regs.REGISTER_BYTES for offset in offsets)


def test_discovery_registers_reset_to_the_presets_values() -> None:
    """The constants of the discovery block; 0 for most of what software writes."""
    nodes = rdl_registers()
    expected = {"MAGIC": regs.MAGIC, "PRESET": PRESET.number}
    for name in regs.REGISTERS:
        if hasattr(PRESET, name.lower()) and name not in expected:
            expected[name] = getattr(PRESET, name.lower())
    for name, value in expected.items():
        (only,) = nodes[name].fields()
        assert only.get_property("reset") == value, name
    version = {f.inst_name: f.get_property("reset") for f in nodes["INTERFACE_VERSION"].fields()}
    assert version == {"MAJOR": regs.INTERFACE_MAJOR, "MINOR": regs.INTERFACE_MINOR}
    for name, access in regs.REGISTER_ACCESS.items():
        if access != "r" and not name.startswith("FILTER_"):
            value = 1 << 26 if name == "RING_PATIENCE" else 0
            assert {f.get_property("reset") for f in nodes[name].fields()} == {value}, name


def test_triggers_are_pulses() -> None:
    """A register that triggers holds nothing."""
    for name, access in regs.REGISTER_ACCESS.items():
        pulses = {f.get_property("singlepulse") for f in rdl_registers()[name].fields()}
        assert pulses == {access == "w"}, name


@pytest.mark.parametrize(
    ("prefix", "values"),
    [
        ("TMU_OPCODE_", {one.name: one.value for one in regs.Opcode}),
        ("TMU_STATUS_", {one.name: one.value for one in regs.Status}),
    ],
)
def test_codes_of_c_and_python_agree(prefix: str, values: dict[str, int]) -> None:
    """Opcodes and statuses, name by name."""
    found = dict(re.findall(rf"\b{prefix}([A-Z_]+) = (\d+)", HEADER.read_text()))
    assert {name: int(number) for name, number in found.items()} == values
