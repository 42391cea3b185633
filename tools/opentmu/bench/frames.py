# SPDX-License-Identifier: Apache-2.0
"""Ethernet frames with packets of Ultra Ethernet in them, right ones and wrong ones at random.

Headers are random bytes with what decides about their length set: whatever else they say has to be
read as it stands. The judge of what a frame says is the codec of `sim/wire`.
"""

import struct
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from opentmu import paths

VECTORS = paths.ROOT / "tests" / "wire"
PORT = 4793
PDS_BYTES = {2: 12, 3: 12, 7: 12, 8: 32, 9: 40, 10: 16, 11: 16, 12: 32, 13: 16, 14: 16}
HEADLESS = (10, 11, 12)
SES_BYTES = {1: 20, 2: 32, 3: 44, 4: 12, 5: 20, 6: 12}
STANDARD, RENDEZVOUS_BYTES = 3, 24
TAGGED_SEND, RENDEZVOUS_TSEND = 9, 10


@dataclass(frozen=True)
class Settings:
    """Settings that both sides of a link have in common; names and numbers of `uet_settings_t`."""

    crc: int = 1
    big_endian: bool = False
    port: int = PORT
    native: int | None = None

    def drive(self, dut: Any, *without: str, port: str = "io_settings") -> None:
        """Set the block's settings, `WireSettings` in Chisel, but for fields that it lacks."""
        fields = {
            "udpPort": self.port,
            "native": int(self.native is not None),
            "nativeProtocol": self.native or 0,
            "crc": self.crc,
            "crcBigEndian": int(self.big_endian),
        }
        for name in fields.keys() - set(without):
            getattr(dut, f"{port}_{name}").value = fields[name]


@dataclass
class Shape:
    """The envelope of a packet."""

    tags: tuple[int, ...] = ()
    ipv6: bool = False
    source: int = 0x0A000001
    destination: int = 0x0A000002
    padding: int = 0
    settings: Settings = field(default_factory=Settings)


@cache
def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


def crc32c(data: bytes) -> int:
    """The check of RFC 3720: 0xe3069283 of the digits 1 to 9."""
    crc, table = 0xFFFFFFFF, _crc_table()
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _ipv4(shape: Shape, protocol: int, length: int, random: Random) -> bytes:
    head = struct.pack(
        ">BBHHHBBHII",
        0x45,
        random.getrandbits(8),
        20 + length,
        0,
        0x4000,
        64,
        protocol,
        0,
        shape.source & 0xFFFFFFFF,
        shape.destination & 0xFFFFFFFF,
    )
    total = sum(struct.unpack(">10H", head))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return head[:10] + struct.pack(">H", total ^ 0xFFFF) + head[12:]


def _ipv6(shape: Shape, protocol: int, length: int, random: Random) -> bytes:
    word = 6 << 28 | random.getrandbits(28)
    head = struct.pack(">IHBB", word, length, protocol, 64)
    return head + shape.source.to_bytes(16, "big") + shape.destination.to_bytes(16, "big")


def frame(inside: bytes, shape: Shape, random: Random) -> bytes:
    """A frame around a packet's headers and payload, with lengths and checks that are right."""
    settings = shape.settings
    crc_bytes = 4 if settings.crc else 0
    entropy = random.getrandbits(16)
    if settings.native is None:
        length = 8 + len(inside) + crc_bytes
        protocol, transport = 17, struct.pack(">HHHH", entropy, settings.port, length, 0)
    else:
        protocol, transport = settings.native, struct.pack(">HH", entropy, 0)
    make = _ipv6 if shape.ipv6 else _ipv4
    ip = make(shape, protocol, len(transport) + len(inside) + crc_bytes, random)
    covered = (ip[8:] if shape.ipv6 else ip[12:]) + transport if settings.crc == 1 else b""
    crc = crc32c(covered + inside).to_bytes(4, "big" if settings.big_endian else "little")
    ethernet = random.randbytes(12)
    for kind in shape.tags:
        ethernet += struct.pack(">HH", kind, random.getrandbits(16))
    ethernet += b"\x86\xdd" if shape.ipv6 else b"\x08\x00"
    return ethernet + ip + transport + inside + crc[:crc_bytes] + random.randbytes(shape.padding)


def random_shape(random: Random, settings: Settings) -> Shape:
    """Tags, addresses and padding at random."""
    ipv6 = random.random() < 0.4
    return Shape(
        tags=tuple(random.choice((0x8100, 0x88A8)) for _ in range(random.choice((0, 0, 1, 2)))),
        ipv6=ipv6,
        source=random.getrandbits(128 if ipv6 else 32),
        destination=random.getrandbits(128 if ipv6 else 32),
        padding=random.choice((0, 0, 0, 1, random.randrange(130))),
        settings=settings,
    )


def random_envelope(random: Random, settings: Settings) -> dict[str, int]:
    """Fields of Ethernet and IP around a packet that a stage builds, by the names of the record."""
    ipv6 = random.random() < 0.4
    address = 128 if ipv6 else 32
    fields = {
        "ethernet_destinationMac": random.getrandbits(48),
        "ethernet_sourceMac": random.getrandbits(48),
        "ethernet_tags": random.randrange(3),
        "internet_ipv6": int(ipv6),
        "internet_native": int(settings.native is not None and random.random() < 0.5),
        "internet_dscp": random.getrandbits(6),
        "internet_ecn": random.getrandbits(2),
        "internet_source": random.getrandbits(address),
        "internet_destination": random.getrandbits(address),
        "internet_sourcePort": random.getrandbits(16),
    }
    for tag in range(2):
        kind = random.choice((0x8100, 0x88A8))
        fields[f"ethernet_tag_{tag}"] = kind << 16 | random.getrandbits(16)
    return fields


def random_headers(random: Random) -> bytes:
    """Packet delivery header and semantic header of any kind there is; tagged sends more often."""
    kind = random.choice((3, 3, 3, 3, 14, *PDS_BYTES))
    following = random.choice((2, STANDARD, STANDARD, STANDARD, *range(16)))
    pds = bytearray(random.randbytes(PDS_BYTES[kind]))
    prologue = kind << 11 | following << 7 | random.getrandbits(7)
    pds[0:2] = struct.pack(">H", prologue)
    if kind in HEADLESS:
        return bytes(pds)
    ses = bytearray(random.randbytes(SES_BYTES.get(following, 0)))
    if following in (1, 2, STANDARD):
        opcode = random.choice((TAGGED_SEND, TAGGED_SEND, RENDEZVOUS_TSEND, random.getrandbits(6)))
        ses[0] = random.getrandbits(2) << 6 | opcode
        first = ses[1] & 1
        if following == STANDARD and first and opcode in (6, RENDEZVOUS_TSEND):
            ses += random.randbytes(RENDEZVOUS_BYTES)
    return bytes(pds + ses)


def random_payload(random: Random) -> bytes:
    """Short ones more often, and those that end near the end of a beat."""
    near = 64 * random.randrange(1, 9) + random.randrange(-4, 5)
    return random.randbytes(random.choice((0, 1, 8, random.randrange(200), near)))


def random_packet(random: Random, settings: Settings) -> bytes:
    """A frame with nothing wrong in it."""
    shape = random_shape(random, settings)
    return frame(random_headers(random) + random_payload(random), shape, random)


def vector(name: str) -> bytes:
    """The frame of an example packet, `p01` to `p20`."""
    text = (VECTORS / f"{name}.txt").read_text()
    return bytes.fromhex(text.partition("\nframe\n")[2].partition("fields\n")[0])


def spoiled(data: bytes, random: Random) -> bytes:
    """A frame with a defect: bits flipped, bytes overwritten, cut off, or too many."""
    bad = bytearray(data)
    match random.randrange(5):
        case 0:
            at = random.randrange(len(bad))
            bad[at] ^= 1 << random.randrange(8)
        case 1:
            # Within the headers, whose fields decide.
            bad[random.randrange(min(90, len(bad)))] = random.choice((0, 1, 0xFF, 0x81, 8))
        case 2:
            del bad[random.randrange(len(bad)) :]
        case 3:
            at = random.randrange(len(bad))
            del bad[at : at + random.randrange(1, 8)]
        case _:
            at = random.randrange(len(bad))
            bad[at:at] = random.randbytes(random.randrange(1, 8))
    return bytes(bad)


def random_frame(random: Random, settings: Settings) -> bytes:
    """Anything: half of the frames have nothing wrong, a few are noise."""
    draw = random.random()
    if draw < 0.5:
        return random_packet(random, settings)
    if draw < 0.95:
        return spoiled(random_packet(random, settings), random)
    return random.randbytes(random.randrange(200))
