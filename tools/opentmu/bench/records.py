# SPDX-License-Identifier: Apache-2.0
"""Commands and completions: the bytes of the host interface, from the generated constants only."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from opentmu import regs
from opentmu.regs import COMMAND_FIELDS, COMPLETION_FIELDS, Opcode, Status

BYTES = regs.DOORBELL_COMMAND_BYTES
WORD_BYTES = 8
Layout = Mapping[str, tuple[int, int, int]]

# Fields that each opcode uses; every other one of a command has to be zero (R13).
VALUES = frozenset(value for value, *_ in regs.KEY)
KEY = VALUES | {mask for _, mask, *_ in regs.KEY}
USED: Mapping[int, frozenset[str]] = {
    Opcode.POST: KEY | {"handle", "address", "length", "receive_id"},
    Opcode.ARRIVE: VALUES | {"handle", "address", "length"},
    Opcode.PROBE: KEY | {"handle"},
    Opcode.CLAIM: KEY | {"handle"},
    Opcode.CANCEL: frozenset({"handle", "receive_id"}),
    Opcode.FLUSH: KEY | {"handle"},
    Opcode.INSPECT: frozenset({"handle", "address"}),
}


def values_of(key: regs.KeyFields) -> dict[str, int]:
    """The values of a key by name, without its masks."""
    return {value: getattr(key, value) for value, *_ in regs.KEY}


def pack(layout: Layout, values: Mapping[str, int]) -> bytes:
    """The record with these fields; refuses a value that does not fit."""
    words = [0] * (BYTES // WORD_BYTES)
    for name, value in values.items():
        word, low, width = layout[name]
        if not 0 <= value < 1 << width:
            raise ValueError(f"{name} {value:#x} does not fit {width} bits")
        words[word] |= value << low
    return b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)


def unpack(layout: Layout, data: bytes) -> dict[str, int]:
    """Every field of a record, overlays included."""
    if len(data) != BYTES:
        raise ValueError(f"a record has {BYTES} bytes, this one {len(data)}")
    result = {}
    for name, (word, low, width) in layout.items():
        value = int.from_bytes(data[word * WORD_BYTES : (word + 1) * WORD_BYTES], "little")
        result[name] = value >> low & (1 << width) - 1
    return result


def endpoint_of(preset: regs.Preset, page: int) -> int:
    """The endpoint that a page acts for in these benches: several pages share one."""
    return page % preset.endpoints


def pages_of(preset: regs.Preset, endpoint: int) -> tuple[int, ...]:
    """The pages that these benches open for an endpoint: its first, and its last if it has two."""
    last = preset.queues - preset.endpoints + endpoint
    return tuple(dict.fromkeys((endpoint, last)))


def position_word(queue: int, position: int) -> int:
    """The address field that makes an inspect mean this entry."""
    word = COMMAND_FIELDS["inspect_queue"][1]
    return queue << word | position


@dataclass(frozen=True)
class Operation(regs.KeyFields):
    """One command as it is submitted; `extra` sets reserved fields, for commands that are wrong."""

    opcode: int
    page: int
    endpoint: int = 0
    handle: int = 0
    address: int = 0
    length: int = 0
    receive_id: int = 0
    extra: Mapping[str, int] = field(default_factory=dict)

    def values(self) -> dict[str, int]:
        """The command's fields by name."""
        named = {name: getattr(self, name) for name in COMMAND_FIELDS if hasattr(self, name)}
        return {**named, **self.extra}

    def record(self) -> bytes:
        """The command's bytes."""
        return pack(COMMAND_FIELDS, self.values())

    def target(self, preset: regs.Preset) -> int:
        """The endpoint that the command means: the page's, or the named one on the privileged."""
        return self.endpoint if self.page == preset.queues else endpoint_of(preset, self.page)

    def is_malformed(self, preset: regs.Preset) -> bool:
        """Unknown opcode, a field that must be zero is not, or a value that fits no field (R13)."""
        if self.opcode not in USED:
            return True
        allowed = USED[self.opcode] | {"opcode", "endpoint"}
        surplus = any(value for name, value in self.values().items() if name not in allowed)
        none = (1 << preset.id_bits) - 1
        bad_id = self.opcode == Opcode.POST and self.receive_id >= none
        _, low, width = COMMAND_FIELDS["inspect_queue"]
        bad_position = self.opcode == Opcode.INSPECT and self.address >> (low + width) != 0
        return surplus or bad_id or bad_position

    def refusal(self, preset: regs.Preset) -> Status | None:
        """R13: what is refused before any queue is looked at, the worst reason first."""
        if self.is_malformed(preset):
            return Status.MALFORMED
        if self.opcode == Opcode.INSPECT and self.page != preset.queues:
            return Status.REFUSED_PRIVILEGE
        return Status.REFUSED_ENDPOINT if self.target(preset) >= preset.endpoints else None

    @property
    def inspected(self) -> tuple[bool, int]:
        """Of an inspect: whether it looks at messages, and at which position."""
        _, low, _ = COMMAND_FIELDS["inspect_queue"]
        return bool(self.address >> low & 1), self.address & (1 << low) - 1

    def is_beyond(self, preset: regs.Preset) -> bool:
        """An inspect of a position that its table does not have."""
        of_messages, position = self.inspected
        positions = preset.unexpected_positions if of_messages else preset.posted_positions
        return self.opcode == Opcode.INSPECT and position >= positions


@dataclass(frozen=True)
class Answer(regs.KeyFields):
    """One completion or verdict; a field that the status does not name is 0."""

    opcode: int
    status: int
    handle: int
    endpoint: int
    serial: int = 0
    other: int = 0
    message_length: int = 0
    receive_length: int = 0
    address: int = 0
    truncated: int = 0
    unexpected: int = 0

    @classmethod
    def of_completion(cls, data: bytes) -> "Answer":
        """The answer in a completion's bytes."""
        values = unpack(COMPLETION_FIELDS, data)
        result = {one.name: values[one.name] for one in fields(cls) if one.name in values}
        if values["status"] == Status.ENTRY:
            result |= {mask: values[f"entry_{mask}"] for _, mask, *_ in regs.KEY}
            result["serial"] = result["receive_length"] = 0
        return cls(**result)

    def differences(self, other: "Answer") -> list[str]:
        """Differences of the other one, as text; self is what was expected."""
        return [
            f"{name}: expected {mine:#x}, found {theirs:#x}"
            for name, mine, theirs in (
                (one.name, getattr(self, one.name), getattr(other, one.name))
                for one in fields(self)
            )
            if mine != theirs
        ]


def status_name(number: int) -> str:
    """A status for people."""
    return Status(number).name.lower() if number in list(Status) else f"status {number}"


def opcode_name(number: int) -> str:
    """An opcode for people."""
    return Opcode(number).name.lower() if number in list(Opcode) else f"opcode {number}"
