# SPDX-License-Identifier: Apache-2.0
"""The simulated unit in a process of its own, over vfio-user: right verdicts, and robust."""

import json
import os
import random
import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.bench import seed
from opentmu.build import cbuild
from opentmu.replay import waves

from . import device_process, hostile_client, shapes
from .device_process import Device, replay, replay_words, running, started

Tmu = Callable[..., subprocess.CompletedProcess[str]]
# The driver's own tests; those that are left out take long here and run on `sim:` as well.
DRIVER_TESTS = (
    "cancel",
    "counters",
    "device",
    "dump",
    "filter",
    "fork",
    "interrupt",
    "operations",
    "queue",
    "shared_endpoint",
    "spill",
    "spill_dump",
)


@pytest.fixture
def device() -> Iterator[Device]:
    """The Verilated preset tiny."""
    with running() as one:
        yield one


def law(trace: Path) -> str:
    """The log that the law demands of an unlimited tiny."""
    program = cbuild.program(cbuild.ensure(), "tmu-expected-log")
    words: list[str | Path] = [program, "--endpoints", "4", trace]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_traces_give_the_log_of_the_law(device: Device, tmp_path: Path) -> None:
    """R3, R4, R7, R11: real traffic and queues far beyond the tables, one client after another."""
    traces = [
        paths.TRACES / "lammps-melt.trace.gz",
        shapes.write(tmp_path / "reverse.trace", shapes.reverse(2000)),
    ]
    for trace in traces:
        log = tmp_path / "log"
        done = replay(device.uri, "--trace", trace, "--verdicts", log, "--refuse-endpoints")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["mismatches"] == 0
        assert log.read_text() == law(trace) != ""
    stats = device.stop()
    assert stats["clients"] == len(traces)
    assert stats["completions"] > 10_000
    assert stats["completions_refused"] == 0
    assert stats["messages_posted"] >= stats["commands"]


def test_random_operations_beyond_the_tables() -> None:
    """R1 to R15: everything at random, with pauses at every port and entries in spill memory."""
    with running("?pauses=6") as device:
        done = replay(device.uri, "--random", "3000", "--seed", "5")
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["mismatches"] == 0
        assert result["counters"]["spill_taken"] > 0
        assert device.stop()["completions"] >= 3000


@pytest.mark.parametrize("name", DRIVER_TESTS)
def test_the_driver_over_vfio_user(device: Device, name: str) -> None:
    """Each test runs once more than on the functional device alone."""
    program = cbuild.program(cbuild.ensure(), f"driver_test_{name}")
    known = {**os.environ, "TMU_TEST_SIM": "", "TMU_TEST_VFU": str(device.socket)}
    done = subprocess.run(
        [program], env=known, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert device.stop()["clients"] > 0


def test_a_killed_client_harms_nobody_after_it(device: Device) -> None:
    """R13, R14: killed in the middle of traffic, three times; the next one finds a new unit."""
    endless = replay_words(device.uri, "--random", "100000000", "--seed", "1")
    for _ in range(3):
        before = device.stats()["commands"]
        with subprocess.Popen(endless, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as one:
            device.wait_for("commands", before + 3000)
            one.kill()
        done = replay(device.uri, "--random", "500", "--seed", "3")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["mismatches"] == 0
    assert device.stop()["clients"] == 6


def test_a_second_client_is_turned_away(device: Device) -> None:
    """The second client hears so at once, and the first one goes on."""
    endless = replay_words(device.uri, "--random", "100000000", "--seed", "1")
    with subprocess.Popen(endless, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        device.wait_for("commands", 100)
        done = replay(device.uri, "--random", "10")
        assert done.returncode == 2
        assert f"the device at {device.socket} serves another client, and one at a time" in (
            done.stderr
        )
        device.wait_for("commands", device.stats()["commands"] + 1000)
        first.kill()
    assert device.stop()["clients_turned_away"] == 1


def test_a_killed_device_is_told(device: Device) -> None:
    """The client ends with a sentence, and the next one knows what to do as well."""
    endless = replay_words(device.uri, "--random", "100000000", "--seed", "1")
    with subprocess.Popen(
        endless, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as client:
        device.wait_for("commands", 1000)
        device.process.kill()
        _, said = client.communicate(timeout=device_process.PATIENCE)
        assert client.returncode == 1
        assert f"the device at {device.socket} has gone away during " in said
        assert "start it again and open it anew" in said
    done = replay(device.uri, "--random", "10")
    assert done.returncode == 2
    assert f"nobody listens at {device.socket}: the device has ended; start it again" in done.stderr


def test_a_killed_device_is_told_to_whoever_polls(device: Device) -> None:
    """With commands in flight, of which each ends."""
    program = cbuild.program(cbuild.ensure(), "driver_gone")
    words: list[str | Path] = [program, device.uri, str(device.process.pid)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert f"the device at {device.socket} has gone away during commands that it has not" in (
        done.stdout
    )


def test_it_sleeps_when_there_is_nothing_to_do(device: Device) -> None:
    """Without a client, and with one that waits, no clock runs."""
    assert replay(device.uri, "--random", "100").returncode == 0
    device.wait_for("naps", 1)
    clocks = []
    for _ in range(50):
        clocks.append(device.stats()["clocks"])
    assert clocks[-1] == clocks[-10]


def test_garbage_harms_only_who_sends_it() -> None:
    """R13: random messages, wrong sizes and broken-off ones, with sanitizers on."""
    dice = announced_dice()
    stub = cbuild.library(cbuild.ensure(cbuild.SANITIZED), "tmu_stub_unit")
    with running(variant=cbuild.SANITIZED, unit=stub) as device:
        for _ in range(150):
            hostile_client.garble(dice, device.socket)
        stats = device.stop()
        assert stats["clients"] == 150
        assert stats["messages_refused"] > 100
        assert stats["clients_dropped"] > 10


def test_nonsense_in_registers_and_commands_harms_nobody(device: Device) -> None:
    """R13: no assertion of the hardware fails, and the next client finds a unit that is right."""
    dice = announced_dice()
    for _ in range(10):
        vandal = hostile_client.Vandal(dice, device.socket)
        for _ in range(300):
            vandal.act()
        vandal.socket.close()
    done = replay(device.uri, "--random", "500", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert device.stop()["clients"] == 11


def test_a_window_of_the_waveform_is_had_on_request(tmu: Tmu, tmp_path: Path) -> None:
    """Long traffic before and after it leaves nothing in the file."""
    wave = tmp_path / "window.fst"
    words: list[str | Path] = [paths.ROOT / "tmu", "device", "--preset", "tiny"]
    words += ["--wave", wave, "--window"]
    trace = shapes.write(tmp_path / "short.trace", shapes.reverse(10))
    clocks = []
    with started([*words, "--stats"]) as device:
        for expected in ("goes on", "pauses"):
            assert replay(device.uri, "--random", "300", "--seed", "1").returncode == 0
            said = re.fullmatch(
                rf"tmu-device: the waveform {expected} at clock (\d+)", device.turn_wave()
            )
            assert said is not None
            clocks.append(int(said[1]))
            assert replay(device.uri, "--trace", trace).returncode == 0
        assert device.stop()["clocks"] > clocks[1]
    kind, _, first, last = struct.unpack(">BQQQ", wave.read_bytes()[:25])
    assert kind == 0, "an FST file starts with a header block"
    assert 1000 < clocks[0] < clocks[1]
    assert waves.CLOCK_PS * clocks[0] <= first < last < waves.CLOCK_PS * clocks[1]
    done = tmu("device", "--preset", "tiny", "--window")
    assert done.returncode == 2
    assert "--window: found no --wave FILE beside it, expected one" in done.stderr


def test_a_device_without_a_waveform_says_so(device: Device) -> None:
    said = "tmu-device: no waveform is written; start the device with one: "
    assert device.turn_wave() == f"{said}./tmu device --wave FILE"
    assert replay(device.uri, "--random", "100").returncode == 0


def announced_dice() -> random.Random:
    """A new seed, unless TMU_SEED names one."""
    return random.Random(seed.announce())


def test_the_command_starts_a_device(tmu: Tmu, tmp_path: Path) -> None:
    """`./tmu device` as a user types it, with a waveform of a client's traffic."""
    wave = tmp_path / "wave.fst"
    words: list[str | Path] = [paths.ROOT / "tmu", "device", "--preset", "tiny"]
    words += ["--wave", wave, "--pauses", "3"]
    with started([*words, "--stats"]) as device:
        assert device.said[-1] == f"tmu-device: preset tiny at {device.socket}"
        trace = shapes.write(tmp_path / "short.trace", shapes.reverse(10))
        assert replay(device.uri, "--trace", trace).returncode == 0
        busy = tmu("device", "--preset", "tiny", "--socket", device.socket)
        assert busy.returncode == 2
        sentence = f"tmu-device: {device.socket}: found another device that listens there"
        assert sentence in busy.stderr
        stats = device.stop()
    assert stats["preset"] == "tiny"
    assert stats["clients"] == 1
    content = wave.read_bytes()
    assert content[0] == 0, "an FST file starts with a header block"
    assert len(content) > 10_000
