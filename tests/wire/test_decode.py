# SPDX-License-Identifier: Apache-2.0
"""tmu-decode: a classic capture in words and as JSON, and one that is cut."""

import json
import struct
import subprocess
from pathlib import Path

from opentmu.build import cbuild

ETHERNET = bytes.fromhex("020000000001020000000002810000070800")
IPV4 = bytes.fromhex("4500002400000000401166c70a0000010a000002")
UDP = struct.pack(">HHHH", 5, 9, 16, 0)
FRAME = ETHERNET + IPV4 + UDP + bytes(8)
WORDS = (
    "02:00:00:00:00:02 > 02:00:00:00:00:01, VLAN 7, IPv4 10.0.0.1 > 10.0.0.2, length 36, "
    "UDP 5 > 9, length 16"
)
EXAMPLES = Path(__file__).parent


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    program = cbuild.program(cbuild.ensure(), "tmu-decode")
    command = [program, *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)


def capture(path: Path, cut: int = 0) -> Path:
    head = struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)
    record = struct.pack("<IIII", 12, 34, len(FRAME), len(FRAME)) + FRAME
    data = head + record * 2
    path.write_bytes(data[: len(data) - cut])
    return path


def test_a_line_a_frame(tmp_path: Path) -> None:
    done = run(capture(tmp_path / "c"))
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f"1 12.000000034 if 0 {len(FRAME)} bytes: {WORDS}"
    assert len(done.stdout.splitlines()) == 2


def test_an_object_a_frame(tmp_path: Path) -> None:
    found = [
        json.loads(line) for line in run("--json", capture(tmp_path / "c")).stdout.split("\n")[:-1]
    ]
    assert [one["number"] for one in found] == [1, 2]
    assert found[1]["time_ns"] == 12_000_000_034
    assert found[1]["text"] == WORDS


def example(name: str) -> bytes:
    """The frame of an example packet."""
    text = (EXAMPLES / f"{name}.txt").read_text()
    return bytes.fromhex(text.partition("\nframe\n")[2].partition("fields\n")[0])


def frames(path: Path, *frames: bytes) -> Path:
    data = struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)
    for frame in frames:
        data += struct.pack("<IIII", 1, 2, len(frame), len(frame)) + frame
    path.write_bytes(data)
    return path


def test_a_packet_of_ultra_ethernet_by_its_fields(tmp_path: Path) -> None:
    """A tagged send; one with a wrong CRC (W6); and one that was sent without."""
    good = example("p01")
    broken = good[:-1] + bytes([good[-1] ^ 1])
    said = run(frames(tmp_path / "c", good, broken)).stdout.splitlines()
    assert "ROD_REQ" in said[0] and "psn=0x12000" in said[0] and "TAGGED_SEND" in said[0]
    assert "; dropped: " in said[1] and "crc" in said[1]
    bare = run("--no-crc", frames(tmp_path / "d", good)).stdout
    assert "12 bytes" in bare, "8 of the message and the CRC"


def test_a_cut_file_is_told_with_its_offset(tmp_path: Path) -> None:
    done = run(capture(tmp_path / "c", cut=1))
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 1
    expected = f"byte {24 + 32 + len(FRAME)}: found {len(FRAME) - 1} bytes to the end of the file"
    assert expected in done.stderr
