# SPDX-License-Identifier: Apache-2.0
"""The whole campaign through the AXI ports of the whole unit: for `./tmu test --long`."""

from typing import Any

import cocotb
from opentmu import regs
from opentmu.bench import campaigns, coverage, seed
from opentmu.bench.coverage import Coverage
from opentmu.bench.device import Device
from opentmu.bench.law import Law
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import Traffic

PRESET = regs.PRESETS["tiny"]
ROUNDS = 5
SIZE = 8


@cocotb.test()
async def campaign_reaches_every_bin(dut: Any) -> None:
    """R1 to R15: every corner several times over, all bins reached, all counters right."""
    law = Law(PRESET)
    board = Scoreboard(law, Coverage(law))
    device = Device(dut, board, seed.current())
    await device.start()
    for number in range(ROUNDS):
        traffic = Traffic(law, seed.current() + number)
        await device.run(campaigns.everything(traffic, SIZE))
    board.finish()
    assert board.coverage is not None
    board.coverage.check(coverage.required())
    counters, expected = await device.counters(), law.counters()
    assert {name: counters[name] for name in expected} == expected
