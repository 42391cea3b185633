# SPDX-License-Identifier: Apache-2.0
"""Messages, connections and networks of the initiator's bench, and what is drawn for them."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from opentmu.bench.handshake import Values
from opentmu.bench.send_target import (
    ACK,
    LATER,
    NUMBERS,
    OK,
    OVERFLOW,
    RESPONSE,
    RESPONSE_HEADER,
    Said,
    distance,
)

CONNECTIONS, WINDOW, MESSAGES, CLOCKS = 4, 16, 32, 4
MTU = 100
COUNTS = ("taken", "foreign", "ignored", "sent", "again", "timeout", "lost")
# Numbers that nobody has sent: packets that have not been seen yet are fewer.
BEYOND = (100, 1000, 1 << 31)
REFUSALS = (0x02, 0x04, 0x18, 0x1B)


@dataclass
class Network:
    """Shares of packets that are lost, doubled, and late by up to so many clocks."""

    drop: float = 0.0
    double: float = 0.0
    jitter: int = 0
    delay: int = 5


@dataclass
class Message:
    """A message that is on its way, or was."""

    serial: int
    key: tuple[int, int]
    length: int
    said: Said
    ended: bool = False
    lost: bool = False


@dataclass
class Line:
    """Packets of a connection, and which of it the initiator has been answered."""

    start: int
    next: int
    cack: int
    answered: set[int] = field(default_factory=set)
    sent: dict[int, Values] = field(default_factory=dict)
    address: int = 0
    again: Counter[int] = field(default_factory=Counter)

    @property
    def clear(self) -> int:
        """The last of which it and all before are answered."""
        clear = self.cack
        while (clear + 1) % NUMBERS in self.answered:
            clear = (clear + 1) % NUMBERS
        return clear

    def is_answered(self, psn: int) -> bool:
        """Whether the initiator knows how the packet fared."""
        return psn in self.answered or distance(psn, self.cack) <= 0


def strange_answer(random: Random, lines: dict[int, Line], source: int) -> Values:
    """An answer that fits no connection: it has to change nothing."""
    pdcid, line = random.choice(list(lines.items()) or [(1, Line(0, 0, 0))])
    answer = {
        "strange": 1,
        "ipv6": 0,
        "source": source,
        "pds_kind": random.choice((ACK, 8, 9, 10, 12)),
        "pds_next": random.choice((0, RESPONSE_HEADER)),
        "pds_flags": random.choice((0, 2, 4)),
        "pds_offset": random.choice((0x0E00, 0x0D00, 0x0900, 0)),
        "pds_psn": (line.next + BEYOND[0]) % NUMBERS,
        "pds_spdcid": random.choice((0, random.getrandbits(16))),
        "pds_dpdcid": pdcid,
        "pds_payload": line.start,
        "response_messageId": random.getrandbits(16),
        "response_opcode": random.choice((0, 1, 3)),
        "response_returnCode": random.getrandbits(6),
    }
    match random.randrange(3):
        case 0:
            answer |= {"source": 0x7F000001, "pds_psn": line.cack}
        case 1:
            answer |= {"pds_dpdcid": 0, "pds_psn": line.cack}
        case _:
            answer |= {"pds_psn": (line.next + random.choice(BEYOND)) % NUMBERS}
    return answer


def random_said(random: Random, length: int) -> Said:
    """Any answer."""
    draw = random.random()
    if draw < 0.6:
        return Said(modified=length)
    if draw < 0.75:
        return Said(RESPONSE, OK, OVERFLOW, 0, length)
    if draw < 0.8:
        return Said(RESPONSE, OK, 0, 0, random.randrange(length + 1))
    if draw < 0.9:
        return Said(LATER, OK, 0, 0, length)
    return Said(RESPONSE, random.choice(REFUSALS), 0, random.getrandbits(8), 0)


def random_length(random: Random) -> int:
    """Short ones more often, and those that end near the end of a packet."""
    near = MTU * random.randrange(1, 6) + random.randrange(-1, 2)
    return random.choice((0, 1, 8, near, near, random.randrange(30 * MTU)))
