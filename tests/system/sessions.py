# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of the kernel driver: a guest with the module, and traces for sessions."""

import gzip
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from opentmu.build import cbuild, kernel
from opentmu.vm import guest

from .device_process import Device

FILE = "/dev/tmu0"
URI = f"dev:{FILE}"
TOOLS = ("tmu-info", "tmu-ping", "tmu-replay")
# Words of the kernel when something in it is wrong.
TROUBLE = r"BUG|WARNING|Oops|Call Trace|general protection|refcount|use-after-free|hung task"


def program(name: str) -> Path:
    return cbuild.program(cbuild.ensure(), name)


# The end of a script: nothing is left over, and the kernel has no complaint of its own; all that it
# said last if it has.
END = f"""
rmmod tmu || echo the module cannot be removed
dmesg | grep -E '{TROUBLE}' | grep -v 'report a bug\\|not a bug' && dmesg | tail -n 120 &&
    echo the kernel complains
"""


def run(
    script: str,
    device: Device,
    *,
    parameters: str = "",
    programs: Sequence[str | Path] = (),
    files: Mapping[str, Path] | None = None,
    iommu: bool = True,
    memory_mb: int = guest.MEMORY_MB,
    seconds: float = 600.0,
) -> guest.Ran:
    """Run a script between loading and removing the module; what is wrong with the kernel fails.

    Programs of the driver go by their names, others by their paths.
    """
    ran = guest.run(
        f"{guest.load(parameters)}{script}{END}exit 0\n",
        [one if isinstance(one, Path) else program(one) for one in (*TOOLS, *programs)],
        device.socket,
        files={guest.DRIVER: kernel.module(), **(files or {})},
        iommu=iommu,
        memory_mb=memory_mb,
        seconds=seconds,
    )
    assert ran.exit_code == 0, ran.output
    assert "the kernel complains" not in ran.output, ran.output
    assert "the module cannot be removed" not in ran.output, ran.output
    return ran


def part(trace: Path, first: int, count: int, target: Path) -> Path:
    """The operations of some endpoints of a trace, which have the numbers from 0 on then."""
    kept = []
    for line in gzip.decompress(trace.read_bytes()).decode().splitlines():
        words = line.split()
        if not line.startswith("#") and words:
            endpoint = int(words[1]) - first
            if not 0 <= endpoint < count:
                continue
            words[1] = str(endpoint)
            kept.append(" ".join(words))
    target.write_text("# tmu-trace v1\n" + "\n".join(kept) + "\n")
    return target


def law(trace: Path, endpoints: int) -> str:
    """The log that the law demands of a unit with so many endpoints and no limits."""
    words: list[str | Path] = [program("tmu-expected-log"), "--endpoints", str(endpoints), trace]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
