# SPDX-License-Identifier: Apache-2.0
"""The target of ROD connections in plain words: what each packet does, and what answers it.

Written from the tables of docs/card.md and not from the hardware, which is held against it.
"""

from dataclasses import dataclass, field

from opentmu.bench.handshake import Values
from opentmu.bench.pdc_packet import (
    ACK_REQ,
    AR,
    CLEAR,
    CLOSE,
    CONTROL,
    FARTHEST,
    FIRST,
    MEDIUM,
    NOOP,
    NUMBERS,
    PROBE,
    QUARANTINE_PERIODS,
    RETX,
    ROD,
    RUD,
    SHORTAGES,
    STANDARD,
    SYN,
    SYN_UNREADABLE,
    Nack,
    Outcome,
    back,
    key_of,
    marked,
    psn_offset,
    start_of,
)


@dataclass
class Pdc:
    """A connection: who has opened it, and the only number that it accepts."""

    key: tuple[int, ...]
    index: int
    generation: int
    start: int
    expected: int
    told: bool = False
    closed_at: int | None = None


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

    # Clocks, and connections that have ended, whose entries are in use until they are forgotten.
    now: int = 0
    period: int = 200
    closed: list[Pdc] = field(default_factory=list)

    # Room for a response, but of a connection that the packet has opened.
    response_room: bool = True
    opened: Pdc | None = None

    def pdcid(self, pdc: Pdc) -> int:
        """The number by which a connection is named here."""
        return pdc.generation * self.size + pdc.index

    def advance(self, now: int) -> None:
        """The clock in which the next packet is taken.

        Closed connections are forgotten behind the period in which they closed and three more.
        """
        self.now = now
        self.closed = [one for one in self.closed if self._periods(one) <= QUARANTINE_PERIODS]

    def _periods(self, pdc: Pdc) -> int:
        assert pdc.closed_at is not None
        return self.now // self.period - pdc.closed_at // self.period

    def packet(self, record: Values, *, room: bool = True) -> Result:
        """The next packet; `room` says whether a message may begin."""
        self.opened = None
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
        pdc = next((one for one in self.pdcs if one.key == key_of(record)), None)
        code = self._unfit_syn(record, pdc)
        if code not in SYN_UNREADABLE and self._belated(record):
            return Result(Outcome.DUPLICATE)
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
            far = pdc.start != start_of(record) or _distance(record, pdc) >= self.window
            return Nack.INVALID_SYN if far else None
        if not self._free():
            return Nack.NO_PDC_AVAIL
        return Nack.INVALID_SYN if psn_offset(record) >= self.window else None

    def _belated(self, record: Values) -> bool:
        """Of a connection that is closed, and not forgotten."""
        names = (key_of(record), start_of(record))
        return any((one.key, one.start) == names for one in self.closed)

    def _free(self) -> list[int]:
        used = {one.index for one in (*self.pdcs, *self.closed)}
        return [n for n in range(self.size) if n not in used]

    def _open(self, record: Values) -> Pdc:
        index = self._free()[0]
        start = start_of(record)
        pdc = Pdc(key_of(record), index, self.used.get(index, 1), start, start)
        self.pdcs.append(pdc)
        self.opened = pdc
        return pdc

    def _named(self, record: Values) -> Pdc | None:
        if record["pds_flags"] & SYN:
            return next((one for one in self.pdcs if one.key == key_of(record)), None)
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
        if record["pds_kind"] != CONTROL and not self.response_room and pdc is not self.opened:
            return self._refuse(record, Nack.NO_GTD_DEL_AVAIL, pdc)
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
            pdc.closed_at = self.now + 2  # decided in the next clock, and seen behind it
            self.closed.append(pdc)
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
        flags = (record["pds_flags"] & RETX) | marked(record)
        # A connection that the packet does not belong to is not named.
        named = pdc is not None and code != Nack.PDC_HDR_MISMATCH
        return Result(
            Outcome.NO_ROOM if code in SHORTAGES else Outcome.REFUSED,
            back(record)
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
        answer = back(record) | {
            "pds_kind": 7,
            "pds_next": 0 if record["pds_kind"] == CONTROL else 4,
            "pds_flags": (record["pds_flags"] & RETX) | marked(record) | (0x08 if probe else 0),
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


def _unfit(record: Values, pdc: Pdc | None) -> Nack | None:
    """NACK of a packet that names a connection, by all but its number; None if fit."""
    if pdc is None:
        return Nack.INV_DPDCID
    if pdc.key != key_of(record):
        return Nack.PDC_HDR_MISMATCH
    if record["pds_kind"] in RUD:
        return Nack.PDC_MODE_MISMATCH
    request = record["pds_kind"] != CONTROL
    return Nack.UNEXP_EVENT if request and record["pds_next"] not in (MEDIUM, STANDARD) else None


def _distance(record: Values, pdc: Pdc) -> int:
    """Distance of a packet ahead of the one that is expected; behind it, if negative."""
    ahead = (record["pds_psn"] - pdc.expected) % NUMBERS
    return ahead - NUMBERS if ahead >= NUMBERS // 2 else ahead
