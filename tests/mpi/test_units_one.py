# SPDX-License-Identifier: Apache-2.0
"""./tmu mpi --units one: the ranks share a unit, and some are killed while others go on."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentmu import paths, regs
from opentmu.build import cbuild, verilate
from opentmu.commands.mpi import summary
from opentmu.mpi import check, launch, library, provider, share
from opentmu.mpi.report import verdict
from opentmu.replay import engine as replay

from .test_mpi import (
    REPORT,
    Compile,
    Done,
    Tmu,
    of_two,
    replays_to_the_same_verdicts,
    result_of,
)

TINY = regs.PRESETS["tiny"]
PATIENCE = 120.0
# Rounds of small messages that no test waits for.
ENDLESS = "1000000"


@pytest.mark.parametrize(("engine", "ranks"), [("model", 3), ("rtl", 2), ("rtl", 4)])
def test_ranks_share_a_unit(
    engine: str, ranks: int, tmu: Tmu, compile_mpi: Compile, tmp_path: Path
) -> None:
    """R1 to R13: every verdict is right, and the unit counted what the ranks did, once."""
    compile_mpi("every_match.c")
    words = ["-n", str(ranks), "--units", "one", "--engine", engine, "--preset", "tiny", "--json"]
    words += ["--record", "left"]
    proven(tmu("mpi", *words, "--", "./every_match", "4"), ranks)
    for rank in range(ranks):
        replays_to_the_same_verdicts(tmu, tmp_path / "left" / f"rank-{rank}", engine)


def test_ranks_of_mpich_share_a_unit(
    tmu: Tmu,
    compile_with: Callable[..., Path],
    fetched: Callable[[str], library.Library],
    tmp_path: Path,
) -> None:
    source = paths.ROOT / "tests" / "mpi" / "every_match.c"
    program = compile_with(fetched("mpich").compiler, source, tmp_path)
    words = ["-n", "2", "--units", "one", "--preset", "tiny", "--mpi", "mpich", "--json"]
    proven(tmu("mpi", *words, "--", str(program), "4"), 2)


def proven(done: Done, ranks: int) -> None:
    """Every check of such a run held."""
    assert f"every match is right on {ranks} ranks" in done.stderr, done.stderr
    result = result_of(done)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0)
    assert (result["units"], result["differences"]) == ("one", [])
    assert [rank["name"] for rank in result["ranks"]] == [f"rank-{i}" for i in range(ranks)]
    for rank in result["ranks"]:
        assert rank["shared"]
        assert rank["endpoints"] == 1
        assert rank["differences"] == []
        assert rank["counted"]["truncated"] == 2
        assert rank["counted"]["cancelled"] >= 1
        assert rank["counted"]["post_refused"] == rank["counted"]["arrive_stalled"] == 0
        assert rank["spill"]["segments"] == TINY.spill_segments
    for kind in ("posts", "arrivals", "truncated", "claim_matched"):
        counted = sum(rank["counted"][kind] for rank in result["ranks"])
        assert result["unit"][kind] == counted > 0


def test_the_report_shows_the_unit_once(tmu: Tmu, compile_mpi: Compile) -> None:
    """Without memory the tables are all that there is, and here they are enough."""
    compile_mpi("../record/two_threads.c")
    words = ["-n", "2", "--units", "one", "--engine", "model", "--preset", "tiny", "--spill", "0"]
    done = tmu("mpi", *words, "--", "./two_threads")
    assert done.returncode == 0, done.stderr
    text = re.sub(r"\s+", " ", done.stdout)
    posts = re.search(r" posts ([\d,]+) ([\d,]+) ([\d,]+) ", text)
    assert posts is not None, done.stdout
    first, second, unit = (int(number.replace(",", "")) for number in posts.groups())
    assert first + second == unit > 0
    assert "and the unit's counters with the sum of the ranks'" in text


def test_what_cannot_be_shared_is_said_before_anything_starts(tmu: Tmu) -> None:
    for message, words in {
        "'--units': 'two' is not one of 'each', 'one'": ["--units", "two"],
        "-n 5 --units one: a unit of preset tiny has 4 endpoints, and each rank needs one; give "
        "at most -n 4, another preset, or --units each": ["-n", "5", "--units", "one"],
        "-n 257 --units one: a unit of preset nic has 256 sessions": [
            *("-n", "257", "--units", "one", "--preset", "nic")
        ],
    }.items():
        done = tmu("mpi", "--preset", "tiny", *words, "--", "true")
        assert done.returncode == 2
        assert message in done.stderr.replace("\n", " ")


def test_the_number_of_sessions_is_that_of_the_program() -> None:
    header = (paths.ROOT / "sw-driver/share/share.h").read_text()
    assert f"#define SHARE_SESSIONS_MAX {share.SESSIONS}\n" in header


def test_counters_that_do_not_add_up_are_a_failure() -> None:
    """A run is well only if the unit counted what its ranks did."""
    kinds = ("posts", "flushes")
    for posts, ok in ((7, True), (8, False)):
        one = {"counted": {"posts": 3, "flushes": 1}, "before": dict.fromkeys(kinds, 0)}
        two = {"counted": {"posts": 4, "flushes": 0}, "before": dict.fromkeys(kinds, 0)}
        unit = {"unit": {"posts": posts, "flushes": 2}}
        good = {"operations": 1, "mismatches": 0, "traffic": {"rendezvous": 0}}
        found = of_two({**one, **unit, **good}, {**two, **unit, **good, "name": "rank-1"})
        result = summary(found, 2, 0, share.ONE)
        assert result["ok"] is ok
        text = verdict({**result, "mpi": "system"})
        assert ("agree" in text) is ok
        assert ("the unit's counter posts: found 8, expected 7" in text) is not ok
    assert "unit" not in summary([REPORT | {"operations": 0, "mismatches": 0}], 1, 0)


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """A `tmu` that is killed leaves nothing behind."""
    program = cbuild.program(cbuild.ensure(), share.PROGRAM)
    socket = tmp_path / "s"
    script = f"{program} --with-parent ref:tiny {socket} & wait"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None
        assert shell.stdout.readline().startswith("tmu-share: ")
        shell.kill()
        assert shell.stdout.read() == "", "nobody has its output any more"
    wait_for(lambda: not socket.exists())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), "another number of words than two, a device and a socket"),
        (("ref:tiny",), "another number of words than two, a device and a socket"),
        (("--spill", "x", "ref:tiny", "s"), "another word than a number behind --spill"),
    ],
)
def test_words_that_it_does_not_know_are_said(words: tuple[str, ...], found: str) -> None:
    program = cbuild.program(cbuild.ensure(), share.PROGRAM)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tmu-share: found {found}\nusage: tmu-share ")


# ---- ranks that are killed ---------------------------------------------------------------------


@contextmanager
def unit_of(engine: str, folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A unit that several jobs share: what a rank opens, and the process that has it."""
    device = verilate.library("tiny") if engine == "rtl" else None
    uri = replay.uri(replay.Options(engine, "tiny"), device, None)
    socket = folder / "s"
    words: list[str | Path] = [cbuild.program(cbuild.ensure(), share.PROGRAM), uri, socket]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == (
                f"tmu-share: share:{socket} has 4 endpoints and 64 queues\n"
            )
            yield f"share:{socket}?endpoints=1", process
        finally:
            process.kill()


def start(uri: str, command: list[str], files: Path, mpi: library.Library) -> subprocess.Popen[str]:
    """A job of two ranks, which leave their files there."""
    files.mkdir()
    job = launch.Job(command, 2, uri, provider.folder(), files, mpi)
    return subprocess.Popen(
        launch.words(job),
        env=launch.environment(job, os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def in_traffic(files: Path) -> bool:
    """Whether a rank's operations have reached its record."""
    trace = files / "rank-1.trace"
    return trace.is_file() and trace.stat().st_size > 0


@pytest.fixture
def endless(compile_mpi: Compile) -> list[str]:
    """A program whose ranks write down their process and do not end by themselves."""
    compile_mpi("every_match.c")
    return ["sh", "-c", "echo $$ >rank-$OMPI_COMM_WORLD_RANK; exec ./every_match " + ENDLESS]


def test_a_killed_rank_harms_no_other_job(
    endless: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R13, R14: another job goes on to a right end, and the next one has the killed one's slots.

    The preset has four endpoints, two for each job.
    """
    monkeypatch.chdir(tmp_path)
    mpi = library.system()
    with unit_of("rtl", tmp_path) as (uri, process):
        killed = start(uri, endless, tmp_path / "killed", mpi)
        wait_for(lambda: in_traffic(tmp_path / "killed"))
        lives = start(uri, ["./every_match", ENDLESS, "over"], tmp_path / "lives", mpi)
        wait_for(lambda: in_traffic(tmp_path / "lives"))
        os.kill(int((tmp_path / "rank-1").read_text()), signal.SIGKILL)
        killed.communicate(timeout=PATIENCE)
        assert killed.returncode != 0
        following = start(uri, ["./every_match", "4"], tmp_path / "next", mpi)
        said = following.communicate(timeout=PATIENCE)[0]
        assert (following.returncode, lives.poll()) == (0, None), said
        (tmp_path / "over").touch()
        said += lives.communicate(timeout=PATIENCE)[0]
        assert lives.returncode == 0, said
        assert said.count("every match is right on 2 ranks") == 2
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    for name in ("next", "lives"):
        found = check.reports(tmp_path / name)
        assert [rank["name"] for rank in found] == ["rank-0", "rank-1"]
        for rank in found:
            assert (rank["mismatches"], rank["mismatch"], rank["differences"]) == (0, None, [])
            assert rank["operations"] > 500
    assert check.shared(check.reports(tmp_path / "lives")) != [], "the unit counts for all jobs"


def test_a_unit_that_is_gone_ends_its_ranks_with_a_sentence(
    endless: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with unit_of("model", tmp_path) as (uri, process):
        job = start(uri, endless, tmp_path / "job", library.system())
        wait_for(lambda: in_traffic(tmp_path / "job"))
        process.kill()
        said = job.communicate(timeout=PATIENCE)[0]
    assert job.returncode != 0
    assert f"tmu-share at {tmp_path}/s has ended" in said
    assert "Segmentation fault" not in said, said
    late = start(uri, endless, tmp_path / "late", library.system())
    said = late.communicate(timeout=PATIENCE)[0]
    assert late.returncode != 0
    assert f"nobody answers at {tmp_path}/s: tmu-share has ended; start it again" in said
