# SPDX-License-Identifier: Apache-2.0
"""The reference model of the wire (W1 to W6) for Python: sim/wire/law/wire_model.h."""

import ctypes
from dataclasses import dataclass
from enum import IntEnum
from types import TracebackType
from typing import Any, Self

from opentmu import model_abi, paths
from opentmu import wire_model_abi as abi
from opentmu.build import cbuild
from opentmu.errors import CheckFailed

NEVER = 2**64 - 1


class Counter(IntEnum):
    """Counters of frames, each frame in one (W6)."""

    REFUSED_FRAME = 0
    FOREIGN = 1
    ANSWER = 2
    TAKEN = 3
    CONTROL = 4
    REPEATED = 5
    DUPLICATE = 6
    GAP = 7
    BEYOND = 8
    MISMATCH = 9
    NO_ROOM = 10
    UNSUPPORTED = 11


class TooLong(IntEnum):
    """Treatment of a message that is longer than its receive."""

    TRUNCATE = 0
    TOO_LONG = 1
    UNSUPPORTED_SIZE = 2


class Kind(IntEnum):
    """Effects of a call."""

    WRITE = 0  # inside a receive
    PARK = 1  # inside a buffer of the pool
    FREE = 2  # of a buffer of the pool
    SEND = 3
    COMPLETION = 4


@dataclass(frozen=True)
class Completion:
    """A receive that has ended; `code` is a return code of the wire, 1 when all is well."""

    handle: int
    endpoint: int
    source: int
    match: int
    length: int
    written: int
    has_header_data: bool
    header_data: int
    code: int


@dataclass(frozen=True)
class Effect:
    """A write, a frame without padding, a freed buffer or a completion."""

    kind: Kind
    endpoint: int
    address: int
    data: bytes
    completion: Completion | None


@dataclass(frozen=True)
class Result:
    """Effects of a frame, and its counter; `reason` of a frame that is dropped."""

    counter: Counter
    reason: int
    effects: list[Effect]  # in their order


def _effect(raw: abi.Effect) -> Effect:
    data = ctypes.string_at(raw.data, raw.bytes) if raw.bytes else b""
    completion = None
    if raw.kind == Kind.COMPLETION:
        names = [name for name, *_ in abi.Completion._fields_]
        completion = Completion(**{name: getattr(raw.completion, name) for name in names})
    return Effect(Kind(raw.kind), raw.endpoint, raw.address, data, completion)


class WireModel:
    """A target of the wire; times are nanoseconds, lengths bytes.

    Fields of wire_config_t are keywords; those that are left out are as in WIRE_CONFIG_DEFAULT.
    """

    def __init__(self, *, wire: abi.WireSettings | None = None, **values: int) -> None:
        self._library = abi.load(cbuild.library(paths.C_BUILD, "tmu_wire_model"))
        for counter in Counter:
            text = counter.name.lower().replace("_", " ").encode()
            if not self._library.wire_counter_name(counter).startswith(text):
                raise CheckFailed(f"libtmu_wire_model numbers {counter.name} otherwise")
        config = abi.Config(wire=wire or abi.WireSettings(4793, False, 253, 1, False))
        usual = {"payload_mtu": 4096, "window": 128, "pdcs": 64, "responses": 64, "endpoints": 16}
        usual |= {"ack_trigger": 16384, "ack_least": 1024, "dscp": 46}
        usual |= {"quarantine": 2_000_000_000, "reopen": 10_000_000, "idle": 5_000_000_000}
        self._model = self._library.wire_model_new(
            ctypes.byref(model_abi.fill(config, **usual | values))
        )
        if self._model is None:
            raise ValueError(f"the model of the wire refuses the configuration {values}")

    def close(self) -> None:
        """Free the model, which may not be used afterwards."""
        self._library.wire_model_free(self._model)
        self._model = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def endpoint(self, **values: int) -> int:
        """Add an endpoint, fields of wire_endpoint_t as keywords; its number."""
        number = int(
            self._library.wire_model_endpoint(
                self._model, ctypes.byref(model_abi.fill(abi.Endpoint(), **values))
            )
        )
        if number == 2**32 - 1:
            raise ValueError("the model of the wire has no endpoint left")
        return number

    def pool(self, endpoint: int, address: int, count: int) -> None:
        """Register a buffer for unexpected payload, `count` bytes for one message."""
        self._check(self._library.wire_model_pool(self._model, endpoint, address, count))

    def enable(self, endpoint: int, *, on: bool) -> None:
        """Enable an endpoint, with its next generation, or disable it."""
        self._library.wire_model_enable(self._model, endpoint, on)

    def frame(self, data: bytes, pdcid: int = 0) -> Result:
        """A frame arrives; a connection that it opens has the number `pdcid`, 0: any."""
        return self._ask(self._library.wire_model_frame, data, len(data), pdcid)

    def post(self, **values: int) -> list[Effect]:
        """A receive, fields of wire_receive_t as keywords."""
        receive = model_abi.fill(abi.Receive(), **values)
        return self._ask(self._library.wire_model_post, ctypes.byref(receive)).effects

    def advance(self, now: int) -> list[Effect]:
        """The time is `now`."""
        return self._ask(self._library.wire_model_advance, now).effects

    def cancel(self, endpoint: int, handle: int) -> bool:
        """Whether the receive was queued, and is removed (R10)."""
        return bool(self._library.wire_model_cancel(self._model, endpoint, handle))

    def counts(self) -> dict[str, int]:
        """Frames, messages that entered matching, and each counter by its name."""
        raw = self._library.wire_model_counts(self._model).contents
        each = {counter.name.lower(): raw.counted[counter] for counter in Counter}
        return {"frames": raw.frames, "messages": raw.messages, **each}

    def _ask(self, function: Any, *arguments: object) -> Result:
        raw = abi.Result()
        self._check(function(self._model, *arguments, ctypes.byref(raw)))
        effects = [_effect(raw.effect[i]) for i in range(raw.effects)]
        return Result(Counter(raw.counter), raw.reason, effects)

    @staticmethod
    def _check(done: bool) -> None:
        if not done:
            raise ValueError("the model of the wire has no memory left, or no such endpoint")
