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

STAND_IN = """# SPDX-License-Identifier: Apache-2.0
import os, sys
print(os.getcwd(), sys.prefix, *sys.argv[1:], sep="|")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy whose `opentmu` command prints where and how it was started."""
    root = tmp_path / "a checkout"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(paths.SIM / "opentmu", root / "sim/opentmu", ignore=ignored)
    shutil.copy(paths.ROOT / "tmu", root / "tmu")
    (root / "sim/opentmu/__main__.py").write_text(STAND_IN)
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
