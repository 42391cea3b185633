# SPDX-License-Identifier: Apache-2.0
"""The target of ROD connections in plain words: what each packet does, and what answers it.

Written from the tables of docs/card.md and not from the hardware, which is held against it.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from opentmu.bench.handshake import Values

ROD, RUD, CONTROL = (3, 14), (2, 13), 11
RETX, AR, SYN = 0x10, 0x08, 0x04
MEDIUM, STANDARD = 2, 3
NOOP, ACK_REQ, CLEAR, CLOSE, PROBE = 0, 1, 2, 4, 6
FIRST = 1  # of the semantic header: a message begins
NUMBERS = 1 << 32
FARTHEST = -0x8001  # behind what is expected: an offset from the number before has 16 bits


class Nack(IntEnum):
    """Codes of refusals."""

    NO_PDC_AVAIL = 0x04
    NO_SES_MSG_AVAIL = 0x09
    PSN_OOR_WINDOW = 0x0B
    ROD_OOO = 0x0D
    INV_DPDCID = 0x0E
    PDC_HDR_MISMATCH = 0x0F
    PKT_NOT_RCVD = 0x12
    INVALID_SYN = 0x15
    PDC_MODE_MISMATCH = 0x16
    UNEXP_EVENT = 0x19


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


@dataclass
class Pdc:
    """A connection: who has opened it, and the only number that it accepts."""

    key: tuple[int, ...]
    index: int
    generation: int
    start: int
    expected: int
    told: bool = False


@dataclass
class Result:
    """Outcome of a packet, with its answer and connection."""

    outcome: Outcome
    answer: Values | None = None
    pdcid: int | None = None


@dataclass
class PdcModel:
    """The table."""

    size: int = 16
    window: int = 128
    pdcs: list[Pdc] = field(default_factory=list)
    used: dict[int, int] = field(default_factory=dict)

    def pdcid(self, pdc: Pdc) -> int:
        """The number by which a connection is named here."""
        return pdc.generation * self.size + pdc.index

    def packet(self, record: Values, *, room: bool = True) -> Result:
        """The next packet; `room` says whether a message may begin."""
        if record["verdict"] != 0:
            return Result(Outcome.NONE)
        kind = record["pds_kind"]
        nameless = record["pds_flags"] & SYN and record["pds_spdcid"] == 0
        if nameless or kind not in (*ROD, *RUD, CONTROL):
            return Result(Outcome.UNASKED)
        if kind != CONTROL and record["pds_flags"] & SYN:
            return self._syn(record, room=room)
        pdc = self._named(record)
        code = _unfit(record, pdc)
        if pdc is None or code is not None:
            return self._refuse(record, code or Nack.INV_DPDCID, pdc)
        if kind == CONTROL:
            return self._control(record, pdc)
        return self._numbered(record, pdc, room=room)

    def _syn(self, record: Values, *, room: bool) -> Result:
        pdc = next((one for one in self.pdcs if one.key == _key(record)), None)
        code = self._unfit_syn(record, pdc)
        if code is not None:
            return self._refuse(record, code, pdc)
        return self._numbered(record, pdc or self._open(record), room=room)

    def _unfit_syn(self, record: Values, pdc: Pdc | None) -> Nack | None:
        """NACK of a packet with SYN, for a new connection or one that there is; None if fit."""
        if record["pds_kind"] in RUD:
            return Nack.PDC_MODE_MISMATCH
        if record["pds_next"] not in (MEDIUM, STANDARD):
            return Nack.PDC_HDR_MISMATCH
        if pdc is not None:
            far = pdc.start != _start(record) or _distance(record, pdc) >= self.window
            return Nack.INVALID_SYN if far else None
        if not self._free():
            return Nack.NO_PDC_AVAIL
        return Nack.INVALID_SYN if _ahead(record) >= self.window else None

    def _free(self) -> list[int]:
        return [n for n in range(self.size) if all(one.index != n for one in self.pdcs)]

    def _open(self, record: Values) -> Pdc:
        index = self._free()[0]
        start = _start(record)
        pdc = Pdc(_key(record), index, self.used.get(index, 1), start, start)
        self.pdcs.append(pdc)
        return pdc

    def _named(self, record: Values) -> Pdc | None:
        if record["pds_flags"] & SYN:
            return next((one for one in self.pdcs if one.key == _key(record)), None)
        name = record["pds_dpdcid"]
        return next((one for one in self.pdcs if self.pdcid(one) == name), None)

    def _control(self, record: Values, pdc: Pdc) -> Result:
        kind = record["pds_next"]
        if kind == CLEAR:
            return Result(Outcome.CONTROL)
        if kind == PROBE:
            return Result(Outcome.CONTROL, self._ack(record, pdc, probe=True))
        if kind == ACK_REQ:
            return self._asked(record, pdc)
        if kind not in (NOOP, CLOSE):
            return self._refuse(record, Nack.UNEXP_EVENT, pdc)
        return self._numbered(record, pdc, room=True)

    def _asked(self, record: Values, pdc: Pdc) -> Result:
        """The answer to a number again."""
        ahead = _distance(record, pdc)
        if ahead >= 0:
            return self._refuse(record, Nack.PKT_NOT_RCVD, pdc)
        if ahead < FARTHEST:
            return Result(Outcome.DUPLICATE)
        return Result(Outcome.CONTROL, self._ack(record, pdc))

    def _numbered(self, record: Values, pdc: Pdc, *, room: bool) -> Result:
        """A packet with a number of its own: accepted in order, and only then."""
        if _distance(record, pdc) != 0:
            return self._out_of_order(record, pdc)
        begins = record["pds_kind"] != CONTROL and record["ses_flags"] & FIRST
        if begins and not room:
            return self._refuse(record, Nack.NO_SES_MSG_AVAIL, pdc)
        pdc.expected = (pdc.expected + 1) % NUMBERS
        pdc.told = False
        if record["pds_kind"] != CONTROL:
            return Result(Outcome.DELIVERED, pdcid=self.pdcid(pdc))
        answer = self._ack(record, pdc) if record["pds_flags"] & (AR | SYN) else None
        if record["pds_next"] == CLOSE:
            self.pdcs.remove(pdc)
            most = 0x10000 // self.size
            self.used[pdc.index] = pdc.generation % (most - 1) + 1
        return Result(Outcome.CONTROL, answer)

    def _out_of_order(self, record: Values, pdc: Pdc) -> Result:
        ahead = _distance(record, pdc)
        if ahead >= self.window:
            return self._refuse(record, Nack.PSN_OOR_WINDOW, pdc)
        if ahead < 0:
            if record["pds_flags"] & RETX and ahead >= FARTHEST:
                return Result(Outcome.REPEATED, self._ack(record, pdc))
            return Result(Outcome.DUPLICATE)
        if pdc.told:
            return Result(Outcome.GAP)
        pdc.told = True
        return self._refuse(record, Nack.ROD_OOO, pdc, pdc.expected)

    def _refuse(
        self, record: Values, code: Nack, pdc: Pdc | None = None, payload: int = 0
    ) -> Result:
        flags = (record["pds_flags"] & RETX) | _marked(record)
        # A connection that the packet does not belong to is not named.
        named = pdc is not None and code != Nack.PDC_HDR_MISMATCH
        return Result(
            Outcome.REFUSED,
            _back(record)
            | {
                "pds_kind": 10,
                "pds_next": 0,
                "pds_flags": flags,
                "pds_offset": code << 8,
                "pds_psn": record["pds_psn"],
                "pds_spdcid": self.pdcid(pdc) if pdc and named else 0,
                "pds_payload": payload,
            },
        )

    def _ack(self, record: Values, pdc: Pdc, *, probe: bool = False) -> Values:
        done = (pdc.expected - 1) % NUMBERS
        answer = _back(record) | {
            "pds_kind": 7,
            "pds_next": 0 if record["pds_kind"] == CONTROL else 4,
            "pds_flags": (record["pds_flags"] & RETX) | _marked(record) | (0x08 if probe else 0),
            "pds_offset": record["pds_offset"] if probe else (record["pds_psn"] - done) % 0x10000,
            "pds_psn": done,
            "pds_spdcid": self.pdcid(pdc),
        }
        if record["pds_kind"] != CONTROL:
            answer |= {
                "response_list": 0,
                "response_opcode": 0,
                "response_returnCode": 1,
                "response_messageId": record["ses_messageId"],
                "response_generation": record["ses_generation"],
                "response_job": record["ses_job"],
                "response_modifiedLength": record["ses_requestLength"],
            }
        return answer


def _key(record: Values) -> tuple[int, ...]:
    names = ("internet_ipv6", "internet_source", "internet_destination", "pds_spdcid")
    return tuple(record[name] for name in names)


def _ahead(record: Values) -> int:
    """psn_offset: how far a packet with SYN lies behind the connection's first number."""
    return record["pds_dpdcid"] & 0xFFF


def _start(record: Values) -> int:
    return (record["pds_psn"] - _ahead(record)) % NUMBERS


def _unfit(record: Values, pdc: Pdc | None) -> Nack | None:
    """NACK of a packet that names a connection, by all but its number; None if fit."""
    if pdc is None:
        return Nack.INV_DPDCID
    if pdc.key != _key(record):
        return Nack.PDC_HDR_MISMATCH
    if record["pds_kind"] in RUD:
        return Nack.PDC_MODE_MISMATCH
    request = record["pds_kind"] != CONTROL
    return Nack.UNEXP_EVENT if request and record["pds_next"] not in (MEDIUM, STANDARD) else None


def _distance(record: Values, pdc: Pdc) -> int:
    """Distance of a packet ahead of the one that is expected; behind it, if negative."""
    ahead = (record["pds_psn"] - pdc.expected) % NUMBERS
    return ahead - NUMBERS if ahead >= NUMBERS // 2 else ahead


def _marked(record: Values) -> int:
    """M, when the packet has been through congestion."""
    return 0x20 if record["internet_ecn"] == 3 else 0


def _back(record: Values) -> Values:
    around = {n: v for n, v in record.items() if n.startswith(("ethernet_", "internet_"))}
    return around | {"pds_dpdcid": record["pds_spdcid"]}
