# SPDX-License-Identifier: Apache-2.0
"""The C structures and functions of tmu_model.h, as ctypes; `opentmu.model` is for users."""

import ctypes
import os
from ctypes import c_bool, c_char_p, c_int, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import TypeVar

from opentmu import regs


class Config(ctypes.Structure):
    _fields_ = [
        ("endpoints", c_uint32),
        ("posted_capacity", c_uint64),
        ("unexpected_capacity", c_uint64),
        ("quota_posted", c_uint64),
        ("quota_unexpected", c_uint64),
    ]


_KINDS = {8: c_uint8, 16: c_uint16, 32: c_uint32, 64: c_uint64}


class Key(ctypes.Structure):
    _fields_ = [(name, _KINDS[bits]) for *names, bits, _ in regs.KEY for name in names]


# The values of fields beyond match bits and source come last in messages and verdicts.
OTHERS = tuple((value, _KINDS[bits]) for value, _, bits, _ in regs.KEY[2:])


class Receive(ctypes.Structure):
    _fields_ = [
        ("key", Key),
        ("endpoint", c_uint32),
        ("receive_id", c_uint32),
        ("handle", c_uint64),
        ("address", c_uint64),
        ("length", c_uint64),
    ]


class Message(ctypes.Structure):
    _fields_ = [
        ("match", c_uint64),
        ("source", c_uint32),
        ("endpoint", c_uint32),
        ("handle", c_uint64),
        ("place", c_uint64),
        ("length", c_uint64),
        *OTHERS,
    ]


class Search(ctypes.Structure):
    _fields_ = [("key", Key), ("endpoint", c_uint32), ("handle", c_uint64)]


class Entry(ctypes.Structure):
    _fields_ = [
        ("key", Key),
        ("endpoint", c_uint32),
        ("receive_id", c_uint32),
        ("handle", c_uint64),
        ("address", c_uint64),
        ("length", c_uint64),
        ("queue", c_int),
    ]


class Verdict(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("endpoint", c_uint32),
        ("serial", c_uint32),
        ("source", c_uint32),
        ("handle", c_uint64),
        ("other", c_uint64),
        ("match", c_uint64),
        ("message_length", c_uint64),
        ("receive_length", c_uint64),
        ("address", c_uint64),
        ("visited", c_uint64),
        ("removed_posted", c_uint64),
        ("removed_unexpected", c_uint64),
        ("truncated", c_bool),
        *OTHERS,
    ]


class Stats(ctypes.Structure):
    _fields_ = [
        (name, c_uint64)
        for name in (
            *("posts", "arrivals", "probes", "claims", "cancels", "flushes"),
            *("matched", "queued", "found", "none", "cancelled", "late", "truncated", "removed"),
            *("refused_quota", "refused_endpoint", "stalled", "visited"),
            *("posted_depth", "unexpected_depth", "posted_max", "unexpected_max"),
            *("endpoint_posted_max", "endpoint_unexpected_max"),
        )
    ]


Report = ctypes.CFUNCTYPE(None, c_void_p, ctypes.POINTER(Entry))

Structure = TypeVar("Structure", bound=ctypes.Structure)


def fill(structure: Structure, **values: int) -> Structure:
    """Set fields; refuses a number that does not fit, which ctypes would cut."""
    for name, value in values.items():
        setattr(structure, name, value)
        if getattr(structure, name) != value:
            raise ValueError(f"{name} {value} does not fit its field")
    return structure


def number(kind: type[c_uint32] | type[c_uint64], name: str, value: int) -> int:
    """The same care for a plain argument."""
    if kind(value).value != value:
        raise ValueError(f"{name} {value} does not fit its argument")
    return value


@cache
def load(path: Path) -> ctypes.CDLL:
    """The library with its functions declared."""
    library = ctypes.CDLL(os.fspath(path))
    pointer = ctypes.POINTER
    verdict = pointer(Verdict)
    arguments = {
        "create": [pointer(Config), pointer(c_void_p)],
        "set_quota": [c_void_p, c_uint32, c_uint64, c_uint64],
        "set_reserve": [c_void_p, c_uint32, c_uint64, c_uint64],
        "post": [c_void_p, pointer(Receive), verdict],
        "arrive": [c_void_p, pointer(Message), verdict],
        "probe": [c_void_p, pointer(Search), verdict],
        "claim": [c_void_p, pointer(Search), verdict],
        "cancel": [c_void_p, c_uint32, c_uint64, c_uint64, verdict],
        "cancel_id": [c_void_p, c_uint32, c_uint64, c_uint32, verdict],
        "flush": [c_void_p, pointer(Search), Report, c_void_p, verdict],
        "inspect": [c_void_p, c_uint32, c_int, c_uint64, pointer(Entry)],
        "depth": [c_void_p, c_uint32, c_int],
        "depth_max": [c_void_p, c_uint32, c_int],
        "reset": [c_void_p],
        "destroy": [c_void_p],
        "stats": [c_void_p, pointer(Stats)],
        "status_text": [c_int],
    }
    results = {
        "depth": c_uint64,
        "depth_max": c_uint64,
        "reset": None,
        "destroy": None,
        "stats": None,
        "status_text": c_char_p,
    }
    for name, types in arguments.items():
        function = getattr(library, f"tmu_model_{name}")
        function.argtypes = types
        function.restype = results.get(name, c_int)
    return library
