# SPDX-License-Identifier: Apache-2.0
"""Parts of the virtual machine are fetched and put together, without the network."""

import gzip
import re
import subprocess
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.errors import ToolMissing
from opentmu.setup import debian, vm
from opentmu.vm import cpio

PIN = debian.Pin("trixie", "hello", "2.10-5", "0" * 64)


def test_every_package_is_pinned() -> None:
    """By version and content, from suites that are known, each once."""
    pins = debian.read_lock(vm.LOCK)
    assert len(pins) > 40
    assert {pin.suite for pin in pins} == {"bookworm", "trixie", "trixie-backports"}
    assert all(re.fullmatch("[0-9a-f]{64}", pin.sha256) for pin in pins)
    assert len({pin.name for pin in pins}) == len(pins)


def test_other_content_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the archive says about it."""

    class Archive:
        def __init__(self, folder: Path, suites: set[str]) -> None:
            assert suites == {"trixie"}
            self.folder = folder

        def download(self, packages: list[str], title: str) -> list[Path]:
            assert packages == ["hello=2.10-5"]
            file = self.folder / "hello.deb"
            file.write_text("something else")
            return [file]

    monkeypatch.setattr(debian, "Archive", Archive)
    with pytest.raises(ToolMissing, match=r"hello\.deb: found SHA-256 [0-9a-f]{64}, expected one"):
        debian.unpack([PIN], tmp_path, tmp_path / "root", "fetching")
    assert not (tmp_path / "root").exists()


def test_what_apt_cannot_fetch_is_a_missing_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the end of what it said; the set-up leaves nothing that counts."""
    if not debian.KEYRING.is_file():
        pytest.skip(f"no {debian.KEYRING} here")
    monkeypatch.setattr(debian, "archive_site", lambda: f"file:{tmp_path}/nowhere")
    monkeypatch.setattr(paths, "LOGS", tmp_path / "log")
    with pytest.raises(ToolMissing, match="fetching Debian's lists of packages failed"):
        debian.unpack([PIN], tmp_path / "work", tmp_path / "root", "fetching")


def test_an_archive_holds_folders_before_files(tmp_path: Path) -> None:
    """In cpio's format: a header of 110 characters, the name and the content, each padded to 4."""
    tool = tmp_path / "tool"
    tool.write_bytes(b"\x7fELF")
    tool.chmod(0o755)
    cpio.write(tmp_path / "archive", {"init": b"#!/bin/sh\n", "a/b/tool": tool})
    data = gzip.decompress((tmp_path / "archive").read_bytes())
    found = []
    at = 0
    while at < len(data):
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = data[at + 110 : at + 110 + name_size - 1].decode()
        content = at + (110 + name_size + 3) // 4 * 4
        found.append((name, mode, data[content : content + size]))
        at = content + (size + 3) // 4 * 4
    assert found == [
        ("a", 0o40755, b""),
        ("a/b", 0o40755, b""),
        ("a/b/tool", 0o100755, b"\x7fELF"),
        ("init", 0o100755, b"#!/bin/sh\n"),
        ("TRAILER!!!", 0, b""),
    ]


def test_a_machine_without_a_debian_archive_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = subprocess.CompletedProcess([], 0, "file:a bookworm-security\n", "")
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: lines)
    with pytest.raises(ToolMissing, match="apt names no archive of Debian"):
        debian.archive_site()
