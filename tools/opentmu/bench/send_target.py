# SPDX-License-Identifier: Apache-2.0
"""The target's half of connections, for benches of the sending side: it takes packets in order,
remembers what it has answered until that is cleared, and refuses as the wire's rules say."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from opentmu.bench.handshake import Values

NUMBERS = 1 << 32
REQUEST, CONTROL, ACK, NACK = 3, 11, 7, 10
RETX, AR, SYN = 0x10, 0x08, 0x04
WANTS_CLEAR = 0x02
ACK_REQ, CLEAR, CLOSE = 1, 2, 4
RESPONSE_HEADER = 4
DEFAULT, RESPONSE, LATER = 0, 1, 3
OK, NO_MESSAGE, OUT_OF_WINDOW, OUT_OF_ORDER = 1, 9, 0xB, 0xD
NO_PDC, UNKNOWN_PDC, MISMATCH, NOT_RECEIVED, INVALID_SYN = 4, 0xE, 0xF, 0x12, 0x15
OVERFLOW = 1


def signed(value: int, bits: int) -> int:
    """The number that these bits are in two's complement."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def distance(a: int, b: int) -> int:
    """Sequence number a relative to b; negative when it is before."""
    return signed((a - b) % NUMBERS, 32)


@dataclass
class Said:
    """Answer of a message."""

    opcode: int = DEFAULT
    code: int = OK
    kind: int = 0
    generation: int = 0
    modified: int = 0


@dataclass
class Taken:
    """A message that the target has taken, or is taking."""

    serial: int
    bytes: int = 0
    done: bool = False
    said: Said = field(default_factory=Said)


@dataclass
class Pdc:
    """A connection; `stored` are responses that are not cleared, `said` all that it has given."""

    spdcid: int
    pdcid: int
    start: int
    expected: int
    clear: int
    gap_told: bool = False
    stored: dict[int, tuple[int, Said]] = field(default_factory=dict)
    said: dict[int, tuple[int, Said]] = field(default_factory=dict)
    open: Taken | None = None
    refused: Said | None = None

    @property
    def cack(self) -> int:
        """Everything up to it is taken and needs no clear."""
        held = [psn for psn in self.stored if distance(psn, self.clear) > 0]
        oldest = min(held, key=lambda psn: distance(psn, self.start), default=self.expected)
        return (oldest - 1) % NUMBERS


@dataclass
class Target:
    """A card that is sent to. `say` decides what a message is answered; `room` whether it fits."""

    address: int
    random: Random
    window: int
    say: Callable[[Values], Said]
    room: Callable[[], bool]
    pdcs: list[Pdc] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    silent: bool = False
    last: int = 0
    limit: int = 1 << 16
    owed: list[Values] = field(default_factory=list)
    closed: set[tuple[int, int]] = field(default_factory=set)
    forgotten: set[tuple[int, int]] = field(default_factory=set)

    def forget(self) -> None:
        """The target restarts: all connections and open messages are gone. Their copies open none:
        a restart takes longer than a packet is on its way."""
        self.forgotten |= {(pdc.spdcid, pdc.start) for pdc in self.pdcs}
        self.pdcs.clear()

    def _answer(self, order: Values, **values: int) -> Values:
        fields = {
            "ipv6": 0,
            "source": self.address,
            "pds_flags": 0,
            "pds_spdcid": 0,
            "pds_dpdcid": order["pds_spdcid"],
            "pds_payload": 0,
            "pds_next": 0,
        }
        return fields | values

    def _nack(self, order: Values, code: int, pdc: Pdc | None = None, payload: int = 0) -> Values:
        return self._answer(
            order,
            pds_kind=NACK,
            pds_offset=code << 8,
            pds_psn=order["pds_psn"],
            pds_spdcid=pdc.pdcid if pdc else 0,
            pds_payload=payload,
        )

    def _ack(self, order: Values, pdc: Pdc, psn: int, message: int | None, said: Said) -> Values:
        cack = pdc.cack
        fields = {
            "pds_kind": ACK,
            "pds_flags": WANTS_CLEAR if pdc.stored else 0,
            "pds_psn": cack,
            "pds_offset": (psn - cack) % (1 << 16),
            "pds_spdcid": pdc.pdcid,
        }
        if message is not None:
            fields |= {
                "pds_next": RESPONSE_HEADER,
                "response_opcode": said.opcode,
                "response_returnCode": said.code,
                "response_list": said.kind,
                "response_generation": said.generation,
                "response_modifiedLength": said.modified,
                "response_messageId": message,
            }
        return self._answer(order, **fields)

    def packet(self, order: Values) -> list[Values]:
        """Answers to a packet."""
        if self.silent:
            return []
        syn = bool(order["pds_flags"] & SYN)
        pdc, refusal = self._opened(order) if syn else self._named(order)
        if pdc is None:
            return [] if refusal is None else [self._nack(order, refusal)]
        control = order["pds_kind"] == CONTROL
        return self._control(order, pdc) if control else self._request(order, pdc)

    def _opened(self, order: Values) -> tuple[Pdc | None, int | None]:
        """The connection that a packet with SYN is of, or why there is none."""
        start = (order["pds_psn"] - (order["pds_dpdcid"] & 0xFFF)) % NUMBERS
        key = (order["pds_spdcid"], start)
        found = [pdc for pdc in self.pdcs if pdc.spdcid == key[0]]
        if found:
            return (found[0], None) if found[0].start == start else (None, INVALID_SYN)
        if key in self.forgotten | self.closed:
            return None, UNKNOWN_PDC if key in self.forgotten else None
        if order["pds_kind"] == CONTROL or len(self.pdcs) >= self.limit:
            return None, NO_PDC
        self.last += 1
        self.pdcs.append(Pdc(key[0], self.last, start, start, (start - 1) % NUMBERS))
        return self.pdcs[-1], None

    def _named(self, order: Values) -> tuple[Pdc | None, int | None]:
        """The connection that a packet without SYN names, or why there is none."""
        found = [pdc for pdc in self.pdcs if pdc.pdcid == order["pds_dpdcid"]]
        if not found:
            return None, UNKNOWN_PDC
        return (found[0], None) if found[0].spdcid == order["pds_spdcid"] else (None, MISMATCH)

    def _clear(self, pdc: Pdc, to: int) -> None:
        if distance(to, pdc.clear) > 0:
            pdc.clear = to
        for psn in [psn for psn in pdc.stored if distance(psn, pdc.clear) <= 0]:
            del pdc.stored[psn]

    def _again(self, order: Values, pdc: Pdc, psn: int) -> Values:
        message, said = pdc.said[psn]
        return self._ack(order, pdc, psn, message, said)

    def _control(self, order: Values, pdc: Pdc) -> list[Values]:
        psn = order["pds_psn"]
        if order["pds_next"] == CLEAR:
            self._clear(pdc, order["pds_payload"])
            return []
        if order["pds_next"] == ACK_REQ:
            if distance(psn, pdc.expected) >= 0:
                return [self._nack(order, NOT_RECEIVED, pdc)]
            return [self._again(order, pdc, psn)]
        assert order["pds_next"] == CLOSE
        if psn != pdc.expected:
            return [self._nack(order, OUT_OF_ORDER, pdc, pdc.expected)]
        assert pdc.open is None and pdc.refused is None
        pdc.expected = (psn + 1) % NUMBERS
        self._clear(pdc, psn)
        self.pdcs.remove(pdc)
        self.closed.add((pdc.spdcid, pdc.start))
        return [self._ack(order, pdc, psn, None, Said())]

    def _request(self, order: Values, pdc: Pdc) -> list[Values]:
        psn, flags = order["pds_psn"], order["pds_flags"]
        ahead = distance(psn, pdc.expected)
        if ahead >= self.window:
            return [self._nack(order, OUT_OF_WINDOW, pdc)]
        self._clear(pdc, (psn + signed(order["pds_offset"], 16)) % NUMBERS)
        if ahead < 0:
            return [self._again(order, pdc, psn)] if flags & RETX else []
        if ahead > 0:
            told, pdc.gap_told = pdc.gap_told, True
            return [] if told else [self._nack(order, OUT_OF_ORDER, pdc, pdc.expected)]
        if order["packet_first"] and not self.room():
            return [self._nack(order, NO_MESSAGE, pdc)]
        pdc.expected = (psn + 1) % NUMBERS
        pdc.gap_told = False
        return self._deliver(order, pdc)

    def _deliver(self, order: Values, pdc: Pdc) -> list[Values]:
        psn, last = order["pds_psn"], bool(order["packet_last"])
        if order["packet_first"]:
            assert pdc.open is None and pdc.refused is None
            said = self.say(order)
            if said.code == OK:
                pdc.open = Taken(order["serial"], said=said)
                self.taken.append(pdc.open)
            else:
                pdc.refused = said
        answer = Said(modified=order["length"])
        if pdc.refused:
            answer = pdc.refused
        else:
            assert pdc.open and pdc.open.serial == order["serial"]
            assert pdc.open.bytes == order["packet_offset"] and not order["packet_aborts"]
            pdc.open.bytes += order["packet_bytes"]
            if last:
                pdc.open.done = True
                answer = pdc.open.said
        pdc.said[psn] = (order["packet_id"], answer)
        if answer.opcode == RESPONSE:
            pdc.stored[psn] = (order["packet_id"], answer)
        if last:
            pdc.open = pdc.refused = None
        due = last or order["pds_flags"] & (AR | SYN) or answer.opcode != DEFAULT
        answers = [self._ack(order, pdc, psn, order["packet_id"], answer)] if due else []
        if answer.opcode == LATER:
            settled = Said(RESPONSE, OK, OVERFLOW, 0, answer.modified)
            self.owed.append(self._ack(order, pdc, psn, order["packet_id"], settled))
        return answers
