# SPDX-License-Identifier: Apache-2.0
"""Rings of completions in a process' own memory, which the kernel driver pins."""

import re
from pathlib import Path

import pytest
from opentmu import paths

from . import sessions
from .device_process import running
from .sessions import FILE, URI

pytestmark = pytest.mark.long
with_and_without_iommu = pytest.mark.parametrize("iommu", [True, False], ids=["iommu", "direct"])

MELT = paths.TRACES / "lammps-melt.trace.gz"
REPLAY = f"tmu-replay --uri '{URI}?endpoints=4&rings=own' --trace /melt\n"
# A guest with so little memory has large pages for nobody unless it is told.
LARGE_PAGES = "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled\n"
# Pages that were pinned for long, and pages that were let go of: nothing else pins any here.
# Linux keeps the latest of such counts to itself until it is asked to add them up.
PINS = """
echo 1 >/proc/sys/vm/stat_refresh
sed -n 's/^nr_foll_pin_//p' /proc/vmstat
"""


def pins(output: str) -> tuple[int, int]:
    """Counts of pages that were pinned, and of those that were released."""
    found = dict(re.findall(r"^(acquired|released) (\d+)$", output, re.MULTILINE))
    return int(found["acquired"]), int(found["released"])


@with_and_without_iommu
def test_the_driver_with_rings_of_its_own(iommu: bool, tmp_path: Path) -> None:
    """Promises of libtmu, with every ring in memory of the process; the tools as well."""
    script = f"""{LARGE_PAGES}
export TMU_TEST_DEV={FILE} TMU_TEST_DEV_OPTION=rings=own
driver_test_backend_dev
export TMU_TEST_DEV='{FILE}?endpoints=3&unexpected=20&rings=own'
driver_test_interrupt
tmu-ping '{URI}?rings=own' 100
{REPLAY}{PINS}"""
    programs = ("driver_test_backend_dev", "driver_test_interrupt")
    with running() as device:
        ran = sessions.run(
            script,
            device,
            parameters="reserve_percent=50",
            programs=programs,
            files={"melt": sessions.part(MELT, 0, 4, tmp_path / "melt")},
            iommu=iommu,
        )
        stats = device.stop()
    passed = re.findall(r"^(\d+) passed, 0 failed$", ran.output, re.MULTILINE)
    assert passed == ["9", "4"], ran.output
    assert re.search(r"^by interrupt ", ran.output, re.MULTILINE)
    assert re.search(r'"mismatches": 0\b', ran.output), ran.output
    assert stats["completions_refused"] == 0
    acquired, released = pins(ran.output)
    assert acquired == released > 100


@with_and_without_iommu
def test_a_process_misuses_its_own_memory(iommu: bool) -> None:
    """R13: other memory, memory that is given up, copied or of a process that is killed."""
    kind = "iommu" if iommu else "direct"
    script = f"{LARGE_PAGES}chmod 666 {FILE}; driver_own_rings {FILE} {kind}; {PINS}"
    script += f"tmu-ping {URI} 10\n"
    with running() as device:
        ran = sessions.run(script, device, programs=["driver_own_rings"], iommu=iommu)
        stats = device.stop()
    assert re.search(r"^7 passed, 0 failed$", ran.output, re.MULTILINE), ran.output
    assert re.search(r"^by interrupt ", ran.output, re.MULTILINE), "the unit works as before"
    assert stats["completions_refused"] == 0, (
        "all that the unit wrote was to memory registered with it"
    )
    acquired, released = pins(ran.output)
    assert acquired == released > 512


def test_without_large_pages_a_large_ring_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """Without an IOMMU, and with memory in small pages only."""
    melt = sessions.part(MELT, 0, 4, tmp_path / "melt")
    never = "echo never >/sys/kernel/mm/transparent_hugepage/enabled\n"
    script = f"{never}{REPLAY}echo exit $?\n"
    with running() as device:
        ran = sessions.run(script, device, files={"melt": melt}, iommu=False)
    assert "this process' memory is not one piece for the unit; ask for rings of 64" in ran.output
    assert "exit 1" in ran.output
