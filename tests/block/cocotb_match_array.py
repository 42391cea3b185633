# SPDX-License-Identifier: Apache-2.0
"""MatchArray with receives: the ordered table alone, at full rate, against a Python list."""

from collections import Counter, deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.coverage import ALL_SOURCE, ANY_TAG
from opentmu.bench.handshake import Values, reset, set_all, start_clock

PRESET = regs.PRESETS["tiny"]
POSITIONS = PRESET.array_entries
ROWS = POSITIONS // PRESET.lanes
WALK = ROWS + 2
CORNERS = (
    "hit while it crosses rows",
    "crossing, but an older operation has it",
    "pushed through a row",
    "hole absorbed in the last row",
    "hit before it has a lane",
    "taken before it has a lane",
    "full",
)
# Spells of a hundred clocks at random. A search hits what has no lane yet six times in the least,
# and in one run of four hundred never: then there are more.
LEAST_SPELLS, MOST_SPELLS = 24, 96


class Array:
    """The block, and the list that says what it has to answer."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = Random(seed.current())
        self.held: list[Values] = []
        self.pending: deque[Values | None] = deque([None] * WALK)
        self.slot: int | None = None
        self.found: list[int] = []
        self.corners: Counter[str] = Counter()
        self.number = 0
        self.last: Values = {}
        dut.io_ask_searches.value = dut.io_append_valid.value = 0

    async def start(self) -> None:
        """Reset."""
        start_clock(self.dut)
        await reset(self.dut, WALK + 2)

    async def clock(self, ask: Values | None = None, append: Values | None = None) -> None:
        """One clock: a search may start, an entry may come; the search at its end is checked."""
        dut = self.dut
        dut.io_ask_searches.value = int(ask is not None)
        dut.io_append_valid.value = int(append is not None)
        set_all(dut, "io_ask", {"byPosition": 0, "byId": 0, **(ask or {})})
        set_all(dut, "io_append_bits", append or {})
        self.pending.append(ask)
        await RisingEdge(dut.clock)
        if self.slot is not None:
            assert int(dut.io_lane_slot.value) == self.slot, f"slot {int(dut.io_lane_slot.value)}"
        at_end = self.pending.popleft()
        entry = None if at_end is None else self.search(at_end)
        assert bool(dut.io_found.value) == (entry is not None), (
            f"{at_end} among {len(self.held)} entries: expected {entry}"
        )
        self.slot = None if entry is None else entry["slot"]
        if entry is not None:
            self.found.append(entry["slot"])
        if append is not None:
            self.held.append(append)
        self.observe()

    def search(self, ask: Values) -> Values | None:
        """The oldest entry that the list has, taken from it if so asked."""
        for at, entry in enumerate(self.held):
            if entry["endpoint"] == ask["endpoint"] and hits(entry, ask):
                return self.held.pop(at) if ask["takes"] else entry
        return None

    def observe(self) -> None:
        """Which corners of the design were reached in this clock."""
        low, high = self.dut.row0, getattr(self.dut, f"row{ROWS - 1}")
        # Of two rows there are none beyond the next one, and no port that says so; of three, one.
        beyond = [f"io_beyondFull_{part}" for part in range(min(ROWS - 2, 2))]
        pushes = ["pushArrives", "io_nextFull", *beyond]
        pushed_low, pushed_high = (
            all(getattr(row, name).value for name in pushes) for row in (low, high)
        )
        crosses = pushed_low and low.settleHitAbove.value and low.settleOpen.value
        self.corners["hit while it crosses rows"] += int(crosses and low.io_above_remains.value)
        older = crosses and not low.io_above_remains.value
        self.corners["crossing, but an older operation has it"] += int(older)
        self.corners["pushed through a row"] += int(pushed_low)
        absorbed = pushed_high and not pushed_low
        self.corners["hole absorbed in the last row"] += int(absorbed)
        incoming = self.dut.findsIncoming.value
        self.corners["hit before it has a lane"] += int(incoming)
        taken = incoming and not high.io_above_remains.value
        self.corners["taken before it has a lane"] += int(taken)
        self.corners["full"] += len(self.held) == POSITIONS

    async def rest(self) -> None:
        """Until everything has its lane."""
        for _ in range(WALK + 2):
            await self.clock()

    async def check_positions(self) -> None:
        """R3: the positions show all entries, oldest first."""
        await self.rest()
        shown = []
        for position in range(POSITIONS):
            values = {"byPosition": 1, "byId": 0, "takes": 0, "position": position}
            set_all(self.dut, "io_ask", {**values, "searches": 1})
            await RisingEdge(self.dut.clock)
            self.dut.io_ask_searches.value = 0
            for _ in range(WALK):
                await RisingEdge(self.dut.clock)
            there = bool(self.dut.io_found.value)
            await RisingEdge(self.dut.clock)
            shown += [int(self.dut.io_lane_slot.value)] if there else []
        assert shown == [entry["slot"] for entry in self.held]

    def entry(self, **values: int) -> Values:
        """A new receive: few keys, some wildcards, a slot that is free."""
        used = {entry["slot"] for entry in self.held}
        wild = self.random.choice([(0, 0), (0, 0), (ANY_TAG, 0), (0, ALL_SOURCE), (2**64 - 1, 1)])
        self.number += 1
        return {
            **self.key(),
            "ignore_bits": wild[0],
            "ignore_source": wild[1],
            "id": self.number % (1 << PRESET.id_bits),
            "slot": self.random.choice([slot for slot in range(POSITIONS + 1) if slot not in used]),
            **values,
        }

    def key(self) -> Values:
        """Endpoint and key."""
        bits = self.random.randrange(2) << 62 | self.random.randrange(2)
        end, source = self.random.randrange(2), self.random.randrange(2)
        return {"endpoint": end, "key_bits": bits, "key_source": source}

    def ask(self) -> Values:
        """A search for a key, for any key or for an id, that takes what it finds or leaves it.

        Now and then the same one again, and often for an entry around the border between rows.
        """
        if self.last and self.random.random() < 0.4:
            return self.last
        ask = {**self.key(), "ignore_bits": 0, "ignore_source": 0, "byId": 0}
        ask["takes"] = int(self.random.random() < 0.8)
        if self.random.random() < 0.2:
            ask |= {"ignore_bits": 2**64 - 1, "ignore_source": ALL_SOURCE}
        if self.held and self.random.random() < 0.2:
            held = self.random.choice(self.held)
            ask |= {"byId": 1, "id": held["id"], "endpoint": held["endpoint"]}
        elif len(self.held) > PRESET.lanes and self.random.random() < 0.4:
            border = len(self.held) - PRESET.lanes + self.random.randrange(-2, 2)
            held = self.held[min(border, len(self.held) - 1)]
            ask |= {"byId": 1, "id": held["id"], "endpoint": held["endpoint"], "takes": 1}
        self.last = ask
        return ask


def hits(entry: Values, ask: Values) -> bool:
    """R1 or, by id, R10."""
    if ask["byId"]:
        return entry["id"] == ask["id"]
    bits = (entry["key_bits"] ^ ask["key_bits"]) & ~entry["ignore_bits"] & ~ask["ignore_bits"]
    source = entry["key_source"] ^ ask["key_source"]
    return bits == 0 and source & ~entry["ignore_source"] & ~ask["ignore_source"] == 0


@cocotb.test()
async def r3_a_search_and_an_entry_in_every_clock(dut: Any) -> None:
    """R1, R3, R8, R10: everything at random at full rate, and every corner reached."""
    array = Array(dut)
    await array.start()
    for spell in range(MOST_SPELLS):
        if spell >= LEAST_SPELLS and all(array.corners[name] for name in CORNERS):
            break
        asks, appends = ((0.4, 1), (1, 0.5), (1, 1), (0.9, 0.9), (0.1, 1), (0.95, 1))[spell % 6]
        for _ in range(100):
            room = len(array.held) < POSITIONS
            append = array.entry() if room and array.random.random() < appends else None
            await array.clock(array.ask() if array.random.random() < asks else None, append)
        if spell % 4 == 3:
            await array.check_positions()
    missed = [name for name in CORNERS if not array.corners[name]]
    assert not missed, f"never reached: {missed} ({dict(array.corners)})"


@cocotb.test()
async def r7_one_key_in_every_clock(dut: Any) -> None:
    """R3, R7: equal keys back to back: each search takes the next entry, oldest first."""
    array = Array(dut)
    await array.start()
    same = {"endpoint": 1, "key_bits": 5, "key_source": 5, "ignore_bits": 0, "ignore_source": 0}
    ask = {**same, "takes": 1, "byId": 0}
    for n in range(POSITIONS):
        await array.clock(None, array.entry(**same, slot=n))
    await array.rest()
    for _ in range(POSITIONS + 3):
        await array.clock(ask)
    await array.rest()
    assert array.found == list(range(POSITIONS))
    for n in range(3 * POSITIONS):
        await array.clock(ask, array.entry(**same, slot=n % POSITIONS))
    await array.rest()
    assert len(array.found) >= 4 * POSITIONS - 1


@cocotb.test()
async def r11_every_hole_in_a_full_array_is_filled(dut: Any) -> None:
    """R11, R15: a full array, an entry taken from each position, and another one at once."""
    array = Array(dut)
    await array.start()
    while len(array.held) < POSITIONS:
        await array.clock(None, array.entry())
    for position in range(POSITIONS):
        held = array.held[position]
        ask = {**array.key(), "takes": 1, "byId": 1}
        await array.clock({**ask, "id": held["id"], "endpoint": held["endpoint"]})
        for _ in range(WALK):
            await array.clock()
        assert len(array.held) == POSITIONS - 1
        await array.clock({**array.ask(), "takes": 0}, array.entry())
        if position % 8 == 0:
            await array.check_positions()
        while len(array.held) < POSITIONS:
            await array.clock(None, array.entry())


@cocotb.test()
async def r14_reset_empties_the_array(dut: Any) -> None:
    """R14: nothing is found after a reset."""
    array = Array(dut)
    await array.start()
    for _ in range(PRESET.lanes + 1):
        await array.clock(None, array.entry())
    dut.io_append_valid.value = 0
    await reset(dut, WALK + 2)
    array.held.clear()
    array.slot = None
    for endpoint in range(2):
        everything = {"ignore_bits": 2**64 - 1, "ignore_source": ALL_SOURCE, "takes": 1}
        await array.clock({**array.key(), **everything, "byId": 0, "endpoint": endpoint})
    await array.check_positions()
