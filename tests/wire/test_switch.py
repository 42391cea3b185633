# SPDX-License-Identifier: Apache-2.0
"""tmu-switch between clients: frames, impairments, clients that die or do not read, captures."""

import json
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentmu.build import cbuild

Start = Callable[..., subprocess.Popen[str]]
GROUP = b"\xff" * 6


def station(number: int) -> bytes:
    return b"\x02\0\0\0\0" + bytes([number])


def frame(to: bytes, source: int, number: int, size: int = 64) -> bytes:
    head = to + station(source) + b"\x08\0" + number.to_bytes(4, "big")
    return head + bytes(size - len(head))


class Client:
    """One end of a link, written without the project's library."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.held = b""

    def send(self, *frames: bytes) -> None:
        self.socket.sendall(b"".join(struct.pack(">I", len(one)) + one for one in frames))

    def receive(self, seconds: float = 1.0) -> list[int]:
        """The numbers of the frames that come, until none does for so long."""
        self.socket.settimeout(seconds)
        numbers: list[int] = []
        while True:
            try:
                got = self.socket.recv(1 << 16)
            except TimeoutError:
                return numbers
            if not got:
                return numbers
            self.held += got
            while len(self.held) >= 4:
                size = int.from_bytes(self.held[:4], "big")
                if len(self.held) < 4 + size:
                    break
                numbers.append(int.from_bytes(self.held[18:22], "big"))
                self.held = self.held[4 + size :]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a switch at tmp_path/s; whoever is left is ended."""
    begun = []

    def run(*words: str) -> subprocess.Popen[str]:
        program = cbuild.program(cbuild.ensure(), "tmu-switch")
        command: list[str | Path] = [program, "--socket", tmp_path / "s", "--json", *words]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        begun.append(process)
        assert process.stderr is not None
        assert "ports at" in process.stderr.readline()
        return process

    yield run
    for process in begun:
        process.kill()
        process.communicate()


def end(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """The counters by port of a switch that ends as it should."""
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    ports: list[dict[str, Any]] = json.loads(out)["ports"]
    return ports


def packets(capture: Path) -> list[tuple[int, bytes, bytes]]:
    """Interface, frame and what follows of each packet block, read by hand."""
    data, found, at = capture.read_bytes(), [], 0
    while at < len(data):
        kind, size = struct.unpack_from("=II", data, at)
        assert struct.unpack_from("=I", data, at + size - 4) == (size,)
        if kind == 6:
            interface, _, _, length, _ = struct.unpack_from("=IIIII", data, at + 8)
            body = at + 28
            padded = body + (length + 3) // 4 * 4
            found.append((interface, data[body : body + length], data[padded : at + size - 4]))
        at += size
    return found


def test_frames_go_where_they_belong(start: Start, tmp_path: Path) -> None:
    process = start("--ports", "3", "--pcap", str(tmp_path / "c.pcapng"))
    ends = [Client(tmp_path / name) for name in ("s.0", "s.1", "s")]
    for number, one in enumerate(ends):
        one.send(frame(GROUP, number, 100 + number))
        time.sleep(0.3)
    ends[0].send(frame(station(1), 0, 1), frame(station(2), 0, 2))
    assert ends[1].receive()[-1] == 1
    assert ends[2].receive()[-1] == 2
    assert ends[0].receive() == [101, 102]
    ports = end(process)
    assert [port["received"] for port in ports] == [3, 1, 1]
    assert ports[0]["forwarded"] == 2
    caught = packets(tmp_path / "c.pcapng")
    assert [interface for interface, _, _ in caught] == [0, 1, 2, 0, 0]
    assert caught[-1][1] == frame(station(2), 0, 2)
    assert not (tmp_path / "s").exists()


def test_a_seed_repeats_what_is_lost(start: Start, tmp_path: Path) -> None:
    seen = []
    for seed in ("5", "5", "6"):
        process = start("--ports", "2", "--drop", "0.1", "--reorder", "0.1", "--seed", seed)
        one, other = Client(tmp_path / "s.0"), Client(tmp_path / "s.1")
        time.sleep(0.3)
        one.send(*(frame(station(1), 0, number) for number in range(1000)))
        seen.append(other.receive())
        assert 50 < end(process)[0]["dropped"] < 150
    assert seen[0] == seen[1] != seen[2]


def test_who_does_not_read_or_dies_stops_nobody(start: Start, tmp_path: Path) -> None:
    process = start("--ports", "4")
    sender, deaf, reader, dying = (Client(tmp_path / f"s.{port}") for port in range(4))
    for number, one in enumerate((deaf, reader, dying)):
        one.send(frame(GROUP, 1 + number, 0))
    time.sleep(0.3)
    dying.socket.sendall(b"\0\0")  # half a length
    dying.socket.close()
    reader.receive(0.3)
    for number in range(400):
        sender.send(frame(station(1), 0, number, 9000))
    for number in range(50):
        sender.send(frame(station(2), 0, number))
    assert reader.receive() == list(range(50))
    ports = end(process)
    assert ports[1]["overflowed"] > 0
    assert ports[0]["received"] == 450


WRONG = {
    "a long path": (["--socket", "x" * 108], "found a path of 110 characters, expected 1 to 107"),
    "no such folder": (["--socket", "/nowhere/s"], "No such file or directory"),
    "a chance": (["--drop", "1.5"], "found --drop '1.5', expected a number from 0 to 1"),
    "no number": (["--corrupt", "nan"], "found --corrupt 'nan', expected a number from 0 to 1"),
    "ports": (["--ports", "65"], "found --ports '65', expected a number from 1 to 64"),
}


@pytest.mark.parametrize(("words", "sentence"), WRONG.values(), ids=WRONG)
def test_wrong_options_are_refused(tmp_path: Path, words: list[str], sentence: str) -> None:
    program = cbuild.program(cbuild.ensure(), "tmu-switch")
    command: list[str | Path] = [program, "--ports", "2", "--socket", tmp_path / "s", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert sentence in done.stderr
