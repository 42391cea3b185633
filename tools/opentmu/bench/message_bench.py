# SPDX-License-Identifier: Apache-2.0
"""MessageStage in a bench: packets for it and for the model, the unit and the host around it."""

from collections import Counter, deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.bench.message_model import EXPECTED, Answer, Message, MessageModel
from opentmu.bench.message_packets import Packets

MTU, LIMIT, NAMES, WAYS = 1024, 1 << 20, 256, 4


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
        self.delivered, self.decided = 0, 0
        self.codes: Counter[int] = Counter()
        self.unsaid: deque[Message] = deque()
        self.untold: list[Message] = []
        self.used: set[int] = set()
        self.drawn = Packets(self.random, MTU, LIMIT)

    async def start(self) -> None:
        """Settings, reset, the sweep behind it, and all names of the few."""
        self.dut.io_settings_payloadMtu.value = MTU
        self.dut.io_settings_limit.value = LIMIT
        self.dut.io_settings_idle.value = 0
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
        self.delivered += packet["deliver"]
        await self.packets.send(**packet)

    def idle(self, key: tuple[int, int]) -> None:
        """A message has ended because nothing of it came."""
        result = self.model.idle(key)
        self.expected_orders.append(result.orders)
        self.untold += [message for _, message in result.orders if message]

    def _arrives(self, found: Values) -> None:
        message = self.expected_arrivals.popleft()
        assert found.items() >= message.arrival.items(), f"{found}, expected {message.arrival}"
        message.number = found["message"]
        assert message.number not in self.used, f"message {message.number} is there twice"
        self.used.add(message.number)
        self.unsaid.append(message)

    def _answered(self, found: Values) -> None:
        self.decided += 1
        if not found["sends"]:
            return
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
        assert self.decided == self.delivered, "each packet is decided once"

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


def _numbered(message: Message | None) -> Values:
    if message is None:
        return {}
    assert message.number is not None
    return {"message": message.number}
