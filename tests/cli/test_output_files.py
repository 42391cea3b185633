# SPDX-License-Identifier: Apache-2.0
"""Files that commands write: logs and waveforms that cannot be written are refused first."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Tmu = Callable[..., subprocess.CompletedProcess[str]]


def test_verdicts_of_several_traces_need_a_folder(tmu: Tmu, tmp_path: Path) -> None:
    for name in ("a", "b", "log"):
        (tmp_path / name).write_text("# tmu-trace v1\n")
    done = tmu("run", "--trace", "a", "--trace", "b", "--verdicts", "log")
    assert "--verdicts log: found a file, expected a folder for 2 traces" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--trace", "a", "--trace", "b", "--verdicts", "/proc/x"],
        ["run", "--engine", "model", "--preset", "tiny", "--trace", "a", "--verdicts", "/proc/x"],
    ],
    ids=["folder of logs", "one log"],
)
def test_a_folder_that_cannot_be_written_ends_with_2(
    tmu: Tmu, tmp_path: Path, words: list[str]
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("# tmu-trace v1\n")
    done = tmu(*words)
    assert "/proc/x" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("wave", "complaint"),
    [("no/x.fst", "found no folder no, expected one to write in"), (".", "found a folder")],
    ids=["no folder", "folder"],
)
def test_a_wave_that_cannot_be_written_is_refused_before_it_is_made(
    tmu: Tmu, tmp_path: Path, wave: str, complaint: str
) -> None:
    (tmp_path / "a").write_text("# tmu-trace v1\n")
    done = tmu("run", "--trace", "a", "--wave", wave)
    assert f"--wave {wave}: {complaint}" in done.stderr
    assert "building" not in done.stderr
    assert done.returncode == 2


def test_two_traces_never_share_a_log(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for name in ("a.trace", "x/a.trace"):
        (tmp_path / name).write_text("# tmu-trace v1\n")
    done = tmu("run", "--trace", "a.trace", "--trace", "x/a.trace", "--verdicts", "logs")
    assert "two traces would write a.verdicts" in done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "logs").exists()
