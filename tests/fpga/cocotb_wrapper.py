# SPDX-License-Identifier: Apache-2.0
"""tmu_wrapper: what a shell sees around reset."""

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer
from opentmu import regs

PERIOD_NS = 10
PATIENCE = 120
OFFERED = ("s_axil_arvalid", "s_axil_rready", "s_axi_wvalid", "s_axi_awvalid", "s_axi_bready")
ANSWERS = (
    *("s_axil_awready", "s_axil_wready", "s_axil_bvalid", "s_axil_arready", "s_axil_rvalid"),
    *("s_axi_awready", "s_axi_wready", "s_axi_bvalid", "s_axi_arready", "s_axi_rvalid"),
    *("m_axi_awvalid", "m_axi_wvalid", "m_axi_arvalid"),
    *("m_axi_mem_awvalid", "m_axi_mem_wvalid", "m_axi_mem_arvalid"),
)
MEMORY = ("m_axi_bvalid", "m_axi_mem_bvalid", "m_axi_mem_rvalid")


def start(dut: Any) -> None:
    """A master that offers a read of MAGIC all the time, and no other traffic."""
    Clock(dut.aclk, PERIOD_NS, unit="ns").start()
    for name in (*OFFERED, *MEMORY, "s_axil_awvalid", "s_axil_wvalid", "s_axi_arvalid"):
        getattr(dut, name).value = 0
    dut.s_axil_araddr.value = regs.REGISTERS["MAGIC"]
    dut.s_axil_arvalid.value = 1
    dut.s_axil_rready.value = 1


def quiet(dut: Any) -> None:
    """No handshake is offered or taken."""
    loud = [name for name in ANSWERS if int(getattr(dut, name).value)]
    assert not loud, f"{loud} in reset"


async def answer(dut: Any) -> int:
    """The data of the one answer; a second request is not made."""
    for _ in range(PATIENCE):
        await FallingEdge(dut.aclk)
        if int(dut.s_axil_arready.value):
            break
    await FallingEdge(dut.aclk)
    dut.s_axil_arvalid.value = 0
    for _ in range(PATIENCE):
        if int(dut.s_axil_rvalid.value):
            return int(dut.s_axil_rdata.value)
        await FallingEdge(dut.aclk)
    raise AssertionError("a read that was taken was never answered")


@cocotb.test()
async def a_read_offered_in_reset_is_answered_once(dut: Any) -> None:
    """Nothing moves in reset; the waiting read is taken afterwards and answered."""
    start(dut)
    dut.aresetn.value = 0
    for _ in range(10):
        await FallingEdge(dut.aclk)
        quiet(dut)
    dut.aresetn.value = 1
    assert await answer(dut) == regs.MAGIC
    for _ in range(PATIENCE):
        await FallingEdge(dut.aclk)
        assert not int(dut.s_axil_rvalid.value)


@cocotb.test()
async def reset_silences_at_once_and_a_short_one_is_enough(dut: Any) -> None:
    """Handshakes fall with aresetn, between clock edges; a pulse without an edge resets."""
    start(dut)
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    assert await answer(dut) == regs.MAGIC
    await ClockCycles(dut.aclk, 100)
    await FallingEdge(dut.aclk)
    assert int(dut.s_axi_awready.value)
    await Timer(1, unit="ns")
    dut.aresetn.value = 0
    await Timer(1, unit="ns")
    quiet(dut)
    dut.aresetn.value = 1
    await Timer(1, unit="ns")
    quiet(dut)
    dut.s_axil_arvalid.value = 1
    assert await answer(dut) == regs.MAGIC
