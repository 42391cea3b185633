# SPDX-License-Identifier: Apache-2.0
"""Packets of connections as records of the parser: their numbers, and what is read of them."""

from enum import IntEnum

from opentmu.bench.handshake import Values

ROD, RUD, CONTROL = (3, 14), (2, 13), 11
RETX, AR, SYN = 0x10, 0x08, 0x04
MEDIUM, STANDARD = 2, 3
NOOP, ACK_REQ, CLEAR, CLOSE, PROBE = 0, 1, 2, 4, 6
FIRST = 1  # of the semantic header: a message begins
NUMBERS = 1 << 32
QUARANTINE_PERIODS = 3
FARTHEST = -0x8001  # behind what is expected: an offset from the number before has 16 bits


class Nack(IntEnum):
    """Codes of refusals."""

    NO_PDC_AVAIL = 0x04
    NO_SES_MSG_AVAIL = 0x09
    PSN_OOR_WINDOW = 0x0B
    NO_GTD_DEL_AVAIL = 0x08
    ROD_OOO = 0x0D
    INV_DPDCID = 0x0E
    PDC_HDR_MISMATCH = 0x0F
    PKT_NOT_RCVD = 0x12
    INVALID_SYN = 0x15
    PDC_MODE_MISMATCH = 0x16
    UNEXP_EVENT = 0x19


# Of a packet with SYN that is of no connection whatever it names.
SYN_UNREADABLE = (Nack.PDC_MODE_MISMATCH, Nack.PDC_HDR_MISMATCH)
SHORTAGES = (Nack.NO_PDC_AVAIL, Nack.NO_SES_MSG_AVAIL, Nack.NO_GTD_DEL_AVAIL)


class Outcome(IntEnum):
    """`PdcVerdict` in hw/src/tmu/card/wire/Codes.scala."""

    DELIVERED = 0
    CONTROL = 1
    REFUSED = 2
    REPEATED = 3
    DUPLICATE = 4
    GAP = 5
    UNASKED = 6
    NONE = 7
    NO_ROOM = 8


def key_of(record: Values) -> tuple[int, ...]:
    """By what a connection is known before our PDCID is."""
    names = ("internet_ipv6", "internet_source", "internet_destination", "pds_spdcid")
    return tuple(record[name] for name in names)


def psn_offset(record: Values) -> int:
    """psn_offset: how far a packet with SYN lies behind the connection's first number."""
    return record["pds_dpdcid"] & 0xFFF


def start_of(record: Values) -> int:
    """The first number of the connection of a packet with SYN."""
    return (record["pds_psn"] - psn_offset(record)) % NUMBERS


def marked(record: Values) -> int:
    """M, when the packet has been through congestion."""
    return 0x20 if record["internet_ecn"] == 3 else 0


def back(record: Values) -> Values:
    """Of an answer, what is around it and whom it names."""
    around = {n: v for n, v in record.items() if n.startswith(("ethernet_", "internet_"))}
    return around | {"pds_dpdcid": record["pds_spdcid"]}
