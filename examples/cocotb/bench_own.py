# SPDX-License-Identifier: Apache-2.0
"""A bench of one's own: two receives and a message at the ports of the matching unit.

MatchUnitBench drives both streams; the scoreboard asks the reference model about every verdict, so
a wrong one fails the test without a line here that says what is right.
"""

from typing import Any

import cocotb
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.coverage import Coverage
from opentmu.bench.law import Law
from opentmu.bench.match_unit import MatchUnitBench
from opentmu.bench.records import Operation
from opentmu.bench.scoreboard import Scoreboard
from opentmu.regs import Opcode, Status

PRESET = regs.PRESETS["tiny"]
CONTEXT, TAG, SOURCE = 5, 7, 3
PAGE = 0  # acts for endpoint 0
ANY_SOURCE = 0xFFFFFFFF


@cocotb.test()
async def the_older_receive_takes_the_message(dut: Any) -> None:
    law = Law(PRESET)
    bench = MatchUnitBench(dut, Scoreboard(law, Coverage(law)), seed.current())
    await bench.start()
    key = {"match": CONTEXT << 32 | TAG, "source": SOURCE}
    wild = Operation(
        Opcode.POST, PAGE, **key, handle=1, receive_id=1, source_ignore=ANY_SOURCE, length=64
    )
    exact = Operation(Opcode.POST, PAGE, **key, handle=2, receive_id=2, length=64)
    message = Operation(Opcode.ARRIVE, PAGE, **key, handle=3, length=32)
    await bench.run([wild, exact, message])
    bench.scoreboard.finish()
    assert [answer.status for answer in bench.answers] == [
        Status.QUEUED,
        Status.QUEUED,
        Status.MATCHED,
    ]
    assert bench.answers[-1].other == 1, "age decides, not how exact a receive is"
