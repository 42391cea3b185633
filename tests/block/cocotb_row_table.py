# SPDX-License-Identifier: Apache-2.0
"""RowTable with receives: the ordered table alone, against a Python list."""

from random import Random
from typing import Any

import cocotb
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.coverage import ALL_SOURCE, ANY_TAG
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock

PRESET = regs.PRESETS["tiny"]
FIND, TAKE, TAKE_ID, APPEND, AT = range(5)
Row = Values


class Table:
    """The block, and the list that says what it has to answer."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = Random(seed.current())
        self.requests = Source(dut, "io_request", self.random)
        self.replies = Sink(dut, "io_reply", None)
        self.rows: list[Row] = []
        self.next_id = 0

    async def start(self) -> None:
        """Reset."""
        start_clock(self.dut)
        await reset(self.dut)

    async def ask(self, operation: int, **values: int) -> None:
        """One request and the check of its reply."""
        expected = self.expect(operation, values)
        await self.requests.send(operation=operation, **values)
        reply = await self.replies.get()
        found = (reply["hit"], reply["slot"] if reply["hit"] else 0, reply["visited"])
        assert found == expected, (
            f"operation {operation} of {values} with {len(self.rows)} entries answered "
            f"(hit, slot, visited) {found}, expected {expected}"
        )
        if operation in (TAKE, TAKE_ID, APPEND):
            assert int(self.dut.io_count.value) == len(self.rows)

    def expect(self, operation: int, values: Values) -> tuple[int, int, int]:
        """Hit, slot and entries visited; changes the list as the table has to change."""
        if operation == APPEND:
            self.rows.append(dict(values))
            return 0, 0, 0
        if operation == AT:
            at = values["position"]
            return (1, self.rows[at]["slot"], 0) if at < len(self.rows) else (0, 0, 0)
        for at, row in enumerate(self.rows):
            if row["endpoint"] == values["endpoint"] and _hits(operation, row, values):
                if operation != FIND:
                    del self.rows[at]
                return 1, row["slot"], at + 1
        return 0, 0, len(self.rows)

    def entry(self) -> Row:
        """A new receive: few keys, some wildcards, a slot that is free."""
        used = {row["slot"] for row in self.rows}
        free = [slot for slot in range(PRESET.posted_entries) if slot not in used]
        self.next_id += 1
        wild = self.random.choice([(0, 0), (ANY_TAG, 0), (0, ALL_SOURCE), (2**64 - 1, 1)])
        return {
            **self.key(),
            "ignore_bits": wild[0],
            "ignore_source": wild[1],
            "id": self.next_id,
            "slot": self.random.choice(free),
        }

    def key(self) -> Row:
        """Endpoint and key of a request."""
        bits = self.random.randrange(3) << 62 | self.random.randrange(3)
        source = self.random.randrange(3)
        endpoint = self.random.randrange(PRESET.endpoints)
        return {"endpoint": endpoint, "key_bits": bits, "key_source": source}


def _hits(operation: int, row: Row, asked: Row) -> bool:
    if operation == TAKE_ID:
        return row["id"] == asked["id"]
    bits = (row["key_bits"] ^ asked["key_bits"]) & ~row["ignore_bits"] & ~asked["ignore_bits"]
    source = row["key_source"] ^ asked["key_source"]
    return bits == 0 and source & ~row["ignore_source"] & ~asked["ignore_source"] == 0


@cocotb.test()
async def r3_random_operations_keep_the_order(dut: Any) -> None:
    """R1, R3, R10: find, take, take by id, append and read at a position, at random."""
    table = Table(dut)
    await table.start()
    reached = set()
    for _ in range(1500):
        reached.add(len(table.rows))
        fill = table.random.choice([0.2, 0.8])
        if len(table.rows) < PRESET.posted_entries and table.random.random() < fill:
            await table.ask(APPEND, **table.entry())
            continue
        mask = {"ignore_bits": 0, "ignore_source": 0}
        if table.random.random() < 0.2:
            mask = {"ignore_bits": 2**64 - 1, "ignore_source": ALL_SOURCE}
        operation = table.random.choice([FIND, TAKE, TAKE_ID, AT])
        ident = table.random.choice(table.rows)["id"] if table.rows else 0
        position = table.random.randrange(len(table.rows) + 2)
        key = table.key()
        await table.ask(operation, **{**key, **mask, "id": ident, "position": position})
    assert 0 in reached and max(reached) > PRESET.lanes, f"depths reached: {sorted(reached)}"


@cocotb.test()
async def r11_every_hole_in_a_full_table_closes(dut: Any) -> None:
    """R11, R15: a full table, an entry taken from each place and appended again."""
    table = Table(dut)
    await table.start()
    while len(table.rows) < PRESET.posted_entries:
        await table.ask(APPEND, **table.entry())
    for place in [0, 1, PRESET.lanes - 1, PRESET.lanes, PRESET.posted_entries - 1]:
        row = table.rows[place]
        await table.ask(TAKE_ID, endpoint=row["endpoint"], id=row["id"])
        for position in range(PRESET.posted_entries):
            await table.ask(AT, position=position)
        await table.ask(APPEND, **table.entry())


@cocotb.test()
async def r14_reset_empties_the_table(dut: Any) -> None:
    """R14: nothing is found after a reset."""
    table = Table(dut)
    await table.start()
    for _ in range(PRESET.lanes + 1):
        await table.ask(APPEND, **table.entry())
    await reset(dut)
    table.rows.clear()
    assert int(dut.io_count.value) == 0
    for endpoint in range(PRESET.endpoints):
        everything = {"ignore_bits": 2**64 - 1, "ignore_source": ALL_SOURCE}
        await table.ask(FIND, endpoint=endpoint, **everything)
    await table.ask(AT, position=0)
