# SPDX-License-Identifier: Apache-2.0
"""All that sends in a bench: commands in, frames to targets, completions that are judged."""

from collections import Counter, deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiReadBus, AxiSlaveRead

from opentmu.bench import seed, send_fields
from opentmu.bench.frame_judge import ACCEPTED, judge
from opentmu.bench.frame_stream import FrameTaker
from opentmu.bench.frames import Settings
from opentmu.bench.handshake import Sink, Source, Values, pauses, reset, start_clock
from opentmu.bench.memory import BrokenMemory
from opentmu.bench.records import pack
from opentmu.bench.send_target import CONTROL, OK, Said, Target
from opentmu.regs import SEND_FIELDS, Opcode, Status

OWN, FIRST_PEER, JOB = 0x0A000001, 0x0A000010, 7
PEERS, MEMORIES, ENDPOINTS, PAGES = 4, 3, 3, 6
REGION, SIZE = 1 << 32, 1 << 20
MTU, WINDOW, DELAY = 128, 16, 8
INITIATOR_ERROR, FIRST, LAST, MESSAGE_ERROR = 0x10, 1, 2, 0xF


@dataclass
class Sent:
    """A command with its outcome and its bytes."""

    serial: int
    page: int
    endpoint: int
    status: Status
    payload: bytes
    peer: int
    header_data: int
    said: Said
    started: bool = False
    ended: bool = False
    lies: list[tuple[int, int]] = field(default_factory=list)


class Bench:
    """All that sends, between host memory and targets."""

    def __init__(self, dut: Any, *, pausing: bool = True, drop: float = 0.0) -> None:
        self.dut = dut
        self.random = random = Random(seed.choose())
        self.drop = drop
        self.broken = 0.0
        self.failure: BaseException | None = None
        self.memory = random.randbytes(SIZE)
        self.at = 64
        self.laid: list[tuple[int, int]] = []
        self.written = bytearray(self.memory)
        spell = random if pausing else None
        self.command = Source(dut, "io_command", spell)
        self.answer = Source(dut, "io_answer", None)
        self.peer = Source(dut, "io_peer", None)
        self.registered = Source(dut, "io_memory", None)
        Sink(dut, "io_completion", spell, self._completed)
        self.taker = FrameTaker(dut, "io_stream", spell)
        ends = (dut.clock, dut.reset)
        for port in ("io_payload", "io_lists"):
            slave = AxiSlaveRead(AxiReadBus.from_prefix(dut, port), *ends, target=self)
            for channel in (slave.ar_channel, slave.r_channel) if pausing else ():
                channel.set_pause_generator(pauses(Random(random.random())))
        self.targets: dict[int, Target] = {}
        self.all: list[Sent] = []
        self.homeward: deque[tuple[int, Values]] = deque()
        self.clock = 0
        self.kinds: Counter[str] = Counter()
        self.settings = Settings()

    async def start(self, *, retransmit: int = 60, mtu: int = MTU) -> None:
        """Settings, reset, peers and memory: number n is endpoint n's, of `ENDPOINTS` in turn."""
        dut = self.dut
        self.mtu = mtu
        values = {
            "started": 1,
            "ipv6": 0,
            "source_address": OWN,
            "source_dscp": 0,
            "initiator_payloadMtu": mtu,
            "initiator_retransmit": retransmit,
            "initiator_attempts": 0,
            "initiator_idle": 0,
            "initiator_seed": self.random.getrandbits(32),
            "stop": 0,
        }
        for name, value in values.items():
            getattr(dut, f"io_{name}").value = value
        self.settings.drive(dut, "native", port="io_wire")
        start_clock(dut)
        await reset(dut)
        await ClockCycles(dut.clock, 40)
        for number in range(PEERS):
            address = FIRST_PEER + number
            self.targets[address] = Target(
                address, self.random, WINDOW, self._say, lambda: self.random.random() >= self.drop
            )
            await self.peer.send(
                index=number,
                remove=0,
                value_address=address,
                value_job=JOB,
                value_pid=number + 1,
                value_index=number + 2,
                value_initiator=number + 3,
                value_owner=number % ENDPOINTS,
            )
        for number in range(MEMORIES):
            await self.registered.send(
                index=number,
                remove=0,
                value_base=REGION,
                value_bytes=SIZE,
                value_owner=number,
                value_read=1,
                value_write=0,
            )
        cocotb.start_soon(self._watch())
        cocotb.start_soon(self._bring())

    def _say(self, order: Values) -> Said:
        return self.all[order["serial"]].said

    async def read(self, address: int, length: int) -> bytes:
        """Registered memory."""
        offset = address - REGION
        if not 0 <= offset <= SIZE - length:
            self.failure = self.failure or AssertionError(f"W8: a read at {address:#x}")
        if self.random.random() < self.broken:
            raise BrokenMemory(f"memory at {address:#x} is broken")
        return bytes(self.written[offset : offset + length])

    def lay(self, data: bytes, align: int = 1) -> int:
        """Bytes in registered memory: their address."""
        self.at += self.random.randrange(64)
        self.at += -self.at % align
        offset = self.at
        self.written[offset : offset + len(data)] = data
        self.laid.append((offset, len(data)))
        self.at += len(data)
        assert self.at < SIZE
        return REGION + offset

    async def send(
        self,
        values: Values,
        payload: bytes,
        status: Status = Status.SENT,
        said: Said | None = None,
    ) -> Sent:
        """A command of an endpoint, `own` or the peer's owner, and what it has to come to."""
        endpoint = values.pop("own", values["peer"] % ENDPOINTS)
        said = said or Said(modified=len(payload))
        sent = Sent(
            serial=len(self.all),
            page=self.random.randrange(PAGES),
            endpoint=endpoint,
            status=status if said.code == OK else Status.UNDELIVERED,
            payload=payload,
            peer=values["peer"],
            header_data=values.get("header_data", 0),
            said=said,
        )
        sent.lies, self.laid = self.laid, []
        self.all.append(sent)
        record = {"opcode": Opcode.SEND, "match": sent.serial, "handle": sent.serial + 1000}
        data = pack(SEND_FIELDS, record | {"length": len(payload)} | values)
        await self.command.send(
            from_page=sent.page,
            from_life=sent.serial,
            from_stamp=sent.serial + 1,
            from_endpoint=endpoint,
            record=int.from_bytes(data, "little"),
        )
        return sent

    def inline(self, payload: bytes) -> Values:
        """Fields of bytes at hand."""
        return send_fields.inline(payload)

    def pieces(self, payload: bytes, count: int, memory: int) -> Values:
        """Fields of bytes in so many pieces."""
        return send_fields.pieces(payload, count, memory, self.lay, self.random)

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clock)
            self.clock += 1
            while self.taker.frames:
                self._frame(self.taker.frames.popleft())

    async def _bring(self) -> None:
        while True:
            if self.homeward and self.homeward[0][0] <= self.clock:
                await self.answer.send(**self.homeward.popleft()[1])
            else:
                await RisingEdge(self.dut.clock)

    def _frame(self, frame: bytes) -> None:
        """A frame is its message's, byte for byte; its target answers, if it comes there."""
        (judged,) = judge([frame], self.settings)
        assert judged.verdict == ACCEPTED
        fields = judged.fields
        assert fields["internet_source"] == OWN and fields["internet_sourcePort"] >> 14 == 3
        order = fields | {
            "key_address": fields["internet_destination"],
            "serial": -1,
            "length": 0,
            "packet_id": fields.get("ses_messageId", 0),
        }
        if fields["pds_kind"] != CONTROL:
            order |= self._request(fields, judged.payload)
        if self.random.random() < self.drop:
            return
        for answer in self.targets[order["key_address"]].packet(order):
            if self.random.random() >= self.drop:
                self.homeward.append((self.clock + DELAY, answer))

    def _request(self, fields: Values, payload: bytes) -> Values:
        sent = self.all[fields["ses_matchBits"]]
        offset, flags = fields.get("ses_messageOffset", 0), fields["ses_flags"]
        first, aborts = bool(flags & FIRST), fields["ses_opcode"] == MESSAGE_ERROR
        peer = sent.peer
        assert sent.status in (Status.SENT, Status.UNDELIVERED)
        assert fields["internet_destination"] == FIRST_PEER + peer
        # W8: as the privileged driver has written it.
        named = [fields[f"ses_{name}"] for name in ("job", "pid", "index", "initiator")]
        assert named == [JOB, peer + 1, peer + 2, peer + 3]
        assert fields["ses_requestLength"] == len(sent.payload)
        if first:
            assert fields["ses_headerData"] == sent.header_data
        if flags & INITIATOR_ERROR:
            self.kinds["failed"] += 1
        elif not aborts:
            assert payload == sent.payload[offset : offset + self.mtu]
        self.kinds["aborts" if aborts else "requests"] += 1
        return {
            "serial": sent.serial,
            "length": len(sent.payload),
            "packet_first": int(first),
            "packet_last": int(bool(flags & LAST)),
            "packet_aborts": int(aborts),
            "packet_offset": offset,
            "packet_bytes": len(payload),
        }

    def _completed(self, found: Values) -> None:
        """W4: the target has it, or said why not; a command that is refused has done nothing."""
        sent = self.all[found["handle"] - 1000]
        assert not sent.ended
        assert (found["from_page"], found["from_endpoint"]) == (sent.page, sent.endpoint)
        assert (found["from_life"], found["from_stamp"]) == (sent.serial, sent.serial + 1)
        carried = sent.status in (Status.SENT, Status.UNDELIVERED)
        if found["starts"]:
            assert carried and not sent.started and not found["owed"]
            sent.started = True
            return
        assert found["owed"] == sent.started == carried
        sent.ended = True
        assert found["status"] == sent.status, f"{sent}: {Status(found['status']).name}"
        code = sent.said.code if carried else 0
        taken = sent.said.modified if sent.status == Status.SENT else 0
        assert found["code"] == code and found["givenUp"] == 0
        assert found["receiveLength"] == taken
        assert found["messageLength"] == (len(sent.payload) if carried else 0)
        truncated = sent.status == Status.SENT and taken < len(sent.payload)
        assert bool(found["truncated"]) == truncated
        if sent.status == Status.SENT:
            target = self.targets[FIRST_PEER + sent.peer]
            (one,) = [t for t in target.taken if t.serial == sent.serial]
            assert one.done and one.bytes == len(sent.payload), "W4"
        # Memory is the sender's again: what is read of it from here on is wrong.
        for offset, size in sent.lies:
            self.written[offset : offset + size] = bytes(size)
        self.kinds[sent.status.name] += 1

    async def until_ended(self, clocks: int) -> None:
        """All commands have ended, and nothing is left."""
        for _ in range(clocks):
            if self.failure is not None:
                raise self.failure
            if all(sent.ended for sent in self.all):
                await ClockCycles(self.dut.clock, 100)
                return
            await RisingEdge(self.dut.clock)
        waiting = [sent for sent in self.all if not sent.ended]
        raise TimeoutError(f"{len(waiting)} commands have not ended, the first: {waiting[0]}")
