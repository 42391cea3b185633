# SPDX-License-Identifier: Apache-2.0
"""The initiator in a bench: messages to targets over a network that loses, doubles and reorders,
and what its packets and ends have to be."""

from collections import Counter, deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from opentmu.bench import seed
from opentmu.bench.handshake import Sink, Source, Values, reset, start_clock
from opentmu.bench.send_messages import (
    COUNTS,
    MESSAGES,
    MTU,
    WINDOW,
    Line,
    Message,
    Network,
    strange_answer,
)
from opentmu.bench.send_target import (
    ACK,
    AR,
    CONTROL,
    LATER,
    NUMBERS,
    OK,
    OVERFLOW,
    REQUEST,
    RESPONSE,
    RESPONSE_HEADER,
    RETX,
    SYN,
    Said,
    Target,
    distance,
    signed,
)


class Bench:
    """The initiator with a source of messages, a network and targets."""

    def __init__(self, dut: Any, network: Network, *, pausing: bool = True) -> None:
        self.dut = dut
        self.random = Random(seed.choose())
        self.network = network
        random = self.random if pausing else None
        self.messages = Source(dut, "io_message", random)
        self.answers = Source(dut, "io_answer", None)
        self.packets = Sink(dut, "io_packet", random, self._packet)
        self.ends = Sink(dut, "io_end", random, self._end)
        self.clock = 0
        self.targets: dict[int, Target] = {}
        self.wanted: deque[Message] = deque()
        self.all: list[Message] = []
        self.current: dict[int, Message] = {}
        self.free = deque(range(MESSAGES))
        self.lines: dict[int, Line] = {}
        self.outward: list[tuple[int, Values]] = []
        self.homeward: list[tuple[int, Values]] = []
        self.counts: Counter[str] = Counter()
        self.brought = 0
        self.packet_kinds: Counter[str] = Counter()
        self.reading = 0
        self.shortage = 0.0
        self.strange = 0.0

    async def start(self, *, attempts: int = 0, idle: int = 0, retransmit: int = 30) -> None:
        """Settings and reset; then all goes by itself."""
        dut = self.dut
        dut.io_settings_payloadMtu.value = MTU
        dut.io_settings_retransmit.value = retransmit
        dut.io_settings_attempts.value = attempts
        dut.io_settings_idle.value = idle
        dut.io_settings_seed.value = self.random.getrandbits(32)
        dut.io_done.value = 0
        start_clock(dut)
        await reset(dut)
        for task in (self._watch(), self._offer(), self._bring(), self._read()):
            cocotb.start_soon(task)

    def target(self, address: int) -> Target:
        """The card at an address."""
        if address not in self.targets:
            room = lambda: self.random.random() >= self.shortage  # noqa: E731
            self.targets[address] = Target(address, self.random, WINDOW, self._say, room)
        return self.targets[address]

    def send(self, address: int, length: int, job: int = 1, said: Said | None = None) -> Message:
        """A message more."""
        self.target(address)
        message = Message(len(self.all), (address, job), length, said or Said(modified=length))
        self.all.append(message)
        self.wanted.append(message)
        return message

    def _say(self, order: Values) -> Said:
        return self.all[order["serial"]].said

    async def _offer(self) -> None:
        while True:
            if not self.wanted or not self.free:
                await RisingEdge(self.dut.clock)
                continue
            message, number = self.wanted.popleft(), self.free.popleft()
            self.current[number] = message
            address, job = message.key
            await self.messages.send(
                message=number,
                key_ipv6=0,
                key_address=address,
                key_job=job,
                length=message.length,
            )

    async def _read(self) -> None:
        """Packets are read for a while after they were taken."""
        while True:
            await RisingEdge(self.dut.clock)
            done = self.reading > 0 and self.random.random() < 0.7
            self.dut.io_done.value = int(done)
            self.reading -= done

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clock)
            self.clock += 1
            for name in COUNTS:
                self.counts[name] += int(getattr(self.dut, f"io_counts_{name}").value)
            for _, order in self._due(self.outward):
                for answer in self.targets[order["key_address"]].packet(order):
                    self._post(self.homeward, answer)
            for target in self.targets.values():
                while target.owed and self.random.random() < 0.02:
                    self.homeward.append((self.clock + self.network.delay, target.owed.pop(0)))
            if self.random.random() < self.strange:
                source = self.random.choice(list(self.targets))
                self.homeward.append((self.clock, strange_answer(self.random, self.lines, source)))

    def _due(self, channel: list[tuple[int, Values]]) -> list[tuple[int, Values]]:
        due = sorted((one for one in channel if one[0] <= self.clock), key=lambda one: one[0])
        channel[:] = [one for one in channel if one[0] > self.clock]
        return due

    def _post(self, channel: list[tuple[int, Values]], what: Values) -> None:
        network = self.network
        copies = 0 if self.random.random() < network.drop else 1
        copies += self.random.random() < network.double
        for _ in range(copies):
            late = self.random.randrange(network.jitter + 1) if self.random.random() < 0.2 else 0
            channel.append((self.clock + network.delay + late, what))

    async def _bring(self) -> None:
        while True:
            due = self._due(self.homeward)
            for _, answer in due:
                await self.answers.send(**answer)
                self.brought += 1
                self._learn(answer)
            if not due:
                await RisingEdge(self.dut.clock)

    async def until_counted(self, clocks: int) -> None:
        """W6: each answer that was brought is in one counter, and none is on its way."""
        for _ in range(clocks):
            await RisingEdge(self.dut.clock)
            counted = sum(self.counts[name] for name in ("taken", "foreign", "ignored"))
            if counted == self.brought and not self.homeward:
                return
        raise AssertionError(f"{counted} answers are counted of {self.brought}")

    def _learn(self, answer: Values) -> None:
        """The initiator has been told; strange answers have nothing to say."""
        line = self.lines.get(answer["pds_dpdcid"])
        if answer.get("strange") or line is None or answer["pds_kind"] != ACK:
            return
        cack = answer["pds_psn"]
        if distance(cack, line.cack) > 0:
            line.cack = cack
        if answer["pds_next"] == RESPONSE_HEADER:
            line.answered.add((cack + signed(answer["pds_offset"], 16)) % NUMBERS)

    def _packet(self, order: Values) -> None:
        """A packet that is sent is due, and its number is the next one or a known one."""
        psn, flags = order["pds_psn"], order["pds_flags"]
        self.reading += 1
        pdcid = order["pds_spdcid"]
        control = order["pds_kind"] == CONTROL
        assert pdcid != 0 and order["pds_kind"] in (CONTROL, REQUEST)
        kind = f"control {order['pds_next']}" if control else "request"
        self.packet_kinds[kind] += 1
        if control and order["pds_next"] in (1, 2):
            self._post(self.outward, order)
            return
        if flags & SYN and pdcid not in self.lines:
            assert order["pds_dpdcid"] == 0 and not flags & RETX
            self.lines[pdcid] = Line(psn, psn, (psn - 1) % NUMBERS)
        line = self.lines[pdcid]
        line.address = order["key_address"]
        if flags & SYN:
            assert order["pds_dpdcid"] & 0xFFF == distance(psn, line.start)
        if flags & RETX:
            assert flags & AR
            line.again[psn] += 1
            order = order | {name: line.sent[psn][name] for name in ("serial", "length")}
            record = {n: v for n, v in order.items() if n.startswith("packet_")}
            assert record.items() <= line.sent[psn].items()
        else:
            assert psn == line.next, f"W1: number {psn:#x} is used, {line.next:#x} is next"
            line.next = (psn + 1) % NUMBERS
            assert distance(psn, line.clear) <= WINDOW, "beyond the window"
            order = order | {"serial": -1, "length": 0}
            if not control:
                order |= self._cut(order)
            line.sent[psn] = order
        if not control:
            offset = signed(order["pds_offset"], 16)
            assert offset < 0 and distance(psn + offset, line.clear) <= 0
            assert flags & AR or not (order["packet_last"] or flags & SYN)
        self._post(self.outward, order)

    def _cut(self, order: Values) -> Values:
        """A packet of a message, sent for the first time."""
        message = self.current[order["packet_message"]]
        offset, size = order["packet_offset"], order["packet_bytes"]
        assert message.key == (order["key_address"], order["key_job"]) and not message.ended
        assert offset % MTU == 0 and order["packet_first"] == (offset == 0)
        if order["packet_aborts"]:
            assert size == 0 and order["packet_last"] and message.said.code != OK
        else:
            assert size == min(MTU, message.length - offset)
            assert order["packet_last"] == (offset + size == message.length)
        return {"serial": message.serial, "length": message.length}

    def _end(self, end: Values) -> None:
        """A message ends once, with its answer, when all is answered (W4)."""
        message = self.current.pop(end["message"])
        self.free.append(end["message"])
        assert not message.ended
        message.ended = True
        message.lost = bool(end["lost"])
        if message.lost:
            return
        for line in self.lines.values():
            for psn, order in line.sent.items():
                if order["serial"] == message.serial:
                    assert line.is_answered(psn), "W4: a packet is not answered"
        said, found = message.said, (end["code"], end["modifiedLength"])
        assert found == (said.code, said.modified), f"{message}: {end}"
        if said.opcode == LATER:
            assert end["list"] in (0, OVERFLOW)
        elif said.opcode == RESPONSE:
            assert (end["list"], end["generation"]) == (said.kind, said.generation)

    async def until_ended(self, messages: list[Message], clocks: int) -> None:
        """All of these have ended, within so many clocks."""
        for _ in range(clocks):
            if all(message.ended for message in messages):
                return
            await RisingEdge(self.dut.clock)
        waiting = [message for message in messages if not message.ended]
        raise TimeoutError(f"{len(waiting)} messages have not ended, the first: {waiting[0]}")

    def judge(self) -> None:
        """W1: what was taken was taken once, in order, whole when its end says so."""
        for key in {message.key for message in self.all}:
            own = [m.serial for m in self.all if m.key == key]
            taken = [t for t in self.targets[key[0]].taken if t.serial in own]
            serials = [t.serial for t in taken]
            assert serials == sorted(set(serials)), f"W1: taken in the order {serials}"
            whole = {t.serial for t in taken if t.done and t.bytes == self.all[t.serial].length}
            for serial in own:
                message = self.all[serial]
                if message.ended and not message.lost and message.said.code == OK:
                    assert serial in whole, f"{message} was not delivered"
