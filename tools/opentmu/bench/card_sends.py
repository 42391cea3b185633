# SPDX-License-Identifier: Apache-2.0
"""A whole card that sends: commands by the doorbell, targets that answer its frames, itself."""

import struct
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial

import cocotb
from cocotb.triggers import RisingEdge

from opentmu import regs
from opentmu.bench import send_fields
from opentmu.bench.card import ADDRESS, JOB, MTU, PAGES, SENDS, Card
from opentmu.bench.frame_judge import ACCEPTED, judge
from opentmu.bench.frames import Settings, Shape, frame
from opentmu.bench.handshake import Values
from opentmu.bench.records import pack
from opentmu.bench.registers import soon
from opentmu.bench.send_target import CONTROL, NACK, OK, Said, Target
from opentmu.regs import Opcode, Status

FIRST_TARGET, TARGETS = 0x0A000010, 3
# Peers: targets of each page, then the card itself.
LOOP = TARGETS * PAGES
WINDOW, PATIENCE, RETRANSMIT_US = 64, 60_000, 3
FIRST, LAST, MESSAGE_ERROR = 1, 2, 0xF
BEAT, SLOTS = 64, 16


@dataclass
class Sent:
    """A message that a page has sent."""

    handle: int
    page: int
    peer: int
    payload: bytes
    said: Said
    lies: list[tuple[int, int]] = field(default_factory=list)
    ended: bool = False


def answer_packet(answer: Values) -> bytes:
    """An ACK with its response, or a NACK, as bytes."""
    head = answer["pds_kind"] << 11 | answer["pds_next"] << 7 | answer["pds_flags"]
    names = ("pds_offset", "pds_psn", "pds_spdcid", "pds_dpdcid")
    packet = struct.pack(">HHIHH", head, *(answer[name] for name in names))
    if answer["pds_kind"] == NACK:
        return packet + struct.pack(">I", answer["pds_payload"])
    if "response_opcode" not in answer:
        return packet
    kind = answer["response_list"] << 6 | answer["response_opcode"]
    packet += struct.pack(">BBH", kind, answer["response_returnCode"], answer["response_messageId"])
    job = answer["response_generation"] << 24 | JOB
    return packet + struct.pack(">II", job, answer["response_modifiedLength"])


class Sends:
    """The network of a card: targets. Frames to the card itself stay in it."""

    def __init__(self, card: Card, drop: float = 0.0) -> None:
        self.card, self.random, self.drop = card, card.random, drop
        self.messages: dict[int, Sent] = {}
        self.at = SENDS[0]
        self.kinds: Counter[str] = Counter()
        self.homeward: deque[bytes] = deque()
        self.others: deque[bytes] = deque()
        self.targets = [
            Target(FIRST_TARGET + n, self.random, WINDOW, self._say, self._room)
            for n in range(TARGETS)
        ]

    async def start(self) -> None:
        """Peers and their targets; the network begins."""
        await self.configure()
        cocotb.start_soon(self._watch())
        cocotb.start_soon(self._bring())

    async def configure(self) -> None:
        """Registers of what sends."""
        await self.card.set("WIRE_RETRANSMIT", RETRANSMIT_US)
        for number in range(LOOP + PAGES):
            loops = number >= LOOP
            address = ADDRESS if loops else FIRST_TARGET + number // PAGES
            await self.card.set("PEER_SELECT", number)
            await self.card.set("PEER_ADDRESS_0", address)
            await self.card.set("PEER_JOB", JOB)
            # Of the card itself each page sends to the other one.
            pid = 4 - number % PAGES if loops else number + 1
            await self.card.set("PEER_PROCESS", PID=pid, INDEX=15)
            await self.card.set("PEER_INITIATOR", 5)
            await self.card.set("PEER_OWNER", ENDPOINT=number % PAGES)
            await self.card.set("PEER_COMMAND", SET=1)
            assert await self.card.get("TABLE_STATUS") == 0

    def _say(self, order: Values) -> Said:
        return self.messages[order["serial"]].said

    def _room(self) -> bool:
        return self.random.random() >= self.drop

    def lay(self, sent: Sent, data: bytes, align: int = 1) -> int:
        """Bytes in registered memory: their address."""
        self.at += self.random.randrange(BEAT)
        self.at += -self.at % align
        address = self.at
        self.card.bytes |= zip(range(address, address + len(data)), data, strict=True)
        sent.lies.append((address, len(data)))
        self.at += len(data)
        return address

    def _where(self, sent: Sent, count: int) -> Values:
        """Fields of bytes at hand (0), or in so many pieces."""
        if count == 0:
            return send_fields.inline(sent.payload)
        lay = partial(self.lay, sent)
        return send_fields.pieces(sent.payload, count, PAGES + sent.page, lay, self.random)

    async def command(self, page: int, **fields: int) -> int:
        """A send by the doorbell; its handle."""
        self.card.handles += 1
        usual = {"opcode": Opcode.SEND, "handle": self.card.handles}
        record = pack(regs.SEND_FIELDS, usual | fields)
        event = self.card.doorbells.init_write(page * regs.DOORBELL_PAGE_BYTES, record)
        await soon(event.wait())
        return self.card.handles

    async def send(
        self,
        page: int,
        peer: int,
        payload: bytes,
        count: int = 1,
        said: Said | None = None,
        **fields: int,
    ) -> Sent:
        """A message of a page."""
        sent = Sent(self.card.handles + 1, page, peer, payload, said or Said(modified=len(payload)))
        self.messages[sent.handle] = sent
        usual = {"match": sent.handle, "peer": peer, "length": len(payload)}
        await self.command(page, **usual | self._where(sent, count) | fields)
        return sent

    async def completion(self, page: int) -> Values:
        """The next completion of a page, of a send: it says what its target has (W4)."""
        found = await self.card.completion(page)
        if found["opcode"] == Opcode.SEND:
            self.judge(page, found)
        return found

    def judge(self, page: int, found: Values) -> None:
        """W4: the target has it all, or said why not."""
        sent = self.messages[found["handle"]]
        assert not sent.ended and sent.page == page == found["endpoint"]
        sent.ended = True
        well = sent.said.code == OK
        length = len(sent.payload)
        expected = {
            "status": Status.SENT if well else Status.UNDELIVERED,
            "peer": sent.peer,
            "code": sent.said.code,
            "given_up": 0,
            "message_length": length,
            "receive_length": sent.said.modified if well else 0,
            "truncated": int(well and sent.said.modified < length),
        }
        assert {name: found[name] for name in expected} == expected, f"{sent}: {found}"
        if sent.peer < LOOP and well:
            target = self.targets[sent.peer // PAGES]
            [one] = [taken for taken in target.taken if taken.serial == sent.handle]
            assert one.done and one.bytes == length, "W4"
        # Memory is the sender's again: what is read of it from here on is wrong.
        for address, size in sent.lies:
            self.card.bytes |= dict.fromkeys(range(address, address + size), 0xEE)

    async def until_ended(self) -> None:
        """All messages have their completion."""
        await self.until_few(1)

    async def until_few(self, few: int = SLOTS) -> None:
        """Fewer messages than that have no completion: by default, than a page has slots for."""
        for _ in range(PATIENCE):
            for page in range(PAGES):
                while self.card.completions[page]:
                    await self.completion(page)
            waiting = [sent for sent in self.messages.values() if not sent.ended]
            if len(waiting) < few:
                return
            await RisingEdge(self.card.dut.clock)
        raise TimeoutError(f"{len(waiting)} sends have not ended, the first: {waiting[0]}")

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.card.dut.clock)
            while self.card.tx.frames:
                self._frame(self.card.tx.frames.popleft())

    async def _bring(self) -> None:
        while True:
            if self.homeward:
                await self.card.rx.send(self.homeward.popleft())
            else:
                await RisingEdge(self.card.dut.clock)

    def _frame(self, made: bytes) -> None:
        """A frame of the card goes where its address says, or is lost."""
        [judged] = judge([made], Settings())
        assert judged.verdict == ACCEPTED
        fields = judged.fields
        assert fields["internet_source"] == ADDRESS
        lost = self.random.random() < self.drop
        to = fields["internet_destination"]
        self.kinds["lost" if lost else "frames"] += 1
        assert to != ADDRESS, "a switch does not send a frame back"
        if FIRST_TARGET <= to < FIRST_TARGET + TARGETS:
            order = fields | {
                "serial": -1,
                "length": 0,
                "packet_id": fields.get("ses_messageId", 0),
            }
            if fields["pds_kind"] != CONTROL:
                order |= self._request(fields, judged.payload)
            if not lost:
                self._answers(to, order)
        else:
            self.others.append(made)

    def _answers(self, to: int, order: Values) -> None:
        for answer in self.targets[to - FIRST_TARGET].packet(order):
            shape = Shape(source=to, destination=ADDRESS)
            made = frame(answer_packet(answer), shape, self.random)
            assert judge([made], Settings())[0].verdict == ACCEPTED
            if self.random.random() >= self.drop:
                self.kinds["answers"] += 1
                self.homeward.append(made)

    def _request(self, fields: Values, payload: bytes) -> Values:
        """A request is its message's, byte for byte, and says who it is from (W8)."""
        sent = self.messages[fields["ses_matchBits"]]
        offset, flags = fields.get("ses_messageOffset", 0), fields["ses_flags"]
        aborts = fields["ses_opcode"] == MESSAGE_ERROR
        named = [fields[f"ses_{name}"] for name in ("job", "pid", "index", "initiator")]
        assert named == [JOB, sent.peer + 1, 15, 5], "W8"
        assert fields["internet_destination"] == FIRST_TARGET + sent.peer // PAGES
        assert fields["ses_requestLength"] == len(sent.payload)
        if not aborts:
            assert payload == sent.payload[offset : offset + MTU]
        return {
            "serial": sent.handle,
            "length": len(sent.payload),
            "packet_first": int(bool(flags & FIRST)),
            "packet_last": int(bool(flags & LAST)),
            "packet_aborts": int(aborts),
            "packet_offset": offset,
            "packet_bytes": len(payload),
        }
