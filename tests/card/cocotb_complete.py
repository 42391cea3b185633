# SPDX-License-Identifier: Apache-2.0
"""MessageCompletions: the unit's answers joined with the bytes that they announce (W3)."""

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.regs import Opcode, Status

MESSAGES, POOL, POOL_LOG2 = 32, 0x1234000000, 13
EXPECTED, UNEXPECTED, STALLED, LOST = range(4)
BROKEN = Status.TABLE_FAULT


@dataclass(eq=False)
class Message:
    """State of one so far."""

    number: int
    header: int
    queued: bool = False
    answer: int | None = None  # stamp of the answer that its bytes complete
    sent: bool = False  # it is placed, as far as it came
    whole: bool = True
    taken: int = 0  # opcode
    moved: bool = False
    failed: bool = False  # while it was moved
    released: bool = False

    @property
    def over(self) -> bool:
        """Nothing of it is needed any more."""
        moved = self.moved or not self.whole
        needed: dict[int, bool] = {
            Opcode.POST: moved,
            Opcode.CLAIM: self.released,
            Opcode.FLUSH: True,
        }
        return self.sent and (needed[self.taken] if self.queued else True)

    @property
    def ready(self) -> bool:
        """W3: it may be told."""
        return self.over if self.taken == Opcode.POST else self.sent


class Bench:
    """Answers, bytes and releases go in; completions and free numbers are held against all that."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        self.begun = Source(dut, "io_begun", None)
        self.verdict = Source(dut, "io_verdict", self.random)
        self.placed = Source(dut, "io_placed", self.random)
        self.release = Source(dut, "io_release", None)
        self.moved = Source(dut, "io_moved", self.random)
        self.jobs = Sink(dut, "io_job", self.random, self._job)
        self.destinations = Sink(dut, "io_destination", None)
        self.says = Sink(dut, "io_say", None)
        self.completions = Sink(dut, "io_completion", self.random, self._completed)
        self.told = Sink(dut, "io_told", self.random, self._told)
        self.free = list(range(MESSAGES))
        self.coming: deque[Message] = deque()  # the unit has not answered them
        self.waiting: deque[Message] = deque()  # unexpected, in the order of arrivals
        self.unplaced: list[Message] = []
        self.held: list[Message] = []
        self.moving: deque[Message] = deque()
        self.live: dict[int, Message] = {}
        self.due: dict[int, tuple[Values, Message | None]] = {}
        self.order: deque[int] = deque()  # stamps of answers that pass
        self.settled: deque[tuple[int, int]] = deque()
        self.stamps = 0
        self.count = 0

    async def start(self) -> None:
        """Reset, and the pool."""
        self.dut.io_poolBase.value = POOL
        self.dut.io_poolLog2.value = POOL_LOG2
        start_clock(self.dut)
        await reset(self.dut)

    def fields(self, opcode: int, status: int) -> Values:
        """An answer with everything else at random."""
        random = self.random
        self.stamps += 1
        return {
            "page": random.randrange(65),
            "opcode": opcode,
            "status": status,
            "truncated": random.randrange(2),
            "unexpected": 0,
            "serial": random.getrandbits(32),
            "endpoint": random.randrange(4),
            "handle": random.getrandbits(64),
            "other": random.getrandbits(64),
            "key_bits": random.getrandbits(64),
            "key_source": random.getrandbits(32),
            "messageLength": random.getrandbits(32),
            "receiveLength": random.choice((random.getrandbits(14), random.getrandbits(40))),
            "address": random.getrandbits(64),
            "owner": random.randrange(65),
            "settles": 0,
            "stamp": self.stamps,
        }

    async def begin(self) -> None:
        """A message goes to the unit."""
        number = self.free.pop(self.random.randrange(len(self.free)))
        message = self.live[number] = Message(number, self.random.getrandbits(64))
        await self.begun.send(message=number, headerData=message.header)
        self.coming.append(message)

    async def arrive(self) -> None:
        """The unit answers the oldest arrival."""
        message = self.coming.popleft()
        most = (Status.MATCHED, Status.QUEUED, Status.QUEUED, Status.STALLED, BROKEN)
        status = self.random.choice(most)
        answer = self.fields(Opcode.ARRIVE, status) | {"handle": message.number}
        room = min(answer["receiveLength"], 0xFFFFFFFF)
        pool = POOL + (message.number << POOL_LOG2)
        kind, wanted = LOST, {"room": 0}
        if status == Status.MATCHED:
            kind, wanted = EXPECTED, {"room": room, "address": answer["address"]}
            message.answer = answer["stamp"]
            told = {"handle": message.header, "page": answer["owner"]}
            self.due[answer["stamp"]] = (answer | told, message)
        elif status == Status.QUEUED:
            kind, wanted = UNEXPECTED, {"room": 1 << POOL_LOG2, "address": pool}
            message.queued = True
            self.waiting.append(message)
        else:
            kind = STALLED if status == Status.STALLED else LOST
        await self.verdict.send(**answer)
        destination, say = await self.destinations.get(10), await self.says.get(10)
        wanted |= {"message": message.number}
        assert {name: destination[name] for name in wanted} == wanted
        assert (say["message"], say["kind"]) == (message.number, kind)
        assert kind != EXPECTED or say["room"] == room
        self.unplaced.append(message)

    async def take(self) -> None:
        """A post, a claim or a flush meets the oldest unexpected message."""
        message = self.waiting.popleft()
        opcode = self.random.choice((Opcode.POST, Opcode.CLAIM, Opcode.FLUSH))
        message.taken = opcode
        status = Status.REMOVED if opcode == Opcode.FLUSH else Status.MATCHED
        answer = self.fields(opcode, status) | {"other": message.number}
        if opcode == Opcode.FLUSH:
            answer["unexpected"] = 1
            self.due[answer["stamp"]] = (answer, None)
            self.order.append(answer["stamp"])
        else:
            message.answer = answer["stamp"]
            self.due[answer["stamp"]] = (answer | {"other": message.header}, message)
        await self.verdict.send(**answer)

    async def other(self) -> None:
        """An answer that no message is part of."""
        opcode, status = self.random.choice(
            (
                (Opcode.POST, Status.QUEUED),
                (Opcode.PROBE, Status.FOUND),
                (Opcode.CANCEL, Status.CANCELLED),
                (Opcode.FLUSH, Status.REMOVED),
                (Opcode.ARRIVE, Status.MALFORMED),
                (Opcode.POST, BROKEN),
            )
        )
        answer = self.fields(opcode, status)
        self.due[answer["stamp"]] = (answer, None)
        self.order.append(answer["stamp"])
        await self.verdict.send(**answer)

    async def place(self) -> None:
        """All that comes of a message is in memory, or memory has failed."""
        message = self.unplaced.pop(self.random.randrange(len(self.unplaced)))
        aborted, failed = (int(self.random.random() < 0.15) for _ in range(2))
        message.whole = not (aborted or failed)
        message.sent = True
        await self.placed.send(message=message.number, aborted=aborted, failed=failed)

    def _job(self, found: Values) -> None:
        """A post's message is whole in the pool, and goes to the post's buffer."""
        message = self.live[found["message"]]
        assert message.taken == Opcode.POST and message.sent and message.whole
        assert message.answer is not None
        answer = self.due[message.answer][0]
        assert found["from"] == POOL + (message.number << POOL_LOG2)
        assert found["address"] == answer["address"]
        assert found["room"] == min(answer["receiveLength"], 0xFFFFFFFF)
        assert found["length"] == answer["messageLength"]
        self.moving.append(message)

    async def move(self) -> None:
        """The oldest job is done."""
        message = self.moving.popleft()
        message.moved, message.failed = True, self.random.random() < 0.15
        await self.moved.send(message=message.number, failed=int(message.failed))

    async def free_buffer(self) -> None:
        """The host releases a buffer."""
        message = self.held.pop(self.random.randrange(len(self.held)))
        message.released = True
        await self.release.send(**{"": message.number})

    def _completed(self, found: Values) -> None:
        if found["settles"]:
            self.settled.append((found["page"], found["stamp"]))
            return
        expected, message = self.due.pop(found["stamp"])
        receive = found["status"] == Status.REMOVED and not found["unexpected"]
        if message is None and (receive or found["status"] == Status.CANCELLED):
            assert self.settled.popleft() == (expected["owner"], found["stamp"])
        if message is None:
            assert self.order.popleft() == found["stamp"], "answers that pass keep their order"
        else:
            assert message.ready, f"W3: told before its bytes are in memory: {message}"
            if not message.whole or message.failed:
                expected |= {"status": Status.REMOVED}
            if message.taken == Opcode.CLAIM:
                self.held.append(message)
        same = {name: found[name] for name in expected if name in found}
        assert len(same) > 12 and same == {name: expected[name] for name in same}
        self.count += 1

    def _told(self, found: Values) -> None:
        message = self.live.pop(found[""])
        assert message.over, f"free, and still needed: {message}"
        assert message.answer not in self.due or message.taken != Opcode.CLAIM
        self.free.append(message.number)

    async def step(self) -> None:
        """One thing that can happen."""
        able = [self.other]
        able += [self.begin] * 2 if self.free and not self.closing else []
        able += [self.arrive] * 2 if self.coming else []
        able += [self.take] if self.waiting else []
        able += [self.place] * 2 if self.unplaced else []
        able += [self.free_buffer] if self.held else []
        able += [self.move] * 2 if self.moving else []
        await self.random.choice(able)()

    closing = False


@cocotb.test()
async def w3_random_answers(dut: Any) -> None:
    """W3, W7: answers, bytes and releases in every order; each is told once, and free once."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(4000):
        await bench.step()
    bench.closing = True
    for _ in range(4000):
        if not bench.live and not bench.due:
            break
        await bench.step()
    await ClockCycles(dut.clock, 100)
    assert not bench.live and not bench.due and len(bench.free) == MESSAGES
    assert bench.count > 1000 and dut.io_idle.value


@cocotb.test()
async def a_buffer_that_nobody_has_is_not_released(dut: Any) -> None:
    """Releases of numbers that are free, or whose message waits, change nothing."""
    bench = Bench(dut)
    await bench.start()
    for number in range(MESSAGES):
        await bench.release.send(**{"": number})
        await RisingEdge(dut.clock)
    await bench.begin()
    while not bench.waiting:
        if not bench.coming:
            await bench.begin()
        await bench.arrive()
    number = bench.waiting[0].number
    await bench.release.send(**{"": number})
    while bench.unplaced:
        await bench.place()
    await bench.release.send(**{"": number})
    await ClockCycles(dut.clock, 100)
    assert number in bench.live
