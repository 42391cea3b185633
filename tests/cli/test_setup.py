# SPDX-License-Identifier: Apache-2.0
"""The front door's script and its set-up, in a small copy of the checkout.

The copy asks for no Python package, so that its set-up is quick and needs no network.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from opentmu import paths

pytestmark = pytest.mark.slow

STAND_IN = """# SPDX-License-Identifier: Apache-2.0
import os, sys
print(os.getcwd(), sys.prefix, *sys.argv[1:], sep="|")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy whose `opentmu` command prints where and how it was started."""
    root = tmp_path / "a checkout"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(paths.TOOLS / "opentmu", root / "tools/opentmu", ignore=ignored)
    shutil.copy(paths.ROOT / "tmu", root / "tmu")
    (root / "tools/opentmu/__main__.py").write_text(STAND_IN)
    (root / "requirements.txt").write_text("# nothing\n")
    return root


def start(checkout: Path, *words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable, **env}
    return subprocess.run(
        [str(checkout / "tmu"), *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_first_call_makes_the_environment_and_keeps_folder_and_words(
    checkout: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "opentmu.py").write_text("raise SystemExit('the wrong opentmu')")
    done = start(checkout, "run", "two words", cwd=away)
    assert done.stdout == f"{away}|{checkout}/build/venv|run|two words\n"
    assert done.returncode == 0
    assert (checkout / "build/venv/.stamp").is_file()


def test_a_link_to_the_front_door_works(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "tmu"
    link.symlink_to(Path("..") / "a checkout" / "tmu")
    done = subprocess.run([link], cwd="/", capture_output=True, text=True, check=False)
    assert done.stdout == f"/|{checkout}/build/venv\n"


@pytest.mark.long
def test_changed_requirements_and_a_lost_stamp_make_it_again(
    checkout: Path, tmp_path: Path
) -> None:
    start(checkout, cwd=tmp_path)
    old = checkout / "build/venv/old-file"
    old.touch()
    start(checkout, cwd=tmp_path)
    assert old.exists(), "an unchanged set-up was made again"
    (checkout / "requirements.txt").write_text("# still nothing\n")
    start(checkout, cwd=tmp_path)
    assert not old.exists()
    old.touch()
    (checkout / "build/venv/.stamp").unlink()
    done = start(checkout, cwd=tmp_path)
    assert not old.exists()
    assert done.returncode == 0


@pytest.mark.long
def test_an_environment_of_an_older_checkout_finds_the_package(
    checkout: Path, tmp_path: Path
) -> None:
    """Its stamp is right, but it was made when the package was in another folder."""
    expected = start(checkout, "one", cwd=tmp_path).stdout
    (found,) = (checkout / "build/venv").glob("lib/python3*/site-packages/opentmu.pth")
    for old in (f"{checkout}/sim\n", "", None):
        if old is None:
            found.unlink()
        else:
            found.write_text(old)
        done = start(checkout, "one", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr
        assert found.read_text() == f"{checkout}/tools\n"


@pytest.mark.long
def test_a_killed_set_up_repairs_itself(checkout: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHON": sys.executable}
    process = subprocess.Popen(
        [str(checkout / "tmu")], cwd=tmp_path, env=environment, start_new_session=True
    )
    deadline = time.monotonic() + 30
    while not (checkout / "build/venv/bin").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (checkout / "build/venv/.stamp").exists()
    done = start(checkout, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{tmp_path}|{checkout}/build/venv")


@pytest.mark.long
def test_two_first_calls_at_once(checkout: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHON": sys.executable}
    both = [
        subprocess.Popen(
            [str(checkout / "tmu"), name],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    outputs = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [text.rsplit("|", 1)[-1] for text in outputs] == ["one\n", "two\n"]


def test_old_python_is_refused_with_the_remedy(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "dirname", "readlink", "cmp", "cat"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    old = programs / "python3"
    old.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'Python 3.9.2' || exit 1\n")
    old.chmod(0o755)
    done = start(checkout, cwd=tmp_path, PATH=str(programs), PYTHON="")
    assert "Python 3.11 or newer is needed; python3 here is Python 3.9.2." in done.stderr
    assert "apt-get install --no-install-recommends python3 python3-venv" in done.stderr
    assert done.returncode == 3


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder, with its time of change."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    return {str(f.relative_to(folder)): (f.stat().st_mtime_ns, f.read_bytes()) for f in files}


@pytest.mark.long
def test_a_copy_never_uses_the_build_of_the_original(checkout: Path, tmp_path: Path) -> None:
    """Files that hold absolute paths go from the copy; the original stays as it is, to the byte.

    The copy is one of hard links, in which a file that is written over is the original's as well.
    """
    start(checkout, cwd=tmp_path)
    made = checkout / "build"
    for name in ("mill-out/hw/compile.json", "c/CMakeCache.txt", "bin/mill", "unknown/file"):
        (made / name).parent.mkdir(parents=True)
        (made / name).write_text(f"{made}/{name}")
    headers = "vm/headers/usr/src/linux-headers-6.1-amd64/Makefile"
    for name in ("rtl/tiny/TmuTop.sv", "ccache/one", headers):
        (made / name).parent.mkdir(parents=True)
        (made / name).write_text(f"include {made}/vm/headers/usr/src/common\n")
    before = contents(made)
    copy = tmp_path / "its copy"
    subprocess.run(["cp", "-al", checkout, copy], check=True)
    done = start(copy, "run", cwd=tmp_path)
    assert done.stdout == f"{tmp_path}|{copy}/build/venv|run\n"
    assert f"build/ was copied or moved from {checkout}" in done.stderr
    left = {file.name for file in (copy / "build").iterdir()}
    assert left == {".checkout", "ccache", "locks", "log", "rtl", "venv", "vm"}
    for name, (_, data) in contents(copy / "build").items():
        assert name.startswith(("rtl", "ccache")) or bytes(made) + b"/" not in data, name
    assert contents(made) == before
    assert start(copy, cwd=tmp_path).stderr == "", "once is enough"


@pytest.mark.long
def test_two_checkouts_share_no_build_by_a_link(checkout: Path, tmp_path: Path) -> None:
    start(checkout, cwd=tmp_path)
    before = contents(checkout / "build")
    other = tmp_path / "other"
    ignored = shutil.ignore_patterns("build")
    shutil.copytree(checkout, other, ignore=ignored)
    (other / "build").symlink_to(checkout / "build")
    done = start(other, cwd=tmp_path)
    assert f"which belongs to the checkout {checkout}" in done.stderr
    assert f"Type: rm {other}/build" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert contents(checkout / "build") == before
