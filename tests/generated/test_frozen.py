# SPDX-License-Identifier: Apache-2.0
"""The released host interface does not move, and the check that says so can fail."""

import re

import pytest
from opentmu import frozen, regs

pytestmark = pytest.mark.mill

HEADER = frozen.HEADER.read_text()


def test_nothing_that_was_released_has_moved() -> None:
    """Registers, fields, layouts, codes, doorbells, counters and presets of this major version."""
    complaints = frozen.moved(frozen.released(), frozen.interface(HEADER))
    assert not complaints, "\n".join(complaints)


def test_the_committed_interface_is_of_this_major_version_and_whole() -> None:
    """A new major version begins with a file of its own; this one has all kinds of numbers."""
    assert frozen.file().is_file(), "at a release type: ./tmu generate --release"
    released = frozen.released()
    for name in (
        "TMU_REG_MAGIC",
        "TMU_CAPABILITIES_SPILL_SHIFT",
        "TMU_REG_COUNTER_SPILL_WRITE_IDLE_256_HI",
        "TMU_COMMAND_MATCH_WORD",
        "TMU_COMPLETION_UNIT_LATENCY_MASK",
        "TMU_SPILL_ENTRY_HANDLE_WORD",
        "TMU_OPCODE_INSPECT",
        "TMU_STATUS_TABLE_FAULT",
        "TMU_DOORBELL_COUNTERS_OFFSET",
        "preset nic",
    ):
        assert name in released, name
    counters = [name for name in released if name.startswith("TMU_REG_COUNTER_")]
    assert len(counters) >= 150
    assert all("read only" in released[name] for name in counters)


MOVES = {
    "a register": (r"(TMU_REG_QUEUES) 0x", r"\1 0x7"),
    "its access": (r"(TMU_REG_STATUS 0x\w+ /\*) read only", r"\1 read/write"),
    "a field": (r"(TMU_STATUS_IDLE_SHIFT) \d+", r"\1 9"),
    "a width": (r"(TMU_STATUS_IDLE_MASK) 0x\w+", r"\1 0x3u"),
    "a counter": (r"(TMU_REG_COUNTER_SPILL_READ_IDLE_1_LO) 0x", r"\1 0x7"),
    "a field of a command": (r"(TMU_COMMAND_SOURCE_WORD) \d+", r"\1 5"),
    "a field of a completion": (r"(TMU_COMPLETION_SERIAL_SHIFT) \d+", r"\1 16"),
    "a field of an entry": (r"(TMU_SPILL_ENTRY_MATCH_WORD) \d+", r"\1 7"),
    "an opcode": (r"(TMU_OPCODE_CLAIM) = \d+", r"\1 = 9"),
    "a status that is gone": (r"    TMU_STATUS_LATE = .*\n", ""),
    "a preset": (r'X\("tiny", 1,', 'X("tiny", 7,'),
}


@pytest.mark.parametrize("kind", MOVES)
def test_what_moves_is_named(kind: str) -> None:
    """Each kind of number, moved in the header, is a complaint of its own."""
    pattern, text = MOVES[kind]
    broken, count = re.subn(pattern, text, HEADER, count=0)
    assert count > 0, f"{pattern}: nothing in the header is like this"
    complaints = frozen.moved(frozen.released(), frozen.interface(broken))
    assert len(complaints) == 1, complaints


def test_an_addition_is_fine() -> None:
    """A new register, and a higher minor version, move nothing."""
    minor = f"#define TMU_INTERFACE_MINOR {regs.INTERFACE_MINOR}"
    assert minor in HEADER
    more = HEADER.replace(minor, "#define TMU_INTERFACE_MINOR 99\n#define TMU_REG_NEW 0x3f0")
    assert not frozen.moved(frozen.released(), frozen.interface(more))
