# SPDX-License-Identifier: Apache-2.0
"""Whatever ends a command of the front door ends all that it has started."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentmu import paths, stage
from opentmu.setup import vm
from opentmu.toolchain import need_mpi

pytestmark = pytest.mark.slow

Words = list[str | Path]
MARK = "TMU_TEST_MARK"
PATIENCE = 240.0

# Runs a shell that has a child of its own, in a block with a temporary folder and a lock.
PROGRAM = """
import sys, tempfile
from opentmu import children, paths, stage
from pathlib import Path
paths.LOCKS = Path(sys.argv[1])
try:
    with children.watched(), tempfile.TemporaryDirectory(dir=sys.argv[2]), stage.locked("it"):
        children.run(["sh", "-c", "sleep 301 & sleep 302"], pass_fds=stage.held_locks())
except children.Ended as error:
    sys.exit(128 + error.number)
"""


def marked(mark: str) -> dict[int, str]:
    """The processes that inherited a mark, by number, with their command lines."""
    found = {}
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if words:  # a process that has ended and was not waited for has none
                    found[int(folder.name)] = words
        except OSError:
            continue
    return found


def until(mark: str, wanted: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait for a marked process whose command line has this pattern."""
    deadline = time.monotonic() + PATIENCE
    while not any(re.search(wanted, words) for words in marked(mark).values()):
        assert process.poll() is None, "it ended before it had started that"
        assert time.monotonic() < deadline, marked(mark)
        time.sleep(0.05)


def gone(mark: str, seconds: float = 60.0) -> bool:
    """Whether every marked process ends in time."""
    deadline = time.monotonic() + seconds
    while marked(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def mark() -> Iterator[str]:
    """A mark for the processes of one test; what is left at its end is killed."""
    value = uuid.uuid4().hex
    yield value
    for process in marked(value):
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short name: the path of a socket, in a folder below it, has 91 bytes."""
    with tempfile.TemporaryDirectory(prefix="t") as name:
        yield Path(name)


def environment(mark: str, temporary: Path) -> dict[str, str]:
    return {**os.environ, MARK: mark, "TMPDIR": str(temporary)}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_programs_and_theirs(mark: str, tmp_path: Path, number: int) -> None:
    """The temporary folder is gone and the lock is free."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    words: Words = [sys.executable, "-P", "-c", PROGRAM, tmp_path / "locks", folder]
    process = subprocess.Popen(words, env=environment(mark, folder), stderr=subprocess.DEVNULL)
    until(mark, "^sleep 301", process)
    until(mark, "^sleep 302", process)
    assert list(folder.iterdir())
    process.send_signal(number)
    assert process.wait(60) == (-number if number == signal.SIGINT else 128 + number)
    assert not marked(mark)
    assert not list(folder.iterdir())


def test_an_ignored_signal_stays_ignored(mark: str, tmp_path: Path) -> None:
    """As nohup has it."""
    words: Words = ["nohup", sys.executable, "-P", "-c", PROGRAM, tmp_path / "locks", tmp_path]
    process = subprocess.Popen(
        words, env=environment(mark, tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until(mark, "^sleep 302", process)
    process.send_signal(signal.SIGHUP)
    time.sleep(1)
    assert process.poll() is None
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM
    assert not marked(mark)


def test_a_killed_command_leaves_no_tool_with_its_lock(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL, at which it can do nothing: the kernel ends the tool."""
    script = PROGRAM.replace("sleep 301 & sleep 302", "exec sleep 303")
    words: Words = [sys.executable, "-P", "-c", script, tmp_path, tmp_path]
    process = subprocess.Popen(words, env=environment(mark, tmp_path))
    until(mark, "^sleep 303", process)
    process.kill()
    process.wait()
    assert gone(mark)
    monkeypatch.setattr(paths, "LOCKS", tmp_path)
    with stage.locked("it"):
        pass


LONG = "# tmu-trace v1\n" + "".join(
    f"post 0 {number} 0 0 0 8\narrive 0 {number} 0 0 0 8\n" for number in range(200_000)
)
# The command, and what its command line says of the program that it starts.
COMMANDS = {
    "run": (["run", "--preset", "tiny", "--trace", "long.trace"], "tmu-replay"),
    "bench": (["bench", "--preset", "tiny", "--random", "90000000"], "tmu-bench --shape"),
    "device": (["device", "--preset", "tiny", "--socket", "s"], "tmu-device"),
    "mpi": (["mpi", "--engine", "model", "--preset", "tiny", "--", "sleep", "304"], "^sleep 304"),
    "shared unit": (
        ["mpi", "--engine", "model", "--preset", "tiny", "--units", "one", "--", "sleep", "305"],
        "^sleep 305",
    ),
    "record": (["trace", "record", "--", "mpirun", "-n", "2", "sleep", "306"], "^sleep 306"),
    "synth": (["synth", "--preset", "tiny", "--family", "xcup"], "yosys.py"),
    "test": (["test", "-k", "test_a_worker_that_dies_is_a_failure"], "pytest --junitxml"),
    "vm": (["vm", "--preset", "tiny", "sleep", "307"], "qemu-system"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_sigterm_to_a_command_leaves_nothing(
    mark: str, tmp_path: Path, short: Path, name: str
) -> None:
    words, started = COMMANDS[name]
    if "sleep" in words and name != "vm":
        need_mpi()
    if name == "vm" and not vm.is_current():
        pytest.skip("on demand: no QEMU in build/vm: `./tmu vm` or `./tmu test --long` fetches it")
    (tmp_path / "long.trace").write_text(LONG if name == "run" else "")
    folder = short
    process = subprocess.Popen(
        [paths.ROOT / "tmu", *words],
        cwd=tmp_path,
        env=environment(mark, folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(mark, started, process)
    while name == "device" and not (tmp_path / "s").exists():  # before that a signal just ends it
        assert process.poll() is None, "it ended before it listened"
        time.sleep(0.05)
    process.terminate()
    code = process.wait(PATIENCE)
    assert code == (0 if name == "device" else 128 + signal.SIGTERM)
    assert not marked(mark)
    assert not [entry for entry in folder.iterdir() if entry.name.startswith("tmu-")]
