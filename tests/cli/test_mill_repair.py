# SPDX-License-Identifier: Apache-2.0
"""A Mill call that was killed: what it had compiled is not believed."""

from pathlib import Path

import pytest
from opentmu import stage
from opentmu.build import rtl
from opentmu.errors import CheckFailed

# Of the unit, and of the build file.
PARTS = ("hw", "mill-build")


@pytest.fixture
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Mill's folder and locks of another checkout, with something compiled."""
    monkeypatch.setattr("opentmu.paths.LOCKS", tmp_path / "locks")
    monkeypatch.setattr(rtl, "MILL_OUT", tmp_path)
    monkeypatch.setattr(rtl, "RUNNING", tmp_path / ".running")
    for part in PARTS:
        (tmp_path / part).mkdir()
        (tmp_path / part / "compile.json").write_text("up to date")
    (tmp_path / "mill-runner-state.json").touch()
    return tmp_path


def is_kept(output: Path) -> bool:
    """All that was compiled is there; or nothing of it."""
    found = {part: (output / part / "compile.json").exists() for part in PARTS}
    assert len(set(found.values())) == 1, f"half of Mill's state is there: {found}"
    return found["hw"]


def test_what_a_finished_call_compiled_is_kept(output: Path) -> None:
    for _ in range(2):
        with rtl.mill_alone():
            pass
    assert is_kept(output)


def test_what_a_failed_call_compiled_is_kept(output: Path) -> None:
    """An error in a source of ours, or an exception that one of ours threw."""
    for said in (
        "[error] /somewhere/hw/src/tmu/Spill.scala:3:1: not found",
        "Exception in thread\n    tmu.params.Check.rows(Check.scala:9)",
        "build.sc:12: not found: value mvn",
    ):
        with pytest.raises(CheckFailed), rtl.mill_alone():
            raise CheckFailed(f"1 tasks failed\n{said}\n")
        with rtl.mill_alone():
            assert is_kept(output)


def test_what_mill_did_not_end_itself_is_thrown_away(output: Path) -> None:
    """Memory was used up, or somebody killed Mill alone: it has warned of a source, and no more."""
    with pytest.raises(CheckFailed), rtl.mill_alone():
        raise CheckFailed("failed (exit code -9)\n[warn] hw/src/tmu/Verilog.scala:3:1: unused")
    assert not is_kept(output)
    with rtl.mill_alone():
        pass


def test_who_is_killed_while_state_is_thrown_away_has_not_finished(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the state must not count as all of it at the call after."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt), rtl.mill_alone():
            raise CheckFailed("failed by itself")
    with rtl.mill_alone():
        assert not is_kept(output)


def test_what_failed_by_itself_is_made_anew(output: Path) -> None:
    """A state that Mill cannot read would fail at each call; the next one starts without it."""
    with pytest.raises(CheckFailed), rtl.mill_alone():
        raise CheckFailed(
            "Command: mill hw.runMain tmu.Elaborate\n"
            "java.nio.file.NoSuchFileException: /old/build/mill-out/hw/compile.dest/zinc\n"
            "  at mill.scalalib.worker.ZincWorkerImpl(ZincWorkerImpl.scala:300)"
        )
    assert not is_kept(output)
    with rtl.mill_alone():
        pass


def test_what_a_killed_call_compiled_is_thrown_away(output: Path) -> None:
    with pytest.raises(KeyboardInterrupt), rtl.mill_alone():
        raise KeyboardInterrupt
    with rtl.mill_alone():
        assert not is_kept(output)


def test_calls_do_not_overlap(output: Path) -> None:
    with rtl.mill_alone():
        assert stage.held_locks()
