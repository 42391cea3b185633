# SPDX-License-Identifier: Apache-2.0
"""Counts the clocks of the whole unit's streams by their handshakes, as its counters should.

Of a ring without room the handshakes tell nothing, so rings have to be large enough.
"""

from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from opentmu import regs

# One clock: whether something moved, and whether something waited.
State = tuple[bool, bool]
IDLE: State = (False, False)


class Streams:
    """The state of all streams in every clock since the counters' reset."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.seen: dict[str, list[State]] = {name: [] for name in regs.STREAMS}
        self._reading = 0  # bursts that memory has not ended
        cocotb.start_soon(self._watch())

    def expected(self, clocks: int) -> dict[str, int]:
        """Every counter of a stream in a snapshot whose counter of clocks has this value.

        Nothing happens in the clock after the reset; each one after it shows the one before.
        """
        result: dict[str, int] = {}
        for name, (active, stalled, idle) in regs.STREAMS.items():
            seen = [IDLE, *self.seen[name][: clocks - 1]]
            assert len(seen) == clocks, "the counters are ahead of the bench"
            result[active] = sum(moves for moves, _ in seen)
            result[stalled] = sum(waits and not moves for moves, waits in seen)
            result |= zip(idle, idle_runs(seen), strict=True)
        return result

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clock)
            if self.dut.counters.reset.value:
                for seen in self.seen.values():
                    seen.clear()
                self._reading = 0
                continue
            for name, state in self._now().items():
                self.seen[name].append(state)

    def _now(self) -> dict[str, State]:
        decoder = self.dut.decoder
        offered = [
            bool(getattr(decoder, f"io_{stream}_valid").value) for stream in ("post", "arrival")
        ]
        taken = [
            bool(getattr(decoder, f"io_{stream}_ready").value) for stream in ("post", "arrival")
        ]
        went = any(one and other for one, other in zip(offered, taken, strict=True))
        beat = self._channel("m_axi_mem_r")[0]
        asked, asks = self._channel("m_axi_mem_ar")
        waits = asks or self._reading > 0
        self._reading += asked - (beat and bool(self.dut.m_axi_mem_rlast.value))
        return {
            "command": (went, any(offered)),
            "completion": self._write("m_axi"),
            "spill_read": (beat, waits),
            "spill_write": self._write("m_axi_mem"),
        }

    def _write(self, port: str) -> State:
        """A beat is the transfer; it waits, or its address does."""
        moves, waits = self._channel(f"{port}_w")
        return moves, waits or self._channel(f"{port}_aw")[1]

    def _channel(self, prefix: str) -> State:
        """Whether an AXI channel moves, and whether it is offered anything."""
        valid = bool(getattr(self.dut, f"{prefix}valid").value)
        return valid and bool(getattr(self.dut, f"{prefix}ready").value), valid


def idle_runs(states: list[State]) -> list[int]:
    """Runs of idle clocks that have ended, by bucket."""
    ended = [0] * len(regs.STREAM_IDLE_FROM)
    run = 0
    for state in states:
        if state == IDLE:
            run += 1
            continue
        if run:
            ended[sum(run >= least for least in regs.STREAM_IDLE_FROM) - 1] += 1
        run = 0
    return ended
