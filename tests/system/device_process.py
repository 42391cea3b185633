# SPDX-License-Identifier: Apache-2.0
"""A device process for tests: started at a socket, asked what it did, ended."""

import json
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentmu.build import cbuild, verilate

Done = subprocess.CompletedProcess[str]
PATIENCE = 120.0


class Device:
    """A running device process."""

    def __init__(self, words: Sequence[str | Path], socket: Path) -> None:
        self.socket = socket
        self.uri = f"vfu:{socket}"
        self.process = subprocess.Popen(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.said: list[str] = []
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            if f" at {socket}" in line:
                return
        raise AssertionError(f"the device did not start: {self.said}")

    def stats(self) -> dict[str, Any]:
        """Counts of the device so far."""
        self.process.send_signal(signal.SIGUSR1)
        return self._line()

    def turn_wave(self) -> str:
        """Pause the waveform, or have it go on; what the device says of it."""
        assert self.process.stderr is not None
        self.process.send_signal(signal.SIGUSR2)
        return self.process.stderr.readline().rstrip()

    def stop(self) -> dict[str, Any]:
        """End it as a user does; what it did."""
        self.process.terminate()
        found = self._line()
        assert self.process.wait(PATIENCE) == 0
        assert not self.socket.exists()
        return found

    def wait_for(self, name: str, least: int) -> None:
        """Wait until it did something so often."""
        end = time.monotonic() + PATIENCE
        while self.stats()[name] < least:
            assert time.monotonic() < end, f"{name} stayed below {least}"
            time.sleep(0.01)

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found


@contextmanager
def running(
    options: str = "",
    variant: cbuild.Variant = cbuild.PLAIN,
    unit: Path | None = None,
) -> Iterator[Device]:
    """A device with the preset tiny, or around another unit, while the block runs."""
    program = cbuild.program(cbuild.ensure(variant), "tmu-device")
    library = unit or verilate.library("tiny")
    words: list[str | Path] = [program, "--library", f"{library}{options}", "--stats"]
    with started(words) as device:
        yield device


@contextmanager
def started(words: Sequence[str | Path]) -> Iterator[Device]:
    """A device by its command line, less the socket; paths of those have to be short."""
    with tempfile.TemporaryDirectory(prefix="tmu-device-") as folder:
        socket = Path(folder) / "socket"
        device = Device([*words, "--socket", socket], socket)
        try:
            yield device
        finally:
            device.process.kill()
            device.process.communicate()


def replay_words(uri: str, *words: str | Path) -> list[str]:
    """The command line of a replay on a device."""
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    return [str(program), "--uri", uri, *map(str, words)]


def replay(uri: str, *words: str | Path) -> Done:
    """A replay on a device, to its end."""
    command = replay_words(uri, *words)
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
