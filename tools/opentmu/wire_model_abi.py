# SPDX-License-Identifier: Apache-2.0
"""The C structures and functions of wire_model.h, as ctypes; `opentmu.wire_model` is for users."""

import ctypes
import os
from ctypes import c_bool, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

COUNTERS = 12  # wire_counter_t
REASONS = 15  # uet_reason_t


class WireSettings(ctypes.Structure):
    """Settings that no packet carries: uet_settings_t."""

    _fields_: ClassVar[Any] = [
        ("udp_port", c_uint16),
        ("native", c_bool),
        ("native_protocol", c_uint8),
        ("crc", c_int),
        ("crc_big_endian", c_bool),
    ]


class Config(ctypes.Structure):
    """wire_config_t: what an implementation chooses."""

    _fields_: ClassVar[Any] = [
        ("wire", WireSettings),
        ("ipv4", c_uint32),
        ("ipv6_high", c_uint64),
        ("ipv6_low", c_uint64),
        *(
            (name, c_uint32)
            for name in ("payload_mtu", "length_most", "window", "pdcs", "responses")
        ),
        *((name, c_uint32) for name in ("ack_trigger", "ack_least", "endpoints")),
        *((name, c_uint64) for name in ("quarantine", "reopen", "idle")),
        ("dscp", c_uint8),
        *((name, c_bool) for name in ("ack_on_ecn", "no_match_first", "cack_runs_past")),
        *((name, c_bool) for name in ("all_duplicates", "undeliverable", "deferrable")),
    ]


class Endpoint(ctypes.Structure):
    """wire_endpoint_t."""

    _fields_: ClassVar[Any] = [
        ("job", c_uint32),
        ("pid", c_uint16),
        ("index", c_uint16),
        ("unexpected", c_uint64),
        *((name, c_bool) for name in ("pooled", "nack_shortage", "answer_at_match", "absolute")),
        ("no_generation", c_bool),
        ("too_long", c_int),
    ]


class Receive(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("endpoint", c_uint32),
        ("match", c_uint64),
        ("ignore", c_uint64),
        ("source", c_uint32),
        ("source_ignore", c_uint32),
        ("address", c_uint64),
        ("bytes", c_uint32),
        ("handle", c_uint64),
    ]


class Completion(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("handle", c_uint64),
        ("endpoint", c_uint32),
        ("source", c_uint32),
        ("match", c_uint64),
        ("length", c_uint32),
        ("written", c_uint32),
        ("has_header_data", c_bool),
        ("header_data", c_uint64),
        ("code", c_uint8),
    ]


class Effect(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("kind", c_int),
        ("endpoint", c_uint32),
        ("address", c_uint64),
        ("data", c_void_p),
        ("bytes", c_size_t),
        ("completion", Completion),
    ]


class Result(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("counter", c_int),
        ("reason", c_int),
        ("effects", c_size_t),
        ("effect", ctypes.POINTER(Effect)),
    ]


class Counts(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("frames", c_uint64),
        ("counted", c_uint64 * COUNTERS),
        ("reasons", c_uint64 * REASONS),
        ("messages", c_uint64),
    ]


@cache
def load(path: Path) -> ctypes.CDLL:
    """The library with its functions declared."""
    library = ctypes.CDLL(os.fspath(path))
    pointer = ctypes.POINTER
    result = pointer(Result)
    functions: dict[str, tuple[list[Any], Any]] = {
        "new": ([pointer(Config)], c_void_p),
        "free": ([c_void_p], None),
        "endpoint": ([c_void_p, pointer(Endpoint)], c_uint32),
        "pool": ([c_void_p, c_uint32, c_uint64, c_uint32], c_bool),
        "enable": ([c_void_p, c_uint32, c_bool], None),
        "frame": ([c_void_p, ctypes.c_char_p, c_size_t, c_uint16, result], c_bool),
        "post": ([c_void_p, pointer(Receive), result], c_bool),
        "advance": ([c_void_p, c_uint64, result], c_bool),
        "cancel": ([c_void_p, c_uint32, c_uint64], c_bool),
        "counts": ([c_void_p], pointer(Counts)),
    }
    for name, (arguments, returned) in functions.items():
        function = getattr(library, f"wire_model_{name}")
        function.argtypes, function.restype = arguments, returned
    library.wire_counter_name.argtypes, library.wire_counter_name.restype = [c_int], ctypes.c_char_p
    return library
