# SPDX-License-Identifier: Apache-2.0
"""Packets of messages as they come from the table of connections, and with defects."""

from dataclasses import dataclass
from random import Random

from opentmu.bench.handshake import Values
from opentmu.bench.message_model import (
    AR,
    DEFERRABLE,
    ERROR,
    FIRST,
    IE,
    LAST,
    MEDIUM,
    NO_OP,
    RELATIVE,
    STANDARD,
    TAGGED,
)


@dataclass
class Sender:
    """A message that its sender is in the middle of."""

    fields: Values
    length: int
    offset: int = 0


class Packets:
    """Messages that several senders are in the middle of."""

    def __init__(self, random: Random, mtu: int, limit: int) -> None:
        self.random = random
        self.mtu = mtu
        self.limit = limit
        self.senders: list[Sender] = []
        self.ids = 0

    def fields(self) -> Values:
        """A packet that is whole, of a message of 8 bytes to a known name, most of the time."""
        random = self.random
        self.ids = self.ids % 0xFFFF + 1
        return {
            "deliver": 1,
            "closes": 0,
            "pdc": random.randrange(1, 4),
            "ethernet_sourceMac": random.getrandbits(48),
            "internet_source": random.getrandbits(32),
            "internet_sourcePort": random.getrandbits(16),
            "internet_dscp": random.getrandbits(6),
            "internet_ecn": random.randrange(4),
            "pds_psn": random.getrandbits(32),
            "pds_flags": random.choice((0, 0, AR, 4, AR | 4, 0x10)),
            "pds_spdcid": random.getrandbits(16),
            "payloadBytes": 8,
            "beats": 1,
            "ses_next": STANDARD,
            "ses_opcode": random.choice((TAGGED, TAGGED, TAGGED, DEFERRABLE)),
            "ses_version": 0,
            "ses_flags": FIRST | LAST | RELATIVE | random.choice((0, 4)),
            "ses_messageId": self.ids,
            "ses_generation": 0,
            "ses_job": random.randrange(1, 3),
            "ses_pid": random.randrange(2),
            "ses_index": random.randrange(2),
            "ses_initiator": random.getrandbits(32),
            "ses_matchBits": random.getrandbits(64),
            "ses_headerData": random.getrandbits(64),
            "ses_payloadLength": 0,
            "ses_messageOffset": 0,
            "ses_requestLength": 8,
        }

    def next_packet(self) -> Values:
        """Of a new message or of one that was begun."""
        random = self.random
        if len(self.senders) < random.randrange(1, 7):
            fields = self.fields()
            length = random.choice((0, 8, 8, 1024, 1025, 2500, 5000))
            if length <= self.mtu and random.random() < 0.3:
                fields |= {"ses_next": MEDIUM, "ses_messageId": 0}
            self.senders.append(Sender(fields, length))
        sender = random.choice(self.senders)
        size = min(self.mtu, sender.length - sender.offset)
        ends = sender.offset + size == sender.length
        packet = sender.fields | {
            "pds_psn": random.getrandbits(32),
            "pds_flags": random.choice((0, 0, AR, 4, AR | 4, 0x10)),
            "payloadBytes": size,
            "beats": -(-size // 64),
            "ses_requestLength": sender.length,
            "ses_messageOffset": sender.offset,
            "ses_payloadLength": size if sender.offset else 0,
        }
        packet["ses_flags"] = packet["ses_flags"] & ~(FIRST | LAST) | LAST * ends
        packet["ses_flags"] |= FIRST * (sender.offset == 0)
        sender.offset += size
        if ends:
            self.senders.remove(sender)
        return packet

    def random_packet(self) -> Values:
        """Mostly as it ought to be; else with a defect or two."""
        random = self.random
        packet = self.next_packet()
        draw = random.random()
        if draw < 0.03:
            packet |= {"deliver": 0, "closes": int(random.random() < 0.3)}
        elif draw < 0.06:
            packet |= {"ses_opcode": ERROR, "payloadBytes": 0, "beats": 0, "ses_next": STANDARD}
            packet["ses_flags"] = random.choice((LAST, LAST, LAST, LAST | FIRST, 0))
        elif draw < 0.25:
            flag = packet["ses_flags"] ^ random.choice((FIRST, LAST, IE, RELATIVE))
            size = random.randrange(2000)
            packet |= random.choice(
                (
                    {"ses_version": 1},
                    {"ses_opcode": random.choice((NO_OP, 1, 5, 0x3F))},
                    {"ses_next": random.choice((MEDIUM, STANDARD))},
                    {"ses_flags": flag},
                    {"payloadBytes": size, "beats": -(-size // 64)},
                    {"ses_requestLength": random.choice((0, 100, self.limit, self.limit + 1))},
                    {"ses_messageOffset": random.choice((0, 1024, 4096, 1 << 31))},
                    {"ses_messageId": random.randrange(self.ids + 1)},
                    {"ses_generation": random.randrange(3)},
                    {"ses_job": random.choice((3, 4))},
                    {
                        "ses_requestLength": self.limit + 1,
                        "payloadBytes": self.mtu,
                        "beats": 16,
                        "ses_flags": FIRST | RELATIVE,
                    },
                    {"ses_pid": random.choice((2, 3))},
                    {"ses_index": random.choice((2, 3))},
                )
            )
        return packet

    def change(self) -> tuple[int, Values, Values]:
        """Of a table of names: its level, any name of the few, and its state."""
        random = self.random
        name = {"relative": int(random.random() < 0.8), "job": random.randrange(1, 4)}
        name |= {"pid": random.randrange(3), "index": random.randrange(3)}
        level = random.choice((0, 1, 2, 2, 2)) if name["relative"] else random.choice((1, 2))
        uses = random.randrange(2)
        state = {"remove": int(random.random() < 0.12), "enabled": int(random.random() < 0.8)}
        state |= {"usesGeneration": uses, "generation": random.randrange(3) * uses}
        return level, name, state
