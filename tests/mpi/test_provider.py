# SPDX-License-Identifier: Apache-2.0
"""The provider under libfabric's own calls: completions, and sentences for what users do wrong."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.bench import seed
from opentmu.build import verilate
from opentmu.mpi import check, provider

from .conftest import SANITIZE, sanitized_driver

Done = subprocess.CompletedProcess[str]
Build = Callable[..., Path]
HERE = Path(__file__).parent


def run(program: Path, folder: Path, *words: str, **settings: str) -> Done:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TMU_")}
    environment = {**kept, "FI_PROVIDER_PATH": str(folder), **settings}
    return subprocess.run(
        [program, *words], env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("engine", ["model", "rtl"])
def test_every_completion_is_right(
    engine: str, fabric_calls: Path, provider_folder: Path, tmp_path: Path
) -> None:
    """R8 to R10, R12, R14 through FI_PEEK, FI_CLAIM, fi_cancel, FI_ETRUNC and a close."""
    uri = "ref:tiny" if engine == "model" else f"sim:{verilate.library('tiny')}"
    folder = str(tmp_path)
    settings = {"TMU_URI": uri, "TMU_FI_REPORT": folder, "TMU_FI_RECORD": folder}
    done = run(fabric_calls, provider_folder, **settings)
    assert (done.returncode, done.stdout) == (0, "every completion is right\n"), done.stderr
    assert done.stderr == ""
    (report,) = check.reports(tmp_path)
    assert report["uri"] == uri
    assert (report["mismatches"], report["differences"]) == (0, [])
    assert report["unit"]["truncated"] == 2
    assert report["unit"]["cancelled"] == 1
    assert report["unit"]["claim_matched"] == 6
    assert report["unit"]["flushes"] >= 1
    assert report["unit"]["removed_posted"] == 1
    assert report["unit"]["removed_unexpected"] == 2
    assert report["traffic"]["rendezvous"] == 8
    assert report["traffic"]["untagged"] == 2


def test_what_is_set_wrong_is_said(fabric_calls: Path, provider_folder: Path) -> None:
    done = run(fabric_calls, provider_folder)
    assert done.returncode == 1
    assert "tmu provider: TMU_URI is not set; name the device to match with" in done.stderr
    done = run(fabric_calls, provider_folder, TMU_URI="ref:huge")
    assert "tmu provider: TMU_URI=ref:huge: unusable device URI: unknown preset" in done.stderr
    done = run(fabric_calls, provider_folder, TMU_URI="ref:tiny", TMU_FI_INNER="no-such")
    assert "tmu provider: TMU_FI_INNER=no-such: libfabric has no such provider" in done.stderr
    done = run(fabric_calls, provider_folder, TMU_URI="ref:tiny", TMU_FI_INNER="")
    assert done.returncode == 1
    assert "tmu provider: TMU_FI_INNER is empty, expected the name of a provider" in done.stderr


def test_a_limit_of_messages_is_a_number(fabric_calls: Path, provider_folder: Path) -> None:
    for text in ("", "1k", "-1", "18446744073709551616"):
        done = run(fabric_calls, provider_folder, TMU_URI="ref:tiny", TMU_FI_UNEXPECTED=text)
        assert done.returncode == 1
        expected = f"TMU_FI_UNEXPECTED={text}: expected how many bytes of messages"
        assert f"tmu provider: {expected}" in done.stderr


def leak_check(sanitized: Path) -> dict[str, str]:
    return {"LSAN_OPTIONS": f"suppressions={sanitized / 'leaks'}:print_suppressions=0"}


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("fabric_calls.c", "every completion is right\n"),
        ("fabric_counters.c", "every operation is counted\n"),
        ("fabric_faults.c", "every fault is answered\n"),
        ("fabric_sending.c", "every send leaves or is refused\n"),
        ("fabric_names.c", "host and port are enough\n"),
        ("fabric_peers.c", "every peer is itself\n"),
        ("fabric_refused.c", "nothing is taken that is not kept\n"),
        ("fabric_wait.c", "nobody sleeps too long\n"),
    ],
)
@pytest.mark.parametrize("uri", ["ref:tiny", "ref:tiny?engine=fuzzy"], ids=["model", "software"])
def test_nothing_leaks_and_faults_are_answered(
    source: str, says: str, uri: str, compile_fabric: Build, sanitized: Path, tmp_path: Path
) -> None:
    """R7, R9, R14; also what is claimed, or on its way, when an endpoint is closed."""
    program = compile_fabric(HERE / source, tmp_path, *SANITIZE)
    folders = {"TMU_FI_REPORT": str(tmp_path), "TMU_FI_RECORD": str(tmp_path)}
    done = run(program, sanitized, TMU_URI=uri, **leak_check(sanitized), **folders)
    assert (done.returncode, done.stdout) == (0, says), done.stderr
    assert done.stderr == ""
    reports = check.reports(tmp_path)
    assert len(reports) == (2 if source == "fabric_names.c" else 1)
    for report in reports:
        assert (report["mismatches"], report["differences"]) == (0, [])


def test_messages_beyond_the_limit_wait_at_their_senders(
    compile_fabric: Build, sanitized: Path, tmp_path: Path
) -> None:
    """A flood of messages that nobody has asked for, short and long, of both kinds (R7)."""
    program = compile_fabric(HERE / "fabric_flood.c", tmp_path, *SANITIZE)
    settings = {"TMU_URI": "ref:tiny", "TMU_FI_UNEXPECTED": "1000000", **leak_check(sanitized)}
    done = run(program, sanitized, **settings)
    assert (done.returncode, done.stdout) == (0, "the flood is held\n"), done.stderr
    first, *more = done.stderr.splitlines()
    held = re.fullmatch(
        r"tmu provider: (\d+) bytes of messages that nobody has asked for are here, and "
        r"TMU_FI_UNEXPECTED=1000000 is all; further ones wait, and their senders with them",
        first,
    )
    assert held is not None and 900_000 < int(held[1]) <= 1_000_000
    assert len(more) < 32


def test_what_counters_cannot_do_is_said(
    compile_fabric: Build, sanitized: Path, tmp_path: Path
) -> None:
    """Attributes, flags and objects that do not go together, one sentence for each."""
    program = compile_fabric(HERE / "fabric_faults.c", tmp_path, *SANITIZE)
    done = run(program, sanitized, "counters", TMU_URI="ref:tiny", **leak_check(sanitized))
    assert done.returncode == 0, done.stderr
    wait = "a counter with the wait object {} is asked for; there are FI_WAIT_NONE, "
    wait += "FI_WAIT_UNSPEC and FI_WAIT_YIELD"
    flags = "a counter is bound with the flags {}, expected some of FI_SEND, FI_RECV, FI_READ and "
    flags += "FI_WRITE: there is nothing else to count"
    taken = "an endpoint has a counter for that already, and it can have one for each of its "
    taken += "sends, receives, reads and writes"
    sentences = [
        *(wait.format(number) for number in (3, 4)),
        "a counter with the flags 0x4 is asked for, expected 0",
        "a counter of the events 1 is asked for; FI_CNTR_EVENTS_COMP alone is counted",
        "fi_cntr_wait on a counter that was opened with FI_WAIT_NONE; open it with FI_WAIT_UNSPEC",
        "a counter and an endpoint of two domains cannot be bound",
        *(flags.format(bits) for bits in ("0x0", "0x1000", "0x2800")),
        *(taken, taken),
    ]
    assert done.stderr.splitlines() == [f"tmu provider: {sentence}" for sentence in sentences]


def built_in(compile_fabric: Build, source: str, folder: Path) -> Path:
    """A program with the provider itself in it, on a provider below that is a fake."""
    sources = sorted(provider.SOURCES.glob("*.c"))
    folders = [f"-I{provider.SOURCES}", f"-I{provider.HEADERS}"]
    libraries = [sanitized_driver(), "-lpthread", "-ldl"]
    return compile_fabric(HERE / source, folder, *SANITIZE, *folders, *sources, *libraries)


def test_a_failure_below_ends_what_waits_for_it(
    compile_fabric: Build, provider_folder: Path, tmp_path: Path
) -> None:
    """A message that cannot be announced, a payload that cannot be asked for, memory that is short,
    a cancel among thousands of receives (R10), a broken unit."""
    program = built_in(compile_fabric, "fake_inner.c", tmp_path)
    done = run(program, tmp_path, TMU_URI="ref:tiny")
    assert (done.returncode, done.stdout) == (0, "every failure ends its operation\n"), done.stderr
    injected, waits, again, broken, differ = done.stderr.splitlines()
    assert "no memory for a message; it waits, and its sender with it" in waits
    assert again == f"{waits} (2 times so far)"
    assert injected == (
        "tmu provider: an injected message was not delivered: Connection reset by peer"
    )
    assert broken.startswith("tmu provider: the unit is of no use any more: the unit gave opcode")
    # Operations that the broken unit still had were never answered.
    assert differ.startswith("tmu provider: counters differ in process-")


def test_wrong_frames_are_refused_and_the_endpoint_goes_on(
    compile_fabric: Build, provider_folder: Path, tmp_path: Path
) -> None:
    """Impossible lengths, guessed handles, strangers, and 20,000 frames at random."""
    program = built_in(compile_fabric, "fake_frames.c", tmp_path)
    number = str(seed.announce())
    done = run(program, tmp_path, number, TMU_URI="ref:tiny")
    assert (done.returncode, done.stdout) == (0, "every frame is answered\n"), done.stderr
    said = done.stderr.splitlines()
    assert said[0] == f"seed {number}"
    # Thousands were refused, each of which could have been a line.
    assert 2 < len([line for line in said if "a frame is refused" in line]) < 32
    assert len(said) < 64


def test_what_waits_for_a_peer_that_has_ended_ends(
    compile_fabric: Build, sanitized: Path, tmp_path: Path
) -> None:
    """A receive that was matched, a message that was announced, a send; others are served."""
    program = compile_fabric(HERE / "fabric_ends.c", tmp_path, *SANITIZE)
    done = run(program, sanitized, TMU_URI="ref:tiny", **leak_check(sanitized))
    assert (done.returncode, done.stdout) == (0, "every operation ends\n"), done.stderr
    sentence = (
        "tmu provider: a peer has ended, for nobody listens at its port: what waits for it ends"
    )
    said = done.stderr.splitlines()
    assert said and all(line.startswith(sentence) for line in said)


def test_a_signal_that_ends_the_process_is_not_waited_for(
    compile_fabric: Build, provider_folder: Path, tmp_path: Path
) -> None:
    """A handler that calls exit within a call of the provider: its lock is never released."""
    program = compile_fabric(HERE / "fabric_faults.c", tmp_path)
    done = run(program, provider_folder, "exit", TMU_URI="ref:tiny")
    assert (done.returncode, done.stderr) == (7, "")


def test_it_speaks_through_the_log_of_libfabric(fabric_calls: Path, provider_folder: Path) -> None:
    """A sentence that the log shows is not shown twice; notes are for who asks."""
    done = run(fabric_calls, provider_folder, TMU_URI="ref:huge", FI_LOG_LEVEL="warn")
    (sentence,) = [line for line in done.stderr.splitlines() if "unusable device URI" in line]
    assert ":tmu:core:" in sentence
    assert "<warn> TMU_URI=ref:huge: unusable device URI" in sentence
    settings = {"TMU_URI": "ref:tiny", "FI_LOG_PROV": "tmu"}
    done = run(fabric_calls, provider_folder, FI_LOG_LEVEL="info", **settings)
    notes = [line for line in done.stderr.splitlines() if ":tmu:core:tmu():" in line]
    assert "<info> ref:tiny: 4 endpoints, 64 receives and 64 messages on chip" in notes[0]
    assert "8 announced messages" in notes[1]
    done = run(fabric_calls, provider_folder, FI_LOG_LEVEL="warn", **settings)
    assert ":tmu:core:tmu():" not in done.stderr


def test_each_setting_is_a_parameter_of_libfabric(
    fabric_calls: Path, provider_folder: Path
) -> None:
    """`fi_info -e` shows all of them, and each works by that name, which goes first."""
    info = shutil.which("fi_info")
    if info is None:
        pytest.skip("no fi_info here (Debian: libfabric-bin)")
    table = (provider.SOURCES / "settings.c").read_text()
    names = re.findall(r'"(FI_TMU_[A-Z]+)"', table)
    assert len(names) == 8
    done = run(Path(info), provider_folder, "-e")
    assert sorted(re.findall(r"^# (FI_TMU_\w+): String$", done.stdout, re.M)) == sorted(names)
    done = run(fabric_calls, provider_folder, FI_TMU_URI="ref:tiny", TMU_URI="ref:huge")
    assert (done.returncode, done.stdout) == (0, "every completion is right\n"), done.stderr
    done = run(fabric_calls, provider_folder, FI_TMU_URI="ref:huge", TMU_URI="ref:tiny")
    assert "tmu provider: FI_TMU_URI=ref:huge: unusable device URI" in done.stderr


def test_a_message_costs_at_most_some_times_what_it_costs_below(
    compile_fabric: Build, provider_folder: Path, tmp_path: Path
) -> None:
    """CPU time of both ends; the bounds are far from the figures of docs/mpi.md, for load."""
    program = compile_fabric(HERE / "fabric_cost.c", tmp_path, "-O2")
    done = run(program, provider_folder, "2048", TMU_URI="ref:tiny")
    assert done.returncode == 0, done.stderr
    head, *rows = [line.split() for line in done.stdout.splitlines()]
    assert head in (["bytes", "net", "tmu"], ["bytes", "tcp", "tmu"])
    assert [int(row[0]) for row in rows] == [8, 4096, 16384, 65536]
    for _, below, unit in rows:
        assert 0 < float(unit) < 5 * float(below), done.stdout


def test_the_provider_compiles_without_a_warning(provider_folder: Path, tmp_path: Path) -> None:
    flags = [flag for flag in provider.FLAGS if not flag.startswith("-Wl,") and flag != "-shared"]
    sources = sorted(provider.SOURCES.glob("*.c"))
    command = ["gcc", *flags, "-Werror", "-c", f"-I{provider.SOURCES}", f"-I{provider.HEADERS}"]
    subprocess.run([*command, *sources], check=True, cwd=tmp_path)
    assert len(sources) == len(list(tmp_path.glob("*.o"))) > 10


def test_it_exports_its_door_alone(provider_folder: Path) -> None:
    """A program may bring a libtmu of its own, which must not be mixed up with this one's."""
    library = provider_folder / provider.NAME
    done = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    )
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["fi_prov_ini"]
