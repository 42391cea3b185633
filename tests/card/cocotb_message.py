# SPDX-License-Identifier: Apache-2.0
"""MessageStage: messages of packets (W1), answers, and what is refused, judged by a model."""

from collections import Counter, deque
from itertools import takewhile
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.bench.message_model import EXPECTED, FIRST, RELATIVE, Answer, Message, MessageModel
from opentmu.bench.message_packets import Packets

MTU, LIMIT, NAMES, WAYS = 1024, 1 << 20, 256, 4
CODES = {1, 2, 3, 4, 6, 7, 0x18, 0x19, 0x1A, 0x1B, 0x1D, 0x20, 0x23}


class Bench:
    """Packets go in; orders, arrivals and answers are held against the model."""

    def __init__(self, dut: Any, *, pausing: bool = True, slow: bool = True) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        random = self.random if pausing else None
        self.slow = slow
        self.packets = Source(dut, "io_packet", random)
        self.change = Source(dut, "io_change", random)
        self.changed = Sink(dut, "io_changed", None)
        self.say = Source(dut, "io_say", None)
        self.told = Source(dut, "io_told", None)
        self.orders = Sink(dut, "io_order", random)
        self.arrivals = Sink(dut, "io_arrival", random, self._arrives)
        self.answers = Sink(dut, "io_answer", random, self._answered)
        self.model = MessageModel(MTU, LIMIT)
        self.expected_orders: list[list[tuple[Values, Message | None]]] = []
        self.expected_arrivals: deque[Message] = deque()
        self.expected_answers: deque[Answer] = deque()
        self.codes: Counter[int] = Counter()
        self.unsaid: deque[Message] = deque()
        self.untold: list[Message] = []
        self.used: set[int] = set()
        self.drawn = Packets(self.random, MTU, LIMIT)

    async def start(self) -> None:
        """Settings, reset, the sweep behind it, and all names of the few."""
        self.dut.io_settings_payloadMtu.value = MTU
        self.dut.io_settings_limit.value = LIMIT
        start_clock(self.dut)
        await reset(self.dut)
        await ClockCycles(self.dut.clock, NAMES // WAYS + 5)
        cocotb.start_soon(self._say())
        cocotb.start_soon(self._tell())
        for job in (1, 2):
            await self.name(0, {"relative": 1, "job": job})
            for pid in (0, 1):
                await self.name(1, {"relative": 1, "job": job, "pid": pid})
                for index in (0, 1):
                    await self.name(2, {"relative": 1, "job": job, "pid": pid, "index": index})

    async def name(self, level: int, name: Values, *, remove: int = 0, **entry: int) -> None:
        """A change by the driver, which the model follows."""
        name = {"relative": 0, "job": 0, "pid": 0, "index": 0} | name
        usual = {"endpoint": name["index"] + 2 * name["pid"]}
        entry = usual | {"enabled": 1, "usesGeneration": 0, "generation": 0} | entry
        tables = self.model.tables
        job = name["job"] if name["relative"] else 0
        process = (name["relative"], job, name["pid"])
        key = (*process, name["index"])
        there = (job in tables.jobs, process in tables.processes, key in tables.endpoints)[level]
        done = await self.tell(level, name, entry, remove=remove)
        assert done == (there or not remove)
        if level == 0:
            (tables.jobs.discard if remove else tables.jobs.add)(job)
        elif level == 1:
            (tables.processes.discard if remove else tables.processes.add)(process)
        elif remove:
            tables.endpoints.pop(key, None)
        else:
            tables.endpoints[key] = entry

    async def tell(self, level: int, name: Values, entry: Values, *, remove: int) -> bool:
        """The same without a model; whether it was carried out."""
        fields = {f"name_{key}": value for key, value in name.items()}
        fields |= {f"entry_{key}": value for key, value in entry.items()}
        await self.change.send(level=level, remove=remove, **fields)
        return bool((await self.changed.get())[""])

    async def packet(self, packet: Values) -> None:
        """Give one to both; what must come of it waits for its check."""
        result = self.model.packet(packet)
        self.expected_orders.append(result.orders)
        if result.arrival:
            self.expected_arrivals.append(result.arrival)
        if result.answer:
            self.expected_answers.append(result.answer)
        for _, message in result.orders:
            if message and message.ended:
                self.untold.append(message)
        await self.packets.send(**packet)

    def _arrives(self, found: Values) -> None:
        message = self.expected_arrivals.popleft()
        assert found.items() >= message.arrival.items(), f"{found}, expected {message.arrival}"
        message.number = found["message"]
        assert message.number not in self.used, f"message {message.number} is there twice"
        self.used.add(message.number)
        self.unsaid.append(message)

    def _answered(self, found: Values) -> None:
        answer = self.expected_answers.popleft()
        expected = answer.fields()
        assert {name: found[name] for name in expected} == expected, f"{answer}"
        self.codes[expected["response_returnCode"]] += 1

    async def _say(self) -> None:
        """The unit, in its order and after its time."""
        random = self.random
        while True:
            await RisingEdge(self.dut.clock)
            if not self.unsaid:
                continue
            if self.slow:
                await ClockCycles(self.dut.clock, random.choice((1, 1, 1, 14, 40)))
            message = self.unsaid.popleft()
            assert message.number is not None
            kind = random.choice((EXPECTED, EXPECTED, EXPECTED, 1, 2, 3)) if self.slow else 0
            room = random.choice((message.length, random.randrange(message.length + 9)))
            message.said = (kind, room if self.slow else message.length)
            await self.say.send(message=message.number, kind=kind, room=message.said[1])

    async def _tell(self) -> None:
        """The host: messages that have ended, in any order."""
        while True:
            await RisingEdge(self.dut.clock)
            ready = [message for message in self.untold if message.said]
            if ready and (not self.slow or self.random.random() < 0.3):
                message = self.random.choice(ready)
                assert message.number is not None
                self.untold.remove(message)
                self.used.remove(message.number)
                await self.told.send(**{"": message.number})

    async def end(self) -> None:
        """Everything came, and all that was held is free."""
        count = sum(len(orders) for orders in self.expected_orders)
        for _ in range(5000):
            await RisingEdge(self.dut.clock)
            left = (self.untold, self.expected_answers, self.expected_arrivals)
            if not any(left) and len(self.orders.taken) == count:
                break
        assert not self.untold and not self.expected_answers and not self.expected_arrivals
        assert len(self.orders.taken) == count
        for orders in self.expected_orders:
            # Those of a connection that ends come in any order among themselves.
            expected = [order | _numbered(message) for order, message in orders]
            found = [self.orders.taken.popleft() for _ in orders]
            for one in found:
                own = one["message"] if one["belongs"] else None
                wanted = next(each for each in expected if each.get("message") == own)
                assert {name: one[name] for name in wanted} == wanted
                expected.remove(wanted)
        await ClockCycles(self.dut.clock, 10)
        assert self.dut.io_idle.value

    async def until_room(self) -> None:
        """As the table of connections does: no message begins without room.

        When none comes, messages that were begun are in the way, and their connections end.
        """
        for pdc in (0, 1, 2, 3):
            for _ in range(500):
                if self.dut.io_room.value:
                    return
                await RisingEdge(self.dut.clock)
            ends = {"deliver": 0, "closes": 1, "pdc": pdc, "payloadBytes": 0, "beats": 0}
            await self.packet(self.drawn.fields() | ends)
        raise TimeoutError("there is no room though every connection has ended")

    async def until_quiet(self) -> None:
        """Nothing waits inside; a change meets no packet whose answer the model has given."""
        for _ in range(20000):
            if self.dut.io_idle.value and not self.expected_answers:
                return
            await RisingEdge(self.dut.clock)
        raise TimeoutError("packets wait inside")


@cocotb.test()
async def w1_random_packets(dut: Any) -> None:
    """W1, W6: packets among changes of names, 3,000 and more until each answer was given."""
    bench = Bench(dut)
    await bench.start()
    for step in takewhile(lambda at: at < 3000 or set(bench.codes) != CODES, range(30_000)):
        if step % 30 == 0:
            await bench.until_quiet()
            for _ in range(bench.random.randrange(4)):
                level, name, state = bench.drawn.change()
                await bench.name(level, name, **state)
        await bench.until_room()
        await bench.packet(bench.drawn.random_packet())
    await bench.end()
    assert set(bench.codes) == CODES, f"{bench.codes}"


@cocotb.test()
async def a_full_table_of_names_refuses_and_changes_nothing(dut: Any) -> None:
    """More processes than the table has: some are refused, and each of the others is found."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    kept = []
    entry = {"endpoint": 3, "enabled": 1, "usesGeneration": 0, "generation": 0}
    for _ in range(2 * NAMES):
        name = {"relative": 1, "job": bench.random.getrandbits(24)}
        name |= {"pid": bench.random.getrandbits(12), "index": 0}
        process = (1, name["job"], name["pid"])
        for level in range(3):
            if not await bench.tell(level, name, entry, remove=0):
                break
        else:
            kept.append(name)
            tables = bench.model.tables
            tables.jobs.add(name["job"])
            tables.processes.add(process)
            tables.endpoints[*process, 0] = entry
    assert NAMES // 3 < len(kept) < NAMES
    for name in kept:
        fields = {f"ses_{key}": name[key] for key in ("job", "pid", "index")}
        await bench.until_room()
        await bench.packet(bench.drawn.fields() | fields)
    await bench.end()
    assert bench.codes == {1: len(kept)}


@cocotb.test()
async def no_room_for_messages(dut: Any) -> None:
    """Messages that the host is not told of use all numbers up: no room; then there is again."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    hold, bench.untold = bench.untold, []
    bench.untold = []
    sent = 0
    waiting: list[Message] = []
    while dut.io_room.value and sent < 300:
        await bench.packet(bench.drawn.fields())
        waiting += bench.untold
        bench.untold.clear()
        sent += 1
        await ClockCycles(dut.clock, 4)
    assert 200 < sent <= 256 and not hold
    bench.untold += waiting
    await bench.end()
    assert dut.io_room.value


@cocotb.test()
async def contexts_use_up(dut: Any) -> None:
    """Messages that stay open use all contexts up: no room; closed connections give them back."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    long = {"ses_requestLength": 5000, "payloadBytes": 1024, "beats": 16, "pdc": 1}
    sent = 0
    while dut.io_room.value and sent < 60:
        fields = bench.drawn.fields() | long
        await bench.packet(fields | {"ses_flags": FIRST | RELATIVE})
        sent += 1
        await ClockCycles(dut.clock, 4)
    assert 16 < sent <= 32
    await bench.packet(bench.drawn.fields() | {"deliver": 0, "closes": 1, "pdc": 2, "beats": 0})
    await ClockCycles(dut.clock, 50)
    assert not dut.io_room.value
    await bench.packet(bench.drawn.fields() | {"deliver": 0, "closes": 1, "pdc": 1, "beats": 0})
    await bench.end()
    assert dut.io_room.value


@cocotb.test()
async def a_packet_every_two_clocks(dut: Any) -> None:
    """8-byte messages to their arrivals and answers at the rate of their frames."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    task = cocotb.start_soon(_send(bench, 100))
    await ClockCycles(dut.clock, 240)
    assert task.done()
    await bench.end()
    assert bench.codes == {1: 100}


def _numbered(message: Message | None) -> Values:
    if message is None:
        return {}
    assert message.number is not None
    return {"message": message.number}


async def _send(bench: Bench, count: int) -> None:
    for _ in range(count):
        await bench.packet(bench.drawn.fields())
