# SPDX-License-Identifier: Apache-2.0
"""MPI programs in a virtual machine: each rank has a session of one unit, which all of them share.

Each verdict is compared with the reference model's, as `tmu mpi` does.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.errors import ToolMissing
from opentmu.mpi import check, library
from opentmu.vm import guest

from . import ranks, sessions
from .device_process import Device, running

PROGRAM = paths.ROOT / "tests" / "mpi" / "every_match.c"
RIGHT = "every match is right on 2 ranks"

pytestmark = pytest.mark.long
with_and_without_iommu = pytest.mark.parametrize("iommu", [True, False], ids=["iommu", "direct"])


@pytest.fixture(scope="module")
def mpich() -> library.Library:
    try:
        return library.choose("mpich")
    except ToolMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def every_match(
    mpich: library.Library,
    compile_with: Callable[..., Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    return compile_with(mpich.compiler, PROGRAM, tmp_path_factory.mktemp("mpich"))


def run(
    script: str,
    device: Device,
    mpich: library.Library,
    program: Path,
    iommu: bool,
) -> guest.Ran:
    return sessions.run(
        f"{ranks.NETWORK}{script}{ranks.SEND}",
        device,
        programs=[*ranks.programs(mpich), program],
        files=ranks.files(),
        iommu=iommu,
        memory_mb=ranks.MEMORY_MB,
    )


def proven(sent: str, name: str, folder: Path) -> list[check.Report]:
    """The reports of a job's two ranks, in which every check held."""
    found = ranks.reports(sent, name, folder)
    assert [rank["name"] for rank in found] == ["rank-0", "rank-1"]
    for rank in found:
        assert rank["shared"]
        assert (rank["mismatches"], rank["mismatch"], rank["differences"]) == (0, None, [])
        assert rank["operations"] > 500
        assert rank["counted"]["truncated"] == 2
        assert rank["counted"]["cancelled"] >= 1
        assert rank["traffic"]["rendezvous"] >= 3
    return found


@with_and_without_iommu
def test_two_ranks_share_a_unit(
    iommu: bool, mpich: library.Library, every_match: Path, tmp_path: Path
) -> None:
    """R5 to R13: every kind of matching is right, and the unit counted what the ranks did."""
    script = f"{ranks.start('job', ['every_match', '4'], mpich)}; echo ended $?\n"
    with running() as device:
        ran = run(script, device, mpich, every_match, iommu)
    assert RIGHT in ran.output, ran.output
    assert "ended 0\n" in ran.output
    found = proven(ran.result, "job", tmp_path)
    assert check.shared(found) == []
    assert all(rank["counted"]["post_refused"] == 0 for rank in found), "memory is registered (R11)"


@with_and_without_iommu
def test_a_killed_rank_harms_no_other_job(
    iommu: bool, mpich: library.Library, every_match: Path, tmp_path: Path
) -> None:
    """R13, R14: another job goes on, and the next one finds the endpoints empty.

    The preset has four endpoints, so the next job has those of the killed one.
    """
    shell = "echo $$ >/tmp/rank-$PMI_RANK; exec every_match 1000000"
    script = f"""
({ranks.start("lives", ["every_match", "400"], mpich)}) &
LIVES=$!
({ranks.start("killed", ["sh", "-c", shell], mpich)}) &
KILLED=$!
until [ -s {ranks.LEFT}/killed/rank-1.trace ]; do sleep 1; done
kill -9 $(cat /tmp/rank-1)
wait $KILLED
echo killed $?
rm -r {ranks.LEFT}/killed
{ranks.start("next", ["every_match", "4"], mpich)}
echo next $?
kill -0 $LIVES || echo it was too late to see anything
wait $LIVES
echo lives $?
"""
    with running() as device:
        ran = run(script, device, mpich, every_match, iommu)
    assert "killed 9\n" in ran.output, ran.output
    assert "too late" not in ran.output
    assert "next 0\n" in ran.output and "lives 0\n" in ran.output, ran.output
    assert ran.output.count(RIGHT) == 2
    proven(ran.result, "next", tmp_path)
    lives = proven(ran.result, "lives", tmp_path)
    assert check.shared(lives) != [], "the unit counts for all jobs"
