# SPDX-License-Identifier: Apache-2.0
"""Reading the ranks' files: whole, from one job and one machine, or refused."""

from pathlib import Path

import pytest
from opentmu.errors import CheckFailed
from opentmu.record.log import POST, RECORD, VERSION, read_logs

WORLD = "comm 0 world -1 0 0 {rank} 0,1 -"


def write_rank(folder: Path, rank: int, *, host: str = "here", version: int = VERSION) -> None:
    """A rank with one record and the zeros that the last mapped piece leaves behind it."""
    folder.mkdir(exist_ok=True)
    lines = [f"version {version}", f"world {rank} 2", f"host {host}", WORLD.format(rank=rank)]
    (folder / f"rank-{rank}.txt").write_text("\n".join([*lines, "finalized", ""]))
    record = RECORD.pack(77, 1, 8, 0, POST, 0, -1, 5, 0, 0, 1, 0)
    (folder / f"rank-{rank}.log").write_bytes(record + bytes(RECORD.size * 9))


def test_the_records_end_where_the_file_is_unused(tmp_path: Path) -> None:
    for rank in (1, 0):
        write_rank(tmp_path / "job-1", rank)
    logs = read_logs(tmp_path)
    assert [log.rank for log in logs] == [0, 1]
    assert [(entry.time, entry.tag) for entry in logs[0].entries] == [(77, 5)]
    assert logs[1].comms[0].members == (0, 1)
    assert logs[1].finalized


def test_no_log_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="no process of the command called MPI_Init"):
        read_logs(tmp_path)


def test_a_missing_rank_is_refused(tmp_path: Path) -> None:
    write_rank(tmp_path / "job-1", 0)
    with pytest.raises(CheckFailed, match="2 ranks ran, logs are from 0"):
        read_logs(tmp_path)


def test_two_jobs_are_refused(tmp_path: Path) -> None:
    for job in ("job-1", "job-2"):
        for rank in (0, 1):
            write_rank(tmp_path / job, rank)
    with pytest.raises(CheckFailed, match="started 2 MPI jobs"):
        read_logs(tmp_path)


def test_two_machines_are_refused(tmp_path: Path) -> None:
    for rank, host in enumerate(("here", "there")):
        write_rank(tmp_path / "job-1", rank, host=host)
    with pytest.raises(CheckFailed, match=r"several machines \(here, there\)"):
        read_logs(tmp_path)


def test_another_log_version_is_refused(tmp_path: Path) -> None:
    write_rank(tmp_path / "job-1", 0, version=VERSION + 1)
    with pytest.raises(CheckFailed, match=f"log version {VERSION + 1}, expected {VERSION}"):
        read_logs(tmp_path)
