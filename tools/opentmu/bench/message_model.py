# SPDX-License-Identifier: Apache-2.0
"""The stage of messages in plain words: what each packet of a connection does.

Written from the tables of docs/card.md and not from the hardware, which is held against it.
"""

from dataclasses import dataclass, field

from opentmu.bench.handshake import Values

NO_OP, TAGGED, DEFERRABLE, ERROR = 0x00, 0x09, 0x0B, 0x0F
MEDIUM, STANDARD = 2, 3
FIRST, LAST, HAS_DATA, RELATIVE, IE = 1, 2, 4, 8, 0x10
SYN, AR, RETX = 0x04, 0x08, 0x10
EXPECTED, UNEXPECTED, STALLED, LOST = range(4)
OK, BAD_GENERATION, DISABLED, DISABLED_GEN = 0x01, 0x02, 0x03, 0x04
UNSUPPORTED, SIZE, VIOLATION = 0x06, 0x07, 0x18
BAD_INDEX, BAD_PID, BAD_JOB, BAD_ADDR, UNCOR, INITIATOR = 0x19, 0x1A, 0x1B, 0x1D, 0x20, 0x23

COPIED = ("ethernet_sourceMac", "internet_source", "internet_sourcePort", "internet_dscp")


@dataclass
class Tables:
    """Tables as the driver has set them."""

    jobs: set[int] = field(default_factory=set)
    processes: set[tuple[int, ...]] = field(default_factory=set)
    endpoints: dict[tuple[int, ...], Values] = field(default_factory=dict)

    def lookup(self, p: Values) -> tuple[int, Values]:
        """The answer to an unknown name, or OK and the endpoint."""
        relative = int(bool(p["ses_flags"] & RELATIVE))
        job = p["ses_job"] if relative else 0
        process = (relative, job, p["ses_pid"])
        entry = self.endpoints.get((*process, p["ses_index"]))
        if entry:  # its name implies the others
            return OK, entry
        if relative and job not in self.jobs:
            return BAD_JOB, {}
        return BAD_INDEX if process in self.processes else BAD_PID, {}


@dataclass(eq=False)
class Message:
    """One that was taken; what the unit says of it comes later."""

    arrival: Values
    length: int
    next: int = 0
    number: int | None = None
    said: tuple[int, int] | None = None
    ended: bool = False


@dataclass
class Context:
    """State for later packets of a message: the message, or the answer that all of them get."""

    message: Message | None
    code: int
    generation: int


@dataclass
class Answer:
    """Answer to a packet; `asks`: the message whose verdict by the unit decides it."""

    packet: Values
    code: int
    generation: int
    asks: Message | None = None

    def fields(self) -> Values:
        """Fields of the answer."""
        packet = self.packet
        fields = {name: packet[name] for name in COPIED} | self.response()
        return fields | {
            "pds_kind": 7,
            "pds_next": 4,
            "pds_offset": 0,
            "pds_psn": packet["pds_psn"],
            "pds_spdcid": packet["pdc"],
            "pds_dpdcid": packet["pds_spdcid"],
            "response_messageId": packet["ses_messageId"],
            "response_job": packet["ses_job"],
        }

    def response(self) -> Values:
        """The fields that depend on more than the packet."""
        code, listed, modified = self.code, 0, 0
        length = self.packet["ses_requestLength"]
        good = code == OK and self.asks is None
        if self.asks is not None:
            assert self.asks.said is not None
            kind, room = self.asks.said
            good = kind == EXPECTED and room >= length
            code = {STALLED: DISABLED_GEN, LOST: UNCOR}.get(kind, OK)
            listed = int(kind == UNEXPECTED)
            modified = {EXPECTED: min(room, length), UNEXPECTED: length}.get(kind, 0)
        modified = length if good else modified
        flags = self.packet["pds_flags"] & RETX
        flags |= 0x20 if self.packet["internet_ecn"] == 3 else 0
        return {
            "pds_flags": flags | (0 if good else 2),
            "response_opcode": int(not good),
            "response_list": listed,
            "response_returnCode": code,
            "response_modifiedLength": modified,
            "response_generation": self.generation,
        }


@dataclass
class Result:
    """Effects of a packet; an order names its message until that has a number."""

    orders: list[tuple[Values, Message | None]] = field(default_factory=list)
    arrival: Message | None = None
    answer: Answer | None = None


@dataclass
class MessageModel:
    """All messages of all connections."""

    mtu: int
    limit: int
    tables: Tables = field(default_factory=Tables)
    contexts: dict[tuple[int, int], Context] = field(default_factory=dict)

    def form(self, p: Values) -> int:
        """Code of the answer by the headers alone."""
        first, last = p["ses_flags"] & FIRST, p["ses_flags"] & LAST
        size, length, medium = p["payloadBytes"], p["ses_requestLength"], p["ses_next"] == MEDIUM
        tagged = p["ses_opcode"] in (TAGGED, DEFERRABLE)
        if p["ses_opcode"] == ERROR and (medium or first):
            return INITIATOR
        if not tagged and p["ses_opcode"] != ERROR:
            return UNSUPPORTED
        if medium and (not (first and last) or length != size):
            return VIOLATION
        if not first:
            return VIOLATION if tagged and p["ses_payloadLength"] != size else OK
        if size != min(length, self.mtu):
            return VIOLATION
        return SIZE if length > self.limit else OK

    def endpoint(self, p: Values) -> tuple[int, Values]:
        """Whether the endpoint of a message that begins takes it."""
        code, entry = self.tables.lookup(p)
        if code != OK:
            return code, entry
        if not entry["enabled"]:
            return (DISABLED_GEN if entry["usesGeneration"] else DISABLED), entry
        if p["ses_generation"] != (entry["generation"] if entry["usesGeneration"] else 0):
            return BAD_GENERATION, entry
        if p["ses_flags"] & IE:
            return INITIATOR, entry
        short = p["ses_flags"] & LAST and p["ses_requestLength"] != p["payloadBytes"]
        return (VIOLATION if short else OK), entry

    def packet(self, p: Values) -> Result:
        """The next packet."""
        if not p["deliver"]:
            result = self._close(p["pdc"]) if p["closes"] else Result()
            result.orders.append(({"beats": p["beats"], "belongs": 0}, None))
            return result
        result = Result([({"beats": p["beats"], "belongs": 0}, None)])
        code = UNCOR if p["ses_version"] else OK
        key = (p["pdc"], p["ses_messageId"])
        live = self.contexts.get(key) if p["ses_next"] == STANDARD else None
        if code == OK and p["ses_opcode"] == NO_OP:
            result.answer = Answer(p, OK, p["ses_generation"])
            return result
        code = code if code != OK else self.form(p)
        if p["ses_flags"] & FIRST:
            self._begin(p, code, key, result, known=live is not None)
        elif live:
            self._go_on(p, code, key, live, result)
        else:
            stray = INITIATOR if p["ses_opcode"] == ERROR else VIOLATION
            result.answer = Answer(p, code if code != OK else stray, p["ses_generation"])
        return result

    def _begin(
        self, p: Values, code: int, key: tuple[int, int], result: Result, *, known: bool
    ) -> None:
        entry: Values = {}
        if code == OK:
            code, entry = self.endpoint(p)
        generation = p["ses_generation"]
        if code == BAD_GENERATION:
            generation = entry["generation"]
        if known:  # the message that is open goes on
            result.answer = Answer(p, code if code != OK else VIOLATION, generation)
            return
        message = None
        if code == OK:
            arrival = {"endpoint": entry["endpoint"]}
            arrival |= {"matchBits": p["ses_matchBits"], "initiator": p["ses_initiator"]}
            arrival["length"] = p["ses_requestLength"]
            arrival["headerData"] = p["ses_headerData"] if p["ses_flags"] & HAS_DATA else 0
            message = result.arrival = Message(arrival, p["ses_requestLength"])
            self._take(p, message, result)
        else:
            result.answer = Answer(p, code, generation)
        if not _closes(p):
            self.contexts[key] = Context(message, code, generation)

    def _take(self, p: Values, message: Message, result: Result) -> None:
        """The payload of a packet is used; its last packet ends a message."""
        last = bool(p["ses_flags"] & LAST)
        order = {"beats": p["beats"], "belongs": 1, "offset": message.next, "aborted": 0}
        order |= {"bytes": p["payloadBytes"], "length": message.length, "last": int(last)}
        result.orders = [(order, message)]
        message.next += p["payloadBytes"]
        message.ended = last
        if last or p["pds_flags"] & (SYN | AR):
            result.answer = Answer(p, OK, p["ses_generation"], message if last else None)

    def _go_on(
        self, p: Values, code: int, key: tuple[int, int], live: Context, result: Result
    ) -> None:
        message = live.message
        if message is None:
            result.answer = Answer(p, live.code, live.generation)
        else:
            code = code if code != OK else _rest(p, message)
            if code == OK:
                self._take(p, message, result)
            else:
                result.orders = [(_break(message) | {"beats": p["beats"]}, message)]
                result.answer = Answer(p, code, p["ses_generation"])
                live.message, live.code, live.generation = None, code, p["ses_generation"]
        if _closes(p):
            del self.contexts[key]

    def idle(self, key: tuple[int, int]) -> Result:
        """W7: a message of which nothing has come for too long is ended."""
        message = self.contexts.pop(key).message
        return Result([(_break(message) | {"beats": 0}, message)] if message else [])

    def _close(self, pdc: int) -> Result:
        """W7: messages of a connection that ends are ended."""
        result = Result()
        for key in [key for key in self.contexts if key[0] == pdc]:
            message = self.contexts.pop(key).message
            if message:
                result.orders.append((_break(message) | {"beats": 0}, message))
        return result


def _closes(p: Values) -> bool:
    """No packet of its message follows: MSG_ERROR ends it, and a medium header has all of it."""
    return bool(p["ses_flags"] & LAST) or p["ses_opcode"] == ERROR or p["ses_next"] == MEDIUM


def _rest(p: Values, message: Message) -> int:
    """Whether a packet goes on where its message has been left."""
    end = p["ses_messageOffset"] + p["payloadBytes"]
    if p["ses_opcode"] == ERROR or p["ses_flags"] & IE:
        return INITIATOR
    if p["ses_requestLength"] != message.length:
        return VIOLATION
    if end > message.length:
        return BAD_ADDR
    ends = bool(p["ses_flags"] & LAST) == (end == message.length)
    return OK if p["ses_messageOffset"] == message.next and ends else VIOLATION


def _break(message: Message) -> Values:
    """The order that ends a message before its time."""
    message.ended = True
    return {"belongs": 1, "bytes": 0, "length": message.length, "last": 1, "aborted": 1}
