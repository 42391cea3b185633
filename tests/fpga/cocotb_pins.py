# SPDX-License-Identifier: Apache-2.0
"""tmu_pins: the whole unit answers through its six pins."""

import re
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from opentmu import regs
from opentmu.build import fpga

PERIOD_NS = 10
TEXT = (fpga.FPGA / "wrapper" / "tmu_pins.sv").read_text()
Field = tuple[str, int]


def fields(start: str, end: str) -> list[Field]:
    """Names and widths between two offsets of the source, highest bit first."""
    inside = TEXT[TEXT.index(start) + len(start) :]
    names = re.findall(r"\w+", inside[: inside.index(end)])
    found = []
    for name in (name.removeprefix("held_") for name in names):
        wire = re.search(rf"^    wire (?:\[(\w+)(-1)?:0\] )?{name};", TEXT, re.MULTILINE)
        assert wire, f"no wire {name}"
        high, less = wire.groups()
        if less:
            assert high == "ADDRESS_BITS"
            found.append((name, fpga.address_bits("tiny")))
        else:
            found.append((name, int(high or 0) + 1))
    return found


INPUTS = fields("    assign {\n", "}")
OUTPUTS = fields("driven = {\n", "}")


def packed(values: dict[str, int]) -> list[int]:
    """The stimulus as bits in the order in which they are shifted in."""
    assert set(values) <= {name for name, _ in INPUTS}
    return [values.get(name, 0) >> at & 1 for name, bits in INPUTS for at in reversed(range(bits))]


async def shift(dut: Any, bits: list[int]) -> None:
    """Put bits into the stimulus, the last one into its lowest bit."""
    dut.shift.value = 1
    for bit in bits:
        dut.serial_in.value = bit
        await FallingEdge(dut.clk)
    dut.shift.value = 0


async def step(dut: Any, **values: int) -> dict[str, int]:
    """Show the unit these inputs for one clock; its outputs in that clock."""
    await shift(dut, packed(values))
    dut.step.value = 1
    await FallingEdge(dut.clk)
    dut.step.value = 0
    await shift(dut, [0])
    # The response has moved now, and shifts from the next clock on.
    bits = []
    for _ in range(sum(width for _, width in OUTPUTS)):
        await shift(dut, [0])
        bits.append(int(dut.serial_out.value))
    found = {}
    for name, width in OUTPUTS:
        taken, bits = bits[:width], bits[width:]
        found[name] = int("".join(map(str, taken)), 2)
    return found


async def start(dut: Any) -> None:
    """Reset, long enough for the sweep."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    for name in ("shift", "step", "serial_in", "rst_n"):
        getattr(dut, name).value = 0
    for _ in range(5):
        await FallingEdge(dut.clk)
    dut.rst_n.value = 1
    for _ in range(100):
        await FallingEdge(dut.clk)


@cocotb.test()
async def every_discovery_register_reads_through_the_pins(dut: Any) -> None:
    """The read, its answer, and nothing while the chain moves."""
    await start(dut)
    preset = regs.PRESETS["tiny"]
    expected = {
        "MAGIC": regs.MAGIC,
        "ENDPOINTS": preset.endpoints,
        "LANES": preset.lanes,
        "POSTED_ENTRIES": preset.posted_entries,
    }
    for name, value in expected.items():
        offset = regs.REGISTERS[name]
        asked = await step(dut, s_axil_arvalid=1, s_axil_araddr=offset)
        assert asked["s_axil_arready"] and not asked["s_axil_rvalid"]
        answered = await step(dut, s_axil_rready=1)
        assert answered["s_axil_rvalid"] and not answered["s_axil_rresp"]
        assert answered["s_axil_rdata"] == value, name
        after = await step(dut)
        assert not after["s_axil_rvalid"]


@cocotb.test()
async def a_doorbell_write_of_the_wrong_shape_is_refused_through_the_pins(dut: Any) -> None:
    """R13: a partial beat gets SLVERR, so address, data and response channels are connected."""
    await start(dut)
    write = {"s_axi_awvalid": 1, "s_axi_awid": 5, "s_axi_awsize": 6, "s_axi_awburst": 1}
    await step(dut, **write)
    taken = await step(dut, s_axi_wvalid=1, s_axi_wstrb=1, s_axi_wlast=1)
    assert taken["s_axi_wready"]
    answered = await step(dut, s_axi_bready=1)
    assert answered["s_axi_bvalid"]
    assert (answered["s_axi_bid"], answered["s_axi_bresp"]) == (5, 2)


@cocotb.test()
async def what_is_shifted_in_follows_the_outputs(dut: Any) -> None:
    """A constant there would let a mapper take constant outputs out, a round of it for each."""
    await start(dut)
    mark = [0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1]
    await shift(dut, mark)
    seen = ""
    for _ in range(sum(width for _, width in OUTPUTS) + len(mark)):
        await shift(dut, [0])
        seen += str(int(dut.serial_out.value))
    assert "".join(map(str, mark[1:])) in seen[-2 * len(mark) :]
