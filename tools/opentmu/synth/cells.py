# SPDX-License-Identifier: Apache-2.0
"""Cells of a mapped netlist: LUTs, flip-flops, memories, and their delays."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Look-up tables that one cell takes where it is more or fewer than one.
LUTS_AS_MEMORY = {
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM256X1D": 8,
    "RAM32M16": 8,
    "RAM64M8": 8,
    "SRL16E": 1,
    "SRLC16E": 1,
    "SRLC32E": 1,
    # Two LUTs store 16 x 4 bits and two more are lost to the write port.
    "TRELLIS_DPR16X4": 4,
}
LUTS_AS_CARRY = {"CCU2C": 2}
LOGIC_LUT = re.compile(r"LUT[1-6]$|INV$")
FLIP_FLOP = re.compile(r"FD[A-Z]E(_1)?$|TRELLIS_FF$")

# Block memories, in those of the family's full size (36 Kbit of UltraScale+, 18 Kbit of ECP5).
BLOCK_MEMORIES = {"RAMB36E2": 1.0, "RAMB18E2": 0.5, "DP16KD": 1.0, "PDPW16KD": 1.0}
LARGE_MEMORIES = {"URAM288": 1.0}

# Fixed wires beside the LUTs: no level of their own.
FIXED = re.compile(r"MUXF[789]$|CARRY[48]$|L6MUX21$|PFUMX$|BUF")
# A read of a block memory takes as long as about two levels until its data can be used.
BLOCK_MEMORY_LEVELS = 2


@dataclass(frozen=True)
class Resources:
    """Resources of a netlist; `bram` and `uram` in memories of full size."""

    lut: int
    lut_logic: int
    lut_memory: int
    lut_carry: int
    ff: int
    bram: float
    uram: int


def resources(counts: Mapping[str, int]) -> Resources:
    """Resources of so many cells of each type; types that take none count for nothing."""
    logic = sum(count for kind, count in counts.items() if LOGIC_LUT.match(kind))
    memory = sum(count * LUTS_AS_MEMORY.get(kind, 0) for kind, count in counts.items())
    carry = sum(count * LUTS_AS_CARRY.get(kind, 0) for kind, count in counts.items())
    return Resources(
        lut=logic + memory + carry,
        lut_logic=logic,
        lut_memory=memory,
        lut_carry=carry,
        ff=sum(count for kind, count in counts.items() if FLIP_FLOP.match(kind)),
        bram=sum(count * BLOCK_MEMORIES.get(kind, 0) for kind, count in counts.items()),
        uram=int(sum(count * LARGE_MEMORIES.get(kind, 0) for kind, count in counts.items())),
    )


def is_register(kind: str) -> bool:
    """Whether a path ends at every input of such a cell and starts at every output."""
    return bool(FLIP_FLOP.match(kind)) or kind in BLOCK_MEMORIES or kind in LARGE_MEMORIES


def is_distributed_memory(kind: str) -> bool:
    """Whether it is written at the clock and read through its address like a LUT."""
    return kind in LUTS_AS_MEMORY


def start_levels(kind: str) -> int:
    """Levels that count before the first LUT behind such a register."""
    return 0 if FLIP_FLOP.match(kind) else BLOCK_MEMORY_LEVELS


def levels(kind: str) -> int | None:
    """Levels from an input to an output; None for a cell that this table does not know."""
    if LOGIC_LUT.match(kind) or is_distributed_memory(kind):
        return 1
    if FIXED.match(kind):
        return 0
    return None


def follows(kind: str, pin_out: str, pin_in: str) -> bool:
    """Whether an output of a cell can change with an input in the same clock."""
    if kind.startswith("CARRY"):
        return _index(pin_in) <= _index(pin_out)
    if not is_distributed_memory(kind):
        return True
    # Port A of RAM32M is read at ADDRA, and so on; the others are read at DPRA or A.
    if multiple := re.match(r"DO([A-H])", pin_out):
        return pin_in.startswith(f"ADDR{multiple[1]}")
    return pin_in.startswith("DPRA" if pin_out == "DPO" else "A")


def _index(pin: str) -> int:
    """The bit of a pin like S[2]; a pin of one bit concerns all of them."""
    found = re.search(r"\[(\d+)\]$", pin)
    return int(found[1]) if found else 0
