# SPDX-License-Identifier: Apache-2.0
"""MPI programs whose messages travel by cards and a switch alone: ./tmu mpi --wire."""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentmu.bench.simulate import CARD_CONFIGURATION
from opentmu.build import cbuild
from opentmu.mpi import check, library, wire
from opentmu.mpi.report import verdict

from .conftest import SANITIZE
from .test_libraries import ARGUMENTS, CONFORMANCE, Fetched
from .test_mpi import Compile, Tmu, result_of
from .test_provider import HERE, Build, leak_check, run

ALL = ["--drop", "0.01", "--duplicate", "0.01", "--reorder", "0.01", "--corrupt", "0.01"]


def delivered(done: subprocess.CompletedProcess[str], *, lossy: bool = True) -> dict[str, Any]:
    """The result of a run over cards in which every check held, and packets were lost."""
    result = result_of(done)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0), done.stderr
    assert result["differences"] == []
    cards = [rank["network"] for rank in result["ranks"]]
    assert sum(card["delivered"] for card in cards) == sum(card["messages_taken"] for card in cards)
    assert sum(card["messages_taken"] for card in cards) > 0
    if lossy:
        assert result["wire"]["switch"]["dropped"] > 0
        assert sum(card["sent_again"] for card in cards) > 0
    return result


def test_every_match_is_right_over_a_lossy_wire(tmu: Tmu, compile_mpi: Compile) -> None:
    """R1 to R4, R7 to R12, W1, W3 and W4 as an MPI program sees them, messages to itself too."""
    compile_mpi("every_match.c")
    words = ["--wire", *ALL, "-n", "3", "--engine", "software", "--preset", "tiny", "--json"]
    done = tmu("mpi", *words, "--", "./every_match", "4")
    assert "every match is right on 3 ranks" in done.stderr
    result = delivered(done)
    assert result["operations"] > 1000
    for rank in result["ranks"]:
        assert rank["unit"]["truncated"] >= 1
        assert rank["unit"]["cancelled"] == 1
        assert rank["unit"]["claim_matched"] >= 1
        assert rank["unit"]["arrive_queued"] > 8
        assert rank["traffic"]["rendezvous"] >= 3


@pytest.mark.mill
def test_a_program_is_right_over_cards_of_hardware(tmu: Tmu, compile_mpi: Compile) -> None:
    """W1 to W6 with the Verilated card of each rank: every byte, verdict and counter."""
    compile_mpi("ring.c")
    words = ["--wire", *ALL, "-n", "2", "--engine", "rtl", "--config", str(CARD_CONFIGURATION)]
    done = tmu("mpi", *words, "--json", "--", "./ring")
    assert "0 bytes are wrong on 2 ranks" in done.stderr
    result = delivered(done)
    assert all(rank["traffic"]["rendezvous"] >= 2 for rank in result["ranks"])
    assert result["operations"] > 100


@pytest.mark.long
@pytest.mark.parametrize("name", list(library.CHOICES))
def test_every_program_is_right_over_a_lossy_wire(
    name: str, tmu: Tmu, fetched: Fetched, compile_with: Build, tmp_path: Path
) -> None:
    """R1 to R12 as conformance programs see them: each program on each MPI."""
    chosen = fetched(name)
    for source in CONFORMANCE:
        program = compile_with(chosen.compiler, source, tmp_path)
        more = ARGUMENTS.get((name, source.stem), [])
        words = ["--wire", *ALL, "--mpi", name, "-n", "4", "--preset", "tiny", "--json"]
        done = tmu("mpi", *words, "--", program, *more)
        assert "right on 4 ranks" in done.stderr, source
        delivered(done)


@pytest.mark.long
def test_hpcc_ends_with_success_over_a_lossy_wire(
    tmu: Tmu, provider_folder: Path, tmp_path: Path
) -> None:
    assert provider_folder.is_dir()
    if shutil.which("hpcc") is None:
        pytest.fail("there is no hpcc; type: sudo apt-get install --no-install-recommends hpcc")
    sample = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
    (tmp_path / "hpccinf.txt").write_text(sample.read_text())
    words = ["--wire", "--drop", "0.01", "-n", "4", "--preset", "tiny", "--json"]
    delivered(tmu("mpi", *words, "--", "hpcc"))
    assert "\nSuccess=1\n" in (tmp_path / "hpccoutf.txt").read_text()


def test_a_rank_that_is_killed_ends_the_run(tmu: Tmu, tmp_path: Path) -> None:
    """The run ends, in no time, and says which rank left no report."""
    (tmp_path / "dies.c").write_text(
        "#include <mpi.h>\n#include <signal.h>\n#include <unistd.h>\n"
        "int main(int c, char **v) { int r = 0; MPI_Init(&c, &v);\n"
        "MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
        "for (int i = 0; i < 100; ++i) { MPI_Barrier(MPI_COMM_WORLD);\n"
        "if (r == 1 && i == 50) kill(getpid(), SIGKILL); }\n"
        "MPI_Finalize(); }\n"
    )
    subprocess.run(["mpicc", "-o", "dies", "dies.c"], cwd=tmp_path, check=True)
    start = time.monotonic()
    done = tmu("mpi", "--wire", "-n", "2", "--preset", "tiny", "--json", "--", "./dies")
    result = result_of(done)
    assert done.returncode == 1
    assert not result["ok"]
    assert result["missing"] >= 1
    assert time.monotonic() - start < 60


# ---- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--wire", "--engine", "rtl"], "small: pdcs is 0; a card has a network side"),
        (["--wire", "--units", "one"], "--wire --units one: expected each, a card for each rank"),
        (["--wire", "-n", "49"], "-n 49 --wire: found more ranks than the 48 ports"),
        (["--drop", "0.1", "--seed", "3"], "--drop, --seed: expected --wire beside it"),
    ],
)
def test_what_no_card_does_is_refused(words: list[str], sentence: str, tmu: Tmu) -> None:
    done = tmu("mpi", *words, "--", "true")
    assert done.returncode == 2
    assert sentence in done.stderr


def card(**counters: int) -> dict[str, Any]:
    """A rank's report: 10 messages to another, each in a frame, and 10 from it."""
    network = dict.fromkeys(("failed", "link_full", "dropped"), 0)
    network |= {"delivered": 10, "messages_taken": 10, "frames_sent": 20, "accepted": 20}
    return {"network": network | counters}


SWITCH = {"received": 40, "sent": 40}


@pytest.mark.parametrize(
    ("first", "switch", "sentence"),
    [
        ({"failed": 1}, SWITCH, "1 messages were not delivered"),
        ({"delivered": 9}, SWITCH, "messages that entered units: found 20, 19 were delivered"),
        ({"accepted": 21}, SWITCH, "frames: 40 were sent"),
        ({"frames_sent": 19}, SWITCH, "frames: 39 were sent"),
        ({}, {}, "found the counters of 2 cards of 2, and a switch's"),
    ],
)
def test_counters_that_contradict_each_other_are_said(
    first: dict[str, int], switch: dict[str, int], sentence: str
) -> None:
    """W1, W4, W6: of cards, provider and switch."""
    assert wire.differences([card(), card()], SWITCH) == []
    wrong = wire.differences([card(**first), card()], switch)
    assert sentence in wrong[0]
    result = {"ranks": [], "missing": 0, "program_exit_code": 0, "differences": wrong, "wire": {}}
    assert verdict(result) == wrong[0]


def test_frames_after_a_report_are_no_contradiction() -> None:
    """One reached a card that had told its counters, and was answered."""
    assert wire.differences([card(), card()], {"received": 41, "sent": 41}) == []
    (wrong,) = wire.differences([card(), card()], {"received": 41, "sent": 40})
    assert "frames: 40 were sent" in wrong


def test_frames_of_a_card_to_itself_are_counted() -> None:
    own = [card(frames_sent=25, accepted=25), card()]
    assert wire.differences(own, SWITCH) == []


# ---- the provider alone ---------------------------------------------------------------------


@pytest.fixture
def switch(tmp_path: Path) -> Iterator[str]:
    """The URI of a card that is linked to a switch."""
    socket = tmp_path / "s"
    program = cbuild.program(cbuild.ensure(), wire.PROGRAM)
    words: list[str | Path] = [program, "--ports", "4", "--socket", socket]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.readline()
        yield f"ref:tiny?link=unix:{socket}"
        process.send_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("fabric_calls.c", "every completion is right\n"),
        ("fabric_counters.c", "every operation is counted\n"),
    ],
)
def test_completions_over_a_card_are_those_over_tcp(
    source: str, says: str, switch: str, compile_fabric: Build, sanitized: Path, tmp_path: Path
) -> None:
    """R7 to R10, R12, R14; nothing leaks, also what is on its way when an endpoint is closed."""
    program = compile_fabric(HERE / source, tmp_path, *SANITIZE)
    settings = {"TMU_FI_REPORT": str(tmp_path), "TMU_FI_RECORD": str(tmp_path)}
    settings |= {"TMU_URI": switch, "TMU_FI_ADDRESS": "10.0.0.7"}
    done = run(program, sanitized, **leak_check(sanitized), **settings)
    assert (done.returncode, done.stdout) == (0, says), done.stderr
    assert done.stderr == ""
    (report,) = check.reports(tmp_path)
    assert (report["mismatches"], report["differences"]) == (0, [])
    if source == "fabric_calls.c":
        assert report["unit"]["truncated"] == 1  # the provider cuts what was announced
        assert report["unit"]["claim_matched"] == 6
        assert report["unit"]["removed_unexpected"] == 2  # R14, when an endpoint was closed


def test_what_a_card_is_set_wrong_is_said(
    switch: str, fabric_calls: Path, provider_folder: Path
) -> None:
    for uri, address, sentence in (
        ("ref:tiny", "10.0.0.7", "TMU_FI_ADDRESS is set, and the device is no card"),
        (switch, None, "the device is a card, expected its address as TMU_FI_ADDRESS"),
        (switch, "10.0.0", "TMU_FI_ADDRESS=10.0.0: expected an address of IPv4, or a network"),
        (switch, "10.0.0.0/7", "TMU_FI_ADDRESS=10.0.0.0/7: expected an address of IPv4"),
        (switch, "10.0.0.0/8", "TMU_FI_ADDRESS=10.0.0.0/8: found no rank in job 0"),
    ):
        settings = {"TMU_URI": uri} | ({} if address is None else {"TMU_FI_ADDRESS": address})
        done = run(fabric_calls, provider_folder, **settings)
        assert done.returncode == 1
        assert f"tmu provider: {sentence}" in done.stderr
    for text in ("", "0", "4000001", "1 ms", "-1"):
        settings = {"TMU_URI": switch, "TMU_FI_ADDRESS": "10.0.0.7", "TMU_FI_RETRANSMIT": text}
        done = run(fabric_calls, provider_folder, **settings)
        assert done.returncode == 1
        assert f"TMU_FI_RETRANSMIT={text}: expected microseconds from 1 to" in done.stderr
