# SPDX-License-Identifier: Apache-2.0
"""The unit as a PCI device of a virtual machine, with the driver in the guest."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.build import cbuild
from opentmu.setup import vm
from opentmu.vm import guest

from .device_process import running
from .test_device_process import DRIVER_TESTS, law

Tmu = Callable[..., subprocess.CompletedProcess[str]]
URI = f"vfio:{guest.ADDRESS}"
TOOLS = ("tmu-info", "tmu-ping", "tmu-replay")


def program(name: str) -> Path:
    return cbuild.program(cbuild.ensure(), name)


def tools() -> list[Path]:
    return [program(name) for name in TOOLS]


def test_a_guest_pings_the_unit() -> None:
    """Only where a virtual machine is already: the short run fetches none."""
    if not vm.is_current():
        pytest.skip("on demand: no QEMU in build/vm: `./tmu vm` or `./tmu test --long` fetches it")
    with running() as device:
        ran = guest.run(f"{guest.BIND}tmu-ping {URI} 100", tools(), device.socket)
        assert ran.exit_code == 0, ran.output
        stats = device.stop()
    methods = re.findall(r"^(by [\w ]+?) +p50 +[0-9.]+ us", ran.output, re.MULTILINE)
    assert methods == ["by tmu_progress", "by looking at the ring alone", "by interrupt"]
    assert stats["completions"] == stats["commands"] == 300
    assert stats["interrupts"] >= 100
    assert stats["messages_refused"] == 0
    assert stats["commands_incomplete"] == 0


@pytest.mark.long
def test_traces_in_a_guest_give_the_log_of_the_law() -> None:
    """R3, R4, R7, R11: real traffic over PCI and an IOMMU, byte by byte the law's verdicts."""
    trace = paths.TRACES / "lammps-melt.trace.gz"
    script = f"{guest.BIND}tmu-replay --uri {URI} --trace /trace --verdicts /dev/ttyS2"
    script += " --refuse-endpoints"
    with running() as device:
        ran = guest.run(script, tools(), device.socket, files={"trace": trace})
        assert ran.exit_code == 0, ran.output
        stats = device.stop()
    assert json.loads(ran.output)["mismatches"] == 0
    assert ran.result == law(trace) != ""
    assert stats["completions_refused"] == 0


@pytest.mark.long
def test_random_operations_in_a_guest() -> None:
    """R1 to R15: everything at random, with pauses and entries in the guest's memory."""
    script = f"{guest.BIND}tmu-replay --uri {URI} --random 3000 --seed 5 >/dev/ttyS2"
    with running("?pauses=6") as device:
        ran = guest.run(script, tools(), device.socket)
    assert ran.exit_code == 0, ran.output
    result = json.loads(ran.result)
    assert result["mismatches"] == 0
    assert result["counters"]["spill_taken"] > 0


@pytest.mark.long
def test_the_driver_in_a_guest() -> None:
    """The driver's own tests, on the PCI function as well as on the functional device."""
    programs = [program(f"driver_test_{name}") for name in DRIVER_TESTS]
    each = "".join(f"{one.name} || echo {one.name} failed\n" for one in programs)
    script = f"{guest.BIND}export TMU_TEST_VFIO={guest.ADDRESS}\n{each}"
    with running() as device:
        ran = guest.run(script, programs, device.socket, seconds=900)
        stats = device.stop()
    assert "failed\n" not in re.sub(r"\d+ passed, 0 failed\n", "", ran.output), ran.output
    assert ran.output.count(" passed, 0 failed\n") == len(DRIVER_TESTS)
    assert stats["commands"] > 5_000
    assert stats["interrupts"] > 0


@pytest.mark.long
def test_a_killed_program_in_a_guest_harms_nobody_after_it() -> None:
    """R13, R14: Linux resets the function, and the next program finds a new unit."""
    script = f"""{guest.BIND}
tmu-replay --uri {URI} --random 100000000 --seed 1 >/dev/null 2>&1 &
sleep 3
tmu-info {URI}
kill -9 $!
wait
tmu-replay --uri {URI} --random 500 --seed 3 >/dev/ttyS2
"""
    with running() as device:
        ran = guest.run(script, tools(), device.socket)
        stats = device.stop()
    assert ran.exit_code == 0, ran.output
    assert f"another process has {guest.ADDRESS}, and one at a time" in ran.output
    assert json.loads(ran.result)["mismatches"] == 0
    assert stats["commands"] > 1000
    assert stats["resets"] >= 4, "when it is opened and when it is closed, twice"


@pytest.mark.long
def test_what_is_missing_in_a_guest_is_said() -> None:
    """A driver, permissions, VFIO itself; and no privilege is needed once all are there."""
    script = f"""
tmu-info {URI}
{guest.BIND}
mkdir /etc
echo nobody:x:65534:65534:nobody:/:/bin/sh >/etc/passwd
su nobody -c "tmu-info {URI}"
chmod 600 /dev/vfio/vfio
su nobody -c "tmu-info {URI}"
chmod 666 /dev/vfio/*
su nobody -c "tmu-ping {URI} 10"
rm /dev/vfio/vfio
tmu-info {URI}
"""
    with running() as device:
        ran = guest.run(script, tools(), device.socket)
    assert ran.exit_code == 2
    said = ran.output.splitlines()
    expected = (
        rf"{guest.ADDRESS} is with no driver, expected vfio-pci; as root: modprobe vfio-pci; ",
        rf"no permission for /dev/vfio/\d+, the IOMMU group of {guest.ADDRESS}; type as root: ",
        r"no permission for /dev/vfio/vfio; type as root: chmod a\+rw /dev/vfio/vfio",
        r"^by tmu_progress ",
        r"^by looking at the ring alone ",
        r"^by interrupt ",
        r"/dev/vfio/vfio cannot be opened: No such file or directory; Linux has VFIO after",
    )
    assert len(said) == len(expected), ran.output
    for line, pattern in zip(said, expected, strict=True):
        assert re.search(pattern, line), f"{line!r} has no {pattern!r}"


@pytest.mark.long
def test_without_an_iommu_a_guest_is_told() -> None:
    """No address is made up: without an IOMMU the device could reach all of the memory."""
    with running() as device:
        ran = guest.run(f"tmu-info {URI}", tools(), device.socket, iommu=False)
    assert ran.exit_code == 2
    assert f"{guest.ADDRESS} is in no IOMMU group: this machine has no IOMMU" in ran.output


@pytest.mark.long
def test_the_command_runs_in_a_guest(tmu: Tmu) -> None:
    """`./tmu vm` as a user types it: what is printed, and the exit code."""
    done = tmu("vm", "--preset", "tiny", "sh", "-c", f"tmu-info {URI} && exit 7")
    assert done.returncode == 7, done.stderr
    assert re.search(r"^backend +vfio$", done.stdout, re.MULTILINE)


@pytest.mark.long
@pytest.mark.parametrize("iommu", ["--iommu", "--no-iommu"])
def test_the_command_runs_with_the_kernel_driver(tmu: Tmu, iommu: str) -> None:
    """`./tmu vm --driver tmu`: the module is loaded, and programs open /dev/tmu0."""
    words = ["vm", "--preset", "tiny", "--driver", "tmu", iommu]
    done = tmu(*words, "sh", "-c", "tmu-info dev:/dev/tmu0 && tmu-ping dev:/dev/tmu0 10 && exit 7")
    assert done.returncode == 7, done.stderr
    assert re.search(r"^backend +dev$", done.stdout, re.MULTILINE)
    assert re.search(r"^by interrupt ", done.stdout, re.MULTILINE)
