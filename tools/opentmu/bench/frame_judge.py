# SPDX-License-Identifier: Apache-2.0
"""Verdicts of the codec in `sim/wire` about frames, in the words of the card's records."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from opentmu.bench.frames import Settings
from opentmu.bench.handshake import Values
from opentmu.build import cbuild

PROGRAM = "tmu-uet-fields"
ACCEPTED, BAD_FRAME = 0, 1
# The reasons of uet_error.h follow behind the one that no codec knows.
REASONS_FROM = 1
LEAST = 60  # bytes of a frame on Ethernet, without its check sequence


@dataclass(frozen=True)
class Judged:
    """A verdict (`Verdict` in hw/src/tmu/card/wire/Codes.scala) and, of an accepted frame, all
    that the codec has found, the fields of its record that the packet has, and its payload."""

    verdict: int
    found: Values
    fields: Values
    payload: bytes


@cache
def _program() -> Path:
    """Built once a process: a bench asks often."""
    return cbuild.program(cbuild.ensure(), PROGRAM)


def judge(frames: Sequence[bytes], settings: Settings) -> list[Judged]:
    """Ask the codec about each frame."""
    words = [str(settings.crc), str(int(settings.big_endian)), str(settings.port)]
    if settings.native is not None:
        words.append(str(settings.native))
    done = subprocess.run(
        [_program(), *words],
        input="".join(f"{frame.hex()}\n" for frame in frames),
        check=True,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(frames), f"{len(lines)} answers to {len(frames)} frames"
    return [_judged(frame, line) for frame, line in zip(frames, lines, strict=True)]


def _judged(frame: bytes, line: str) -> Judged:
    what, *words = line.split()
    if what == "drop":
        return Judged(REASONS_FROM + int(words[0]), {}, {}, b"")
    found = {name: int(value) for name, _, value in (word.partition("=") for word in words)}
    at = found["payload_at"]
    payload = frame[at : at + found["payload"]]
    return Judged(ACCEPTED, found, record_fields(found), payload)


def record_fields(found: Values) -> Values:
    """Fields of the codec under the names of `PacketRecord`, as signals have them."""
    fields = _envelope(found)
    fields |= _delivery({n.removeprefix("pds."): v for n, v in found.items() if "pds." in n})
    fields |= _semantic({n.removeprefix("ses."): v for n, v in found.items() if "ses." in n})
    return fields | {"payloadBytes": found["payload"]}


def _envelope(found: Values) -> Values:
    fields = {
        "ethernet_destinationMac": found["destination_mac"],
        "ethernet_sourceMac": found["source_mac"],
        "ethernet_tags": found["tags"],
        "internet_ipv6": found["ipv6"],
        "internet_native": found["native"],
        "internet_dscp": found["dscp"],
        "internet_ecn": found["ecn"],
        "internet_sourcePort": found["source_port"],
    }
    for tag in range(found["tags"]):
        fields[f"ethernet_tag_{tag}"] = found[f"tag_type[{tag}]"] << 16 | found[f"tag[{tag}]"]
    for name in ("source", "destination"):
        fields[f"internet_{name}"] = found.get(f"{name}_high", 0) << 64 | found[f"{name}_low"]
    return fields


# Members of uet_pds_t in one field of the record: each with its bits, the highest first.
SHARED = {
    "pds_kind": ((("type", 5),),),
    "pds_next": ((("next_hdr", 4),),),
    "pds_flags": ((("flags", 7),),),
    "pds_offset": (
        (("clear_psn_offset", 16),),
        (("ack_psn_offset", 16),),
        (("probe_opaque", 16),),
        (("nack_code", 8), ("vendor_code", 8)),
    ),
    "pds_psn": ((("psn", 32),), (("cack_psn", 32),), (("nack_psn", 32),)),
    "pds_spdcid": ((("spdcid", 16),),),
    "pds_dpdcid": ((("dpdcid", 16),), (("pdc_info", 4), ("psn_offset", 12))),
    "pds_payload": (
        (("payload", 32),),
        (("ccc_id", 8), ("credit_target", 24)),
        (("cc_type", 4), ("cc_flags", 4), ("mpr", 8), ("sack_psn_offset", 16)),
    ),
}


def _delivery(found: Values) -> Values:
    fields = {}
    for name, forms in SHARED.items():
        for form in forms:
            if all(member in found for member, _ in form):
                value = 0
                for member, bits in form:
                    value = value << bits | found[member]
                fields[name] = value
    return fields


SEMANTIC = {
    "list": "list",
    "opcode": "opcode",
    "version": "version",
    "flags": "flags",
    "return_code": "flags",
    "message_id": "messageId",
    "ri_generation": "generation",
    "job_id": "job",
    "pid_on_fep": "pid",
    "resource_index": "index",
    "buffer_offset": "bufferOffset",
    "initiator": "initiator",
    "match_bits": "matchBits",
    "memory_key": "matchBits",
    "header_data": "headerData",
    "request_length": "requestLength",
    "modified_length": "modifiedLength",
}
FURTHER = {"payload_length": "payloadLength", "message_offset": "messageOffset"}
RENDEZVOUS = {
    "eager_length": "eagerLength",
    "read_ri_generation": "generation",
    "read_pid_on_fep": "pid",
    "read_resource_index": "index",
    "read_offset": "offset",
    "read_memory_key": "key",
}


def _semantic(found: Values) -> Values:
    kind = found["kind"]
    names = SEMANTIC | (FURTHER if kind <= 3 else {})
    fields = {"ses_next": kind}
    fields |= {f"ses_{names[name]}": value for name, value in found.items() if name in names}
    tokens = found.get("initiator_token", 0) << 32 | found.get("target_token", 0)
    if "initiator_token" in found:
        fields["ses_matchBits" if found["opcode"] == 0xC else "ses_bufferOffset"] = tokens
    if kind in (1, 2):
        fields["ses_messageId"] = 0
    for name, field in RENDEZVOUS.items():
        fields[f"rendezvous_{field}"] = found.get(name, 0)
    return fields


def require_no_byte_more(frame: bytes, judged: Judged) -> None:
    """A frame ends where its headers say, or is padded with zeros to the least size."""
    inner = judged.found.get("total_length", 0)
    inner = inner or 40 + judged.found["payload_length"]
    length = 14 + 4 * judged.found["tags"] + inner
    assert len(frame) == max(LEAST, length) and not any(frame[length:])
