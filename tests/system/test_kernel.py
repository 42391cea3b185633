# SPDX-License-Identifier: Apache-2.0
"""The kernel driver in a virtual machine: processes that share one unit, and some that misbehave.

Each run ends with the module's removal and a look for complaints of the kernel (`sessions.run`).
"""

import json
import re
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.vm import guest

from . import sessions, shapes
from .device_process import running
from .sessions import FILE, URI

MELT = paths.TRACES / "lammps-melt.trace.gz"
HPCC = paths.TRACES / "hpcc.trace.gz"
DEVICE = f"/sys/bus/pci/devices/{guest.ADDRESS}"
# Between the logs of two processes.
CUT = "====\n"

pytestmark = pytest.mark.long
with_and_without_iommu = pytest.mark.parametrize("iommu", [True, False], ids=["iommu", "direct"])


def replay(name: str, endpoints: int) -> str:
    """A replay of the trace /<name> in a session, with its log in /tmp/<name>."""
    options = f"--trace /{name} --verdicts /tmp/{name}"
    return f"tmu-replay --uri '{URI}?endpoints={endpoints}' {options}"


@with_and_without_iommu
def test_the_tools_work_in_a_session(iommu: bool) -> None:
    """Discovery, a command at a time by every method of waiting; no privilege but the file's."""
    script = f"""
tmu-info {URI}
mkdir -p /etc
echo nobody:x:65534:65534:nobody:/:/bin/sh >/etc/passwd
su nobody -c "tmu-info {URI}"
chmod 666 {FILE}
su nobody -c "tmu-ping {URI} 100"
tmu-info '{URI}?endpoints=5'
tmu-info dev:/dev/tmu1
"""
    with running() as device:
        ran = sessions.run(script, device, iommu=iommu)
        stats = device.stop()
    assert re.search(r"^backend +dev$", ran.output, re.MULTILINE)
    assert re.search(r"^spill segments +4$", ran.output, re.MULTILINE)
    assert f"no permission for {FILE}; type as root: chmod a+rw {FILE}" in ran.output
    methods = re.findall(r"^(by [\w ]+?) +p50 +[0-9.]+ us", ran.output, re.MULTILINE)
    assert methods == ["by tmu_progress", "by looking at the ring alone", "by interrupt"]
    assert f"busy: taking endpoints: {FILE} has no more of them free" in ran.output
    assert "there is no /dev/tmu1: the kernel driver is not loaded, or has found" in ran.output
    assert stats["interrupts"] >= 100
    assert stats["completions_refused"] == 0


@with_and_without_iommu
def test_the_driver_in_a_session(iommu: bool) -> None:
    """Promises of libtmu, in sessions: with memory that the module registers, and without."""
    script = f"""
export TMU_TEST_DEV={FILE}
driver_test_backend_dev
rmmod tmu
insmod /modules/tmu.ko spill_segments=0 reserve_percent=50
driver_test_backend_dev
export TMU_TEST_DEV='{FILE}?endpoints=3&unexpected=20'
driver_test_interrupt
"""
    programs = ("driver_test_backend_dev", "driver_test_interrupt")
    with running() as device:
        ran = sessions.run(script, device, programs=programs, iommu=iommu)
    assert re.findall(r"^(\d+) passed, 0 failed$", ran.output, re.MULTILINE) == ["9", "9", "4"], (
        ran.output
    )


@with_and_without_iommu
def test_a_hostile_process_gets_nothing(iommu: bool) -> None:
    """R13: wrong calls, foreign numbers, pages after their end, forks, garbage in a page."""
    script = f"chmod 666 {FILE}; driver_hostile_session {FILE}; tmu-ping {URI} 10"
    with running() as device:
        ran = sessions.run(script, device, programs=["driver_hostile_session"], iommu=iommu)
        stats = device.stop()
    assert re.search(r"^11 passed, 0 failed$", ran.output, re.MULTILINE), ran.output
    assert re.search(r"^by interrupt ", ran.output, re.MULTILINE), "the unit works as before"
    assert stats["completions_refused"] == 0, (
        "all that the unit wrote was to memory registered with it"
    )
    assert stats["commands_incomplete"] > 0


def test_traces_in_a_session_give_the_log_of_the_law(tmp_path: Path) -> None:
    """R3, R4, R7, R11: real traffic, and queues far beyond the reserve and the tables."""
    traces = {
        "melt": sessions.part(MELT, 0, 4, tmp_path / "melt"),
        "reverse": shapes.write(tmp_path / "reverse", shapes.reverse(500, endpoint=0)),
    }
    script = "".join(
        f"{replay(name, 4)}\ncat /tmp/{name} >/dev/ttyS2\necho {CUT.strip()} >/dev/ttyS2\n"
        for name in traces
    )
    with running() as device:
        ran = sessions.run(script, device, files=traces)
    results = [json.loads(line) for line in ran.output.splitlines() if line.startswith("{")]
    assert [result["mismatches"] for result in results] == [0, 0], ran.output
    logs = ran.result.split(CUT)
    for log, trace in zip(logs, traces.values(), strict=False):
        assert log == sessions.law(trace, 4) != ""
    assert results[1]["counters"]["spill_taken"] > 0


@with_and_without_iommu
def test_two_processes_on_one_unit_do_not_notice_each_other(iommu: bool, tmp_path: Path) -> None:
    """R13: each has its own trace at the same time, and each log is the law's."""
    traces = {
        "one": sessions.part(MELT, 0, 2, tmp_path / "one"),
        "two": sessions.part(MELT, 2, 2, tmp_path / "two"),
    }
    script = f"""
{replay("one", 2)} >/tmp/one.json &
{replay("two", 2)} || echo two failed
wait $! || echo one failed
cat /tmp/one.json
cat /tmp/one >/dev/ttyS2
echo {CUT.strip()} >/dev/ttyS2
cat /tmp/two >/dev/ttyS2
"""
    with running("?pauses=3") as device:
        ran = sessions.run(script, device, files=traces, iommu=iommu)
        stats = device.stop()
    assert "failed" not in ran.output, ran.output
    one, two = ran.result.split(CUT)
    assert one == sessions.law(traces["one"], 2) != ""
    assert two == sessions.law(traces["two"], 2) != ""
    assert one != two
    assert stats["clients"] == 1, "the module's; the processes are its sessions"
    first = re.findall(r'"posts": (\d+)', ran.output)
    assert int(first[0]) > 560, "the unit counts for both: they were there at the same time"


@with_and_without_iommu
def test_a_killed_process_harms_nobody(iommu: bool, tmp_path: Path) -> None:
    """R13, R14: another one goes on, and the next one finds its endpoints empty."""
    traces = {
        "killed": sessions.part(HPCC, 0, 2, tmp_path / "killed"),
        "lives": sessions.part(HPCC, 2, 2, tmp_path / "lives"),
        "next": sessions.part(MELT, 0, 2, tmp_path / "next"),
    }
    script = f"""
{replay("killed", 2)} &
KILLED=$!
{replay("lives", 2)} >/tmp/lives.json &
LIVES=$!
until grep -q {FILE} /proc/$KILLED/maps && grep -q {FILE} /proc/$LIVES/maps; do sleep 0.02; done
sleep 0.2
kill -9 $KILLED
wait $KILLED
echo killed $?
kill -0 $LIVES || echo it was too late to see anything
{replay("next", 2)} >/tmp/next.json || echo next failed
wait $LIVES || echo lives failed
cat /tmp/lives >/dev/ttyS2
echo {CUT.strip()} >/dev/ttyS2
cat /tmp/next >/dev/ttyS2
"""
    with running() as device:
        ran = sessions.run(script, device, files=traces, iommu=iommu)
    assert "killed 137\n" in ran.output
    assert "too late" not in ran.output
    assert "failed" not in ran.output, ran.output
    lives, after = ran.result.split(CUT)
    assert lives == sessions.law(traces["lives"], 2) != ""
    assert after == sessions.law(traces["next"], 2) != ""


def test_a_unit_that_fails_starts_anew() -> None:
    """Its sessions are told, its memory is safe, and the next ones find it working."""
    script = f"""
driver_failing_unit {FILE} {DEVICE}/reset
tmu-ping {URI} 10
tmu-ping {URI} 1000000 >/dev/null &
sleep 3
echo 1 >{DEVICE}/reset
wait $!
echo ended with $?
dmesg | grep "the unit has failed"
"""
    with running() as device:
        ran = sessions.run(script, device, programs=["driver_failing_unit"])
    assert re.search(r"^2 passed, 0 failed$", ran.output, re.MULTILINE), ran.output
    assert re.search(r"^by interrupt ", ran.output, re.MULTILINE)
    assert "the unit has failed: it was reset from outside; it starts anew" in ran.output
    assert f"{FILE}: the unit has failed, and starts anew when all have closed it" in ran.output
    assert "ended with 1\n" in ran.output, "whoever waits learns it"


def test_a_unit_is_taken_away_when_its_last_session_is_closed() -> None:
    """Nothing is pulled from under a process: who unbinds the driver waits."""
    script = f"""
exec 3<>{FILE}
rmmod tmu
(echo {guest.ADDRESS} >{DEVICE}/driver/unbind; echo unbound >/tmp/unbound) 3>&- &
sleep 1
ls /tmp/unbound {FILE}
exec 3>&-
wait
cat /tmp/unbound
echo {guest.ADDRESS} >/sys/bus/pci/drivers/tmu/bind
tmu-ping {URI} 10
"""
    with running() as device:
        ran = sessions.run(script, device)
    assert "rmmod: can't unload module 'tmu': Resource temporarily unavailable" in ran.output
    assert "ls: /tmp/unbound: No such file or directory" in ran.output
    assert f"ls: {FILE}: No such file or directory" in ran.output, "nobody new comes in"
    assert re.search(r"^unbound$", ran.output, re.MULTILINE)
    assert re.search(r"^by interrupt ", ran.output, re.MULTILINE)
