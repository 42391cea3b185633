# SPDX-License-Identifier: Apache-2.0
"""docs/one-message.md: its frames are frames, and its words are those of the decoder."""

import re
import struct
import subprocess
from pathlib import Path

from opentmu import paths
from opentmu.build import cbuild

PAGE = paths.ROOT / "docs" / "one-message.md"
BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^([0-9a-f]{4})  ((?:[0-9a-f]{2} {1,2})*[0-9a-f]{2})(?:  |$)", re.MULTILINE)
ETHERNET = 1


def frame(block: str) -> bytes:
    """The bytes of a block, each line at the offset that it says."""
    found = b""
    for offset, digits in LINE.findall(block):
        assert int(offset, 16) == len(found)
        found += bytes.fromhex(digits)
    return found


def decoded(frames: list[bytes], folder: Path) -> list[str]:
    """The decoder's line for each frame, from the sender's address on."""
    capture = folder / "page.pcap"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, ETHERNET)
    records = [struct.pack("<IIII", 0, 0, len(one), len(one)) + one for one in frames]
    capture.write_bytes(head + b"".join(records))
    program = cbuild.program(cbuild.ensure(), "tmu-decode")
    done = subprocess.run([program, capture], capture_output=True, text=True, check=True)
    return [line.partition(" bytes: ")[2] for line in done.stdout.splitlines()]


def test_the_page_shows_what_the_decoder_says(tmp_path: Path) -> None:
    """Three frames with right checksums, W3 and W4 beside them."""
    _, *blocks = BLOCK.findall(PAGE.read_text())
    frames, words = [frame(block) for block in blocks[::2]], blocks[1::2]
    assert [len(one) for one in frames] == [103, 58, 70]
    assert decoded(frames, tmp_path) == [line.strip() for line in words]
    spoiled = [frames[0][:-1] + b"\0"]
    assert "crc" in decoded(spoiled, tmp_path)[0]
