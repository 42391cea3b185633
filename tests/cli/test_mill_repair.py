# SPDX-License-Identifier: Apache-2.0
"""A Mill call that was killed: what it had compiled is not believed."""

from pathlib import Path

import pytest
from opentmu import stage
from opentmu.build import rtl
from opentmu.errors import CheckFailed


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Mill's folder and locks of another checkout, with something compiled."""
    monkeypatch.setattr("opentmu.paths.LOCKS", tmp_path / "locks")
    monkeypatch.setattr(rtl, "MILL_OUT", tmp_path)
    monkeypatch.setattr(rtl, "RUNNING", tmp_path / ".running")
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "compile.json").write_text("up to date")
    return tmp_path


def test_what_a_finished_call_compiled_is_kept(place: Path) -> None:
    for _ in range(2):
        with rtl.mill_alone():
            pass
    assert (place / "hw" / "compile.json").exists()


def test_what_a_failed_call_compiled_is_kept(place: Path) -> None:
    """An error in a source of ours, or an exception that one of ours threw."""
    for said in (
        "[error] /somewhere/hw/src/tmu/Spill.scala:3:1: not found",
        "Exception in thread\n    tmu.params.Check.rows(Check.scala:9)",
        "build.sc:12: not found: value mvn",
    ):
        with pytest.raises(CheckFailed), rtl.mill_alone():
            raise CheckFailed(said)
        with rtl.mill_alone():
            assert (place / "hw" / "compile.json").exists()


def test_what_failed_by_itself_is_made_anew(place: Path) -> None:
    """A state that Mill cannot read would fail at each call; the next one starts without it."""
    with pytest.raises(CheckFailed), rtl.mill_alone():
        raise CheckFailed(
            "Command: mill hw.runMain tmu.Elaborate\n"
            "java.nio.file.NoSuchFileException: /old/build/mill-out/hw/compile.dest/zinc\n"
            "  at mill.scalalib.worker.ZincWorkerImpl(ZincWorkerImpl.scala:300)"
        )
    assert not (place / "hw").exists()
    with rtl.mill_alone():
        pass


def test_what_a_killed_call_compiled_is_thrown_away(place: Path) -> None:
    with pytest.raises(KeyboardInterrupt), rtl.mill_alone():
        raise KeyboardInterrupt
    with rtl.mill_alone():
        assert not (place / "hw").exists()


def test_calls_do_not_overlap(place: Path) -> None:
    with rtl.mill_alone():
        assert stage.held_locks()
