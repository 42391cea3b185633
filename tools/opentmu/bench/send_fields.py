# SPDX-License-Identifier: Apache-2.0
"""Bytes of a send, as fields of its command."""

import struct
from collections.abc import Callable
from random import Random

from opentmu.bench.handshake import Values

INLINE_BYTES, LIST_BYTES = 24, 64
# Address, bytes and memory of a piece.
LIST_ENTRY = struct.Struct("<QIHxx")


def inline(payload: bytes) -> Values:
    """Bytes at hand."""
    words = payload.ljust(INLINE_BYTES, b"\0")
    return {f"inline{i}": int.from_bytes(words[8 * i : 8 * i + 8], "little") for i in range(3)}


def pieces(
    payload: bytes, count: int, memory: int, lay: Callable[[bytes, int], int], random: Random
) -> Values:
    """Bytes in so many pieces; `lay` puts some at a multiple of a number, and says where."""
    if count == 1:
        return {"pieces": 1, "memory": memory, "address": lay(payload, 1)}
    cuts = sorted(random.randrange(len(payload) + 1) for _ in range(count - 1))
    data = b""
    for low, high in zip([0, *cuts], [*cuts, len(payload)], strict=True):
        data += LIST_ENTRY.pack(lay(payload[low:high], 1), high - low, memory)
    address = lay(data.ljust(LIST_BYTES, b"\0"), LIST_BYTES)
    return {"pieces": count, "memory": memory, "address": address}
