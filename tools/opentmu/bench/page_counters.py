# SPDX-License-Identifier: Apache-2.0
"""The snapshot of the counters that every doorbell page shows, read without privilege."""

from typing import Any

from cocotbext.axi import AxiResp

from opentmu import regs
from opentmu.bench.registers import PATIENCE, REGISTER_BYTES, soon


class PageCounters:
    """One page's view; `doorbells` is an AXI master on the doorbell pages."""

    def __init__(self, doorbells: Any, page: int) -> None:
        self.doorbells = doorbells
        self.start = page * regs.DOORBELL_PAGE_BYTES

    async def ask(self) -> None:
        """Ask for a new snapshot."""
        address = self.start + regs.DOORBELL_ASK_OFFSET
        answer = await soon(self.doorbells.write(address, bytes(REGISTER_BYTES)))
        assert answer.resp == AxiResp.OKAY

    async def number(self) -> int:
        """The number of the snapshot: odd is not whole."""
        return await self._word(regs.DOORBELL_PICTURE_OFFSET)

    async def whole(self, *, since: int = 0) -> int:
        """Wait for a whole snapshot with this number at least; its number."""
        for _ in range(PATIENCE):
            number = await self.number()
            if number % 2 == 0 and number >= since:
                return number
        raise TimeoutError(f"no snapshot of the counters with number {since} or more")

    async def read(self, names: list[str] | None = None) -> dict[str, int] | None:
        """Counters of the snapshot, all by default; None if it was replaced meanwhile.

        Nothing is asked for here.
        """
        number = await self.whole()
        order = list(regs.COUNTERS)
        found = {}
        for name in names or order:
            offset = regs.DOORBELL_COUNTER_BYTES * order.index(name)
            found[name] = await self._word(regs.DOORBELL_COUNTERS_OFFSET + offset)
        return found if await self.number() == number else None

    async def _word(self, offset: int) -> int:
        answer = await soon(self.doorbells.read(self.start + offset, regs.DOORBELL_COUNTER_BYTES))
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")
