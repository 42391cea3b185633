# SPDX-License-Identifier: Apache-2.0
"""An archive that the kernel unpacks as its first file system: cpio's format "newc", compressed."""

import gzip
import stat
from collections.abc import Mapping
from pathlib import Path

MAGIC = b"070701"
TRAILER = "TRAILER!!!"
ALIGNMENT = 4
# Boot time counts more than size: the archive is made, read once and thrown away.
COMPRESSION = 1


def write(file: Path, content: Mapping[str, Path | bytes]) -> None:
    """Write an archive: files by their path in it, each a file here (its mode is kept) or a text.

    Texts become programs that may be started, and folders are made as they are needed.
    """
    folders = sorted({str(up) for name in content for up in Path(name).parents} - {"."})
    parts = [_entry(number, name, stat.S_IFDIR | 0o755, b"") for number, name in enumerate(folders)]
    for number, (name, source) in enumerate(sorted(content.items()), len(parts)):
        data = source if isinstance(source, bytes) else source.read_bytes()
        mode = 0o755 if isinstance(source, bytes) else stat.S_IMODE(source.stat().st_mode)
        parts.append(_entry(number, name, stat.S_IFREG | mode, data))
    parts.append(_entry(len(parts), TRAILER, 0, b""))
    file.write_bytes(gzip.compress(b"".join(parts), COMPRESSION, mtime=0))


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    """A header of 13 numbers, the name and the content."""
    encoded = name.encode() + b"\0"
    links = 1
    numbers = (number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
    header = MAGIC + b"".join(b"%08X" % one for one in numbers)
    return _padded(header + encoded) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)
