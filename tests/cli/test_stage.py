# SPDX-License-Identifier: Apache-2.0
"""Stages of set-up and build: made once, whole or not at all."""

import fcntl
import hashlib
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from opentmu import pins, process, stage
from opentmu.errors import ToolMissing
from opentmu.setup import mill, system, venv


def make_file(folder: Path) -> None:
    (folder / "made").write_text("whole")


def test_made_once_for_the_same_inputs(tmp_path: Path) -> None:
    target = tmp_path / "target"
    assert stage.ensure(target, "key", make_file)
    assert not stage.ensure(target, "key", make_file)
    assert stage.ensure(target, "other key", make_file)


@pytest.mark.parametrize("in_place", [False, True])
def test_an_interrupted_stage_is_made_again(tmp_path: Path, in_place: bool) -> None:
    target = tmp_path / "target"

    def interrupted(folder: Path) -> None:
        (folder / "half").write_text("")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage.ensure(target, "key", interrupted, in_place=in_place)
    assert not stage.is_current(target, "key")
    assert stage.ensure(target, "key", make_file, in_place=in_place)
    assert sorted(file.name for file in target.iterdir()) == [stage.STAMP, "made"]
    assert [file.name for file in tmp_path.iterdir()] == ["target"]


def test_a_failed_rebuild_keeps_the_old_result(tmp_path: Path) -> None:
    target = tmp_path / "target"
    stage.ensure(target, "key", make_file)

    def failing(folder: Path) -> None:
        raise RuntimeError(folder)

    with pytest.raises(RuntimeError):
        stage.ensure(target, "new key", failing)
    assert (target / "made").read_text() == "whole"
    assert stage.is_current(target, "key")


def test_a_program_inherits_only_the_locks_of_its_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a long-lived program of one thread would keep the lock that another let go."""
    monkeypatch.setattr("opentmu.paths.LOCKS", tmp_path)
    with stage.locked("first"), ThreadPoolExecutor(1) as pool:
        assert len(stage.held_locks()) == 1
        assert pool.submit(stage.held_locks).result() == ()
    assert stage.held_locks() == ()


def test_a_lock_is_held_while_a_program_of_an_interrupted_caller_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opentmu.paths.LOCKS", tmp_path)
    with stage.locked("it"):
        sleeper = subprocess.Popen(["sleep", "60"], pass_fds=stage.held_locks())
    with (tmp_path / "it").open() as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        sleeper.kill()
        sleeper.wait()
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_hash_tells_names_contents_and_order(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = stage.hash_of([tmp_path])
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_text("")
    assert stage.hash_of([tmp_path]) == first
    (tmp_path / "a").rename(tmp_path / "b")
    assert stage.hash_of([tmp_path]) != first
    assert stage.hash_of(["a", "b"]) != stage.hash_of(["b", "a"])
    assert stage.hash_of(["ab", ""]) != stage.hash_of(["a", "b"])


def test_a_changed_mill_is_refused(tmp_path: Path) -> None:
    file = tmp_path / pins.MILL_FILE
    file.write_bytes(b"changed")
    found = hashlib.sha256(b"changed").hexdigest()
    with pytest.raises(ToolMissing, match=f"found SHA-256 {found}, expected {pins.MILL_SHA256}"):
        mill.check(file, pins.MILL_SHA256)


def test_without_root_the_command_to_type_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    need = system.Need("tmu-no-such-program", "no-such-package", "a test")
    monkeypatch.setitem(system.NEEDS, need.name, need)
    monkeypatch.setattr(system, "is_met", lambda one: one is not need)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if "apt" in name else None)
    with pytest.raises(ToolMissing) as caught:
        system.require(need.name)
    assert "tmu-no-such-program (for a test)" in str(caught.value)
    assert "Type: sudo apt-get install --no-install-recommends no-such-package" in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_log_that_begins_with_an_exception_shows_it(tmp_path: Path) -> None:
    """Its calls fill more lines than the end of a log has, and the cause stands before them."""
    log = tmp_path / "log"
    calls = [f"  mill.Call{number}(Mill.scala)" for number in range(300)]
    log.write_text("\n".join(["[1/30] compile", "java.io.IOException: the cause", *calls]))
    shown = process.excerpt(log, 40).splitlines()
    assert shown[:2] == ["java.io.IOException: the cause", calls[0]]
    assert shown[10] == "[251 lines more]"
    assert shown[11:] == calls[-40:]


@pytest.mark.parametrize("text", ["", "a\nb\n", "x = Error\n" * 3])
def test_a_short_log_is_shown_whole(tmp_path: Path, text: str) -> None:
    log = tmp_path / "log"
    log.write_text(text)
    assert process.excerpt(log, 3) == (text.rstrip() or "(it printed nothing)")


def test_a_long_log_without_an_exception_shows_its_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    assert process.excerpt(log, 2) == "line 98\nline 99"


def test_all_missing_packages_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one after another, with minutes of building between them."""
    there = {"g++", "perl", "python3-venv"}
    monkeypatch.setattr(system, "is_met", lambda need: need.name in there)
    monkeypatch.setattr(system, "is_fetched", lambda: False)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if "apt" in name else None)
    with pytest.raises(ToolMissing) as caught:
        system.require("g++", "make")
    text = str(caught.value)
    for name in ("make", "ccache", "zlib.h", "lz4.h", "java", "mvn"):
        assert f"{name} (for " in text
    assert "mpicc" not in text, "only some commands need it"
    assert "ccache default-jdk-headless liblz4-dev make maven zlib1g-dev" in text
    system.require("g++", "perl")  # what is there is not looked for elsewhere


def test_an_index_that_is_not_reached_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "requirements.txt").write_text("nothing-of-this-name==1.0 --hash=sha256:00\n")
    monkeypatch.setattr(venv, "REQUIREMENTS", tmp_path / "requirements.txt")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    with pytest.raises(ToolMissing, match="pip does not reach the Python package index for noth"):
        venv._check_index()
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    venv._check_index()


UNREACHED = {
    "apt": "E: Failed to fetch InRelease  Temporary failure resolving 'deb.debian.org'",
    "maven": "[ERROR] No plugin found for prefix 'dependency' in the current project",
    "pip": "NewConnectionError: Failed to establish a new connection: [Errno 101]",
    "mill": "java.net.UnknownHostException: repo1.maven.org",
}


@pytest.mark.parametrize(
    "said", [*UNREACHED.values(), "error: disk full"], ids=[*UNREACHED, "disk"]
)
def test_a_server_that_is_not_reached_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str
) -> None:
    monkeypatch.setattr("opentmu.paths.LOGS", tmp_path)
    command = ["sh", "-c", f'echo "{said}"; exit 1']
    with pytest.raises(ToolMissing) as told:
        process.run_logged(command, "fetching it", "fetch", failure=ToolMissing)
    assert said in str(told.value)
    assert ("see that this machine has the network" in str(told.value)) == ("disk" not in said)
