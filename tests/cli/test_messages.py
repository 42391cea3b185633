# SPDX-License-Identifier: Apache-2.0
"""Amount of a command's messages, and the log of them."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import progress

Tmu = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "t").write_text("# tmu-trace v1\nflush 0 1\n")
    return ["run", "--engine", "model", "--preset", "tiny", "--trace", "t", "--log", "log"]


def test_verbose_says_what_is_started(tmu: Tmu, words: list[str]) -> None:
    assert "tmu: $ " in (done := tmu(*words, "--verbose")).stderr
    assert "tmu-replay --uri ref:tiny" in done.stderr
    assert "tmu-replay" not in tmu(*words).stderr


def test_quiet_says_what_went_wrong_alone(tmu: Tmu, words: list[str], tmp_path: Path) -> None:
    done = tmu(*words, "-q")
    assert done.stderr == ""
    assert "all 1 verdicts agree" in done.stdout
    (tmp_path / "t").write_text("# tmu-trace v1\nflush 9 1\n")
    assert "names 10 endpoints" in tmu(*words, "-q").stderr


def test_the_log_has_all_of_it(tmu: Tmu, words: list[str], tmp_path: Path) -> None:
    """Of every run, also of a quiet one, and of how a run failed."""
    tmu(*words, "-q")
    (tmp_path / "t").write_text("# tmu-trace v1\nflush 9 1\n")
    assert tmu(*words).returncode == 2
    text = (tmp_path / "log").read_text()
    assert "tmu-replay --uri ref:tiny" in text
    assert "names 10 endpoints" in text


def test_a_long_log_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("x" * (progress.LOG_BYTES + 1))
    progress.open_log(log, ["tmu", "two words"])
    assert log.read_text().endswith("tmu 'two words'\n")
    assert "xx" not in log.read_text()


def test_a_log_that_cannot_be_written_is_told(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = tmu("doctor", "--log", "file/log")
    assert "--log file/log: cannot be written" in done.stderr
    assert done.returncode == 2
