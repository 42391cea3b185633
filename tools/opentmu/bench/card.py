# SPDX-License-Identifier: Apache-2.0
"""A whole card in a bench: its ports, host memory with buffers in it, and a peer's frames."""

import re
import struct
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiResp

from opentmu import paths, presets, regs
from opentmu.bench.frame_judge import ACCEPTED, judge
from opentmu.bench.frame_stream import FrameSource, FrameTaker
from opentmu.bench.frames import Settings, Shape, frame
from opentmu.bench.handshake import Values, pauses, reset, start_clock
from opentmu.bench.memory import HostMemory, Ring
from opentmu.bench.ports import Ports
from opentmu.bench.records import pack, unpack
from opentmu.bench.registers import PATIENCE, REGISTER_BYTES, RegisterPort, bit, soon
from opentmu.bench.simulate import CARD_CONFIGURATION
from opentmu.bench.spill_memory import SpillMemory
from opentmu.build import rtl
from opentmu.regs import Opcode

ADDRESS, PEER = 0x0A000002, 0x0A000001
JOB, MTU, POOL_LOG2 = 0xABCD, 1024, 13
# Of each endpoint, a buffer for each number of a message.
POOL_BYTES = 32 << POOL_LOG2
POOLS = (1 << 40, 3 << 40)
RING_AREA = 1 << 24
# Memory that each endpoint has registered for receives, and for sends behind those.
RECEIVES, SENDS = (1 << 36, 1 << 36), (1 << 38, 1 << 20)
PAGES = 2
FIRST, LAST, HAS_DATA, RELATIVE = 1, 2, 4, 8
RETX, AR, SYN = 0x10, 0x08, 0x04
TAGGED = 9
REGISTER = re.compile(r"\n    \} (\w+) @ (0x[0-9a-f]+);")
FIELD = re.compile(r"\n        \} (\w+)\[(\d+):(\d+)\]")


def register_map(design: Path) -> dict[str, tuple[int, dict[str, int]]]:
    """Offset and lowest bits of fields of each register of a design."""
    text = (design / "tmu.rdl").read_text()
    found, at = {}, 0
    for match in REGISTER.finditer(text):
        fields = {one[1]: int(one[3]) for one in FIELD.finditer(text, at, match.start())}
        found[match[1]] = (int(match[2], 16), fields)
        at = match.end()
    return found


@dataclass
class Peer:
    """The other end of a connection: an initiator."""

    spdcid: int = 0x0101
    start: int = 0x12000
    address: int = PEER
    dpdcid: int | None = None
    sent: int = 0

    def packet(self, ses: bytes, payload: bytes, flags: int = AR, clear: int = -1) -> bytes:
        """The next packet of the connection, without what is around it; it says that responses up
        to a number, counted from its own, have come."""
        psn = (self.start + self.sent) & 0xFFFFFFFF
        syn = self.dpdcid is None
        last = self.sent if syn else self.dpdcid
        prologue = 3 << 11 | 3 << 7 | flags | (SYN if syn else 0)
        self.sent += 1
        return struct.pack(">HhIHH", prologue, clear, psn, self.spdcid, last) + ses + payload


def standard(send: Values, offset: int, payload: bytes) -> bytes:
    """The semantic header of a tagged send's packet."""
    length = send["length"]
    first, last = offset == 0, offset + len(payload) == length
    data = send.get("headerData")
    flags = RELATIVE | FIRST * first | LAST * last | HAS_DATA * (data is not None)
    head = struct.pack(">BBH", TAGGED, flags, send["id"])
    head += struct.pack(">IHH", send.get("job", JOB), send["pid"], send["index"])
    head += struct.pack(">QIQ", 0, send["initiator"], send["match"])
    rest = struct.pack(">Q", data or 0) if first else struct.pack(">II", len(payload), offset)
    return head + rest + struct.pack(">I", length)


def packets(peer: Peer, send: Values, payload: bytes) -> list[bytes]:
    """A message in packets."""
    pieces = [payload[at : at + MTU] for at in range(0, max(1, len(payload)), MTU)]
    return [
        peer.packet(standard(send, MTU * number, piece), piece)
        for number, piece in enumerate(pieces)
    ]


class Card(RegisterPort):
    """A TmuCard with two open pages, each of an endpoint of its own: pids 3 and 4, index 15."""

    def __init__(
        self,
        dut: Any,
        seed: int,
        *,
        with_pauses: bool = True,
        ring_log2: int = 8,
        uses_generation: int = 0,
    ) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.map = register_map(paths.RTL / rtl.card_name(presets.use(CARD_CONFIGURATION)))
        self.memory = HostMemory(self._written, self._read)
        self.rings: dict[int, Ring] = {}
        self.completions: dict[int, deque[Values]] = {}
        self.buffers = [(pool, POOL_BYTES) for pool in POOLS]
        self.bytes: dict[int, int] = {}
        random = self.random if with_pauses else None
        self.rx = FrameSource(dut, "s_axis_rx", random)
        self.tx = FrameTaker(dut, "m_axis_tx", random)
        ports = Ports(dut, self.memory, SpillMemory(dut.clock, Random(seed), late=with_pauses))
        super().__init__(ports.registers)
        self.doorbells = ports.doorbells
        self.handles = 0
        self.told = 0
        self.ring_log2, self.uses_generation = ring_log2, uses_generation
        self.unread: set[int] = set()
        if with_pauses:
            for channel in ports.channels():
                channel.set_pause_generator(pauses(Random(self.random.random())))

    async def start(self) -> None:
        """Reset, rings, what the wire is like, and names."""
        start_clock(self.dut)
        await reset(self.dut, 10)
        await self.configure()

    async def configure(self) -> None:
        """All that a reset has cleared."""
        await self.until_ready()
        for page in (0, 1):
            await self.open_page(page)
        await self.set("WIRE_ADDRESS_0", ADDRESS)
        await self.set("WIRE_MESSAGES", PAYLOAD_MTU=MTU, POOL_LOG2=POOL_LOG2, DSCP=46)
        for endpoint, pool in enumerate(POOLS):
            await self.set("POOL_BASE_LO", pool & 0xFFFFFFFF)
            await self.set("POOL_BASE_HI", pool >> 32)
            await self.set("POOL_ENDPOINT", ENDPOINT=endpoint, REGISTER=1)
        for page in range(PAGES):
            await self.memory_of(page, page, RECEIVES, WRITE=1)
            await self.memory_of(PAGES + page, page, SENDS, READ=1)
        for page in (0, 1):
            await self.set("NAME_JOB", JOB=JOB, RELATIVE=1)
            await self.set("NAME_PROCESS", PID=3 + page, INDEX=15)
            await self.set("NAME_ENDPOINT", ENDPOINT=page)
            await self.set("NAME_STATE", ENABLED=1, USES_GENERATION=self.uses_generation)
            await self.set("NAME_COMMAND", ENDPOINT=1)  # which implies job and process
            assert await self.get("NAME_STATUS") == 0
        wire = {"UDP_PORT": 4793, "CRC": 1, "NATIVE_PROTOCOL": 253, "ENABLE": 1}
        await self.set("WIRE_CONFIG", **wire)

    async def memory_of(
        self, number: int, endpoint: int, where: tuple[int, int], **rights: int
    ) -> None:
        """Registers memory with an endpoint."""
        await self.set("MEMORY_SELECT", number)
        for name, value in zip(("BASE", "BYTES"), where, strict=True):
            await self.set(f"MEMORY_{name}_LO", value & 0xFFFFFFFF)
            await self.set(f"MEMORY_{name}_HI", value >> 32)
        await self.set("MEMORY_OWNER", ENDPOINT=endpoint, **rights)
        await self.set("MEMORY_COMMAND", SET=1)
        assert await self.get("TABLE_STATUS") == 0

    async def open_page(self, page: int) -> None:
        """A page with a ring of its own, of the endpoint with its number; another one if it had."""
        log2 = self.ring_log2
        base = (page + 1) * RING_AREA
        self.rings[page] = Ring(page, base, log2)
        self.completions[page] = deque()
        await self.write("PAGE_SELECT", page)
        await self.write("RING_BASE_LO", base)
        await self.write("RING_CONFIG", log2 | bit("RING_CONFIG", "ENABLE"))
        await self.write("PAGE_ENDPOINT", page)
        low, _ = regs.REGISTER_FIELDS["QUEUE_CONFIG"]["LOG2"]
        await self.write("QUEUE_CONFIG", 4 << low | page << 4)
        await self.write("PAGE_COMMIT", bit("PAGE_COMMIT", "COMMIT"))
        assert await self.until("PAGE_STATUS", "BUSY", on=False) == 0

    async def set(self, name: str, value: int = 0, **fields: int) -> None:
        """Write a register of the card by its fields."""
        offset, lows = self.map[name]
        for field, part in fields.items():
            value |= part << lows[field]
        resp = await self.write_raw(offset, value.to_bytes(REGISTER_BYTES, "little"))
        assert resp == AxiResp.OKAY, f"writing {name} answered {resp!r}"

    async def get(self, name: str) -> int:
        """Read a register of the card."""
        resp, value = await self.read_raw(self.map[name][0])
        assert resp == AxiResp.OKAY, f"reading {name} answered {resp!r}"
        return value

    async def count(self, number: int) -> int:
        """A counter of frames."""
        await self.set("WIRE_COUNT_SELECT", number)
        return await self.get("WIRE_COUNT")

    def buffer(self, size: int) -> int:
        """A receive's buffer at any alignment, with room around it that nobody may write."""
        last, length = self.buffers[-1] if len(self.buffers) > len(POOLS) else (RECEIVES[0], 0)
        address = last + length + 300 + self.random.randrange(64)
        self.buffers.append((address, size))
        return address

    async def command(self, page: int, opcode: int, **fields: int) -> int:
        """A command by the doorbell; its handle."""
        self.handles += 1
        record = pack(regs.COMMAND_FIELDS, {"opcode": opcode, "handle": self.handles} | fields)
        event = self.doorbells.init_write(page * regs.DOORBELL_PAGE_BYTES, record)
        await soon(event.wait())
        return self.handles

    async def post(self, page: int, size: int, **key: int) -> tuple[int, int]:
        """A receive: its handle and its buffer."""
        address = self.buffer(size)
        fields = {"address": address, "length": size, "receive_id": self.handles & 0xFFFF}
        fields |= {"memory": page} | key
        return await self.command(page, Opcode.POST, **fields), address

    async def completion(self, page: int) -> Values:
        """The next completion of a page; all bytes that it announces are there (W3)."""
        for _ in range(PATIENCE):
            if self.completions[page]:
                return self.completions[page].popleft()
            if self.memory.failure is not None:
                raise self.memory.failure
            await RisingEdge(self.dut.clock)
        raise TimeoutError(f"no completion of page {page}")

    async def send(self, peer: Peer, send: Values, payload: bytes) -> None:
        """A message in frames, which the codec reads as what they are meant to be."""
        for packet in packets(peer, send, payload):
            await self.rx.send(self.frame(peer, packet))

    def frame(self, peer: Peer, packet: bytes, **shape: int) -> bytes:
        """A frame of a peer around a packet."""
        usual: dict[str, Any] = {"source": peer.address, "destination": ADDRESS}
        made = frame(packet, Shape(**usual | shape), self.random)
        assert judge([made], Settings())[0].verdict == ACCEPTED
        return made

    async def answer(self) -> Values:
        """The next frame that the card sends, as the codec reads it."""
        for _ in range(PATIENCE):
            if self.tx.frames:
                judged = judge([self.tx.frames.popleft()], Settings())[0]
                assert judged.verdict == ACCEPTED
                return judged.fields
            await RisingEdge(self.dut.clock)
        raise TimeoutError("no frame came")

    def landed(self, address: int, size: int) -> bytes:
        """Bytes of memory; fails where one was never written."""
        missing = [at for at in range(size) if address + at not in self.bytes]
        assert not missing, f"W3: of {size} bytes at {address:#x} {missing} are missing"
        return bytes(self.bytes[address + at] for at in range(size))

    def _read(self, address: int, length: int) -> bytes:
        areas = [(at, POOL_BYTES) for at in POOLS] + [SENDS]
        inside = any(at <= address and address + length <= at + size for at, size in areas)
        assert inside, f"W8: a read of {length} bytes at {address:#x}, which are nobody's"
        found = (self.bytes.get(at) for at in range(address, address + length))
        return bytes(self.random.randrange(256) if one is None else one for one in found)

    def _written(self, address: int, data: bytes) -> None:
        for page, ring in self.rings.items():
            if ring.holds(address):
                ring.take(address, data)
                self.completions[page].append(unpack(regs.COMPLETION_FIELDS, data))
                self.told += 1
                if ring.unread >= ring.size // 2 and page not in self.unread:
                    self.consume(page)
                return
        end = address + len(data)
        inside = any(at <= address and end <= at + size for at, size in self.buffers)
        assert inside, f"W2: a write of bytes {address:#x} to {end:#x}, which are in no buffer"
        self.bytes |= zip(range(address, end), data, strict=True)

    def consume(self, page: int) -> None:
        """The host of a page has read its ring."""
        ring = self.rings[page]
        at = page * regs.DOORBELL_PAGE_BYTES + regs.DOORBELL_CONSUMER_OFFSET
        self.doorbells.init_write(at, ring.produced.to_bytes(REGISTER_BYTES, "little"))
        ring.read()
