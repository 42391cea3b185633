# SPDX-License-Identifier: Apache-2.0
"""./tmu mpi: programs on several ranks, matched by the unit, every verdict checked."""

import dataclasses
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentmu import expected_log, regs
from opentmu.commands.mpi import summary
from opentmu.mpi import check, launch, library
from opentmu.mpi.report import verdict

TINY = regs.PRESETS["tiny"]
Done = subprocess.CompletedProcess[str]
Tmu = Callable[..., Done]
Compile = Callable[[str], Path]


def result_of(done: Done) -> dict[str, Any]:
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize("engine", launch.ENGINES)
def test_every_match_is_right(engine: str, tmu: Tmu, compile_mpi: Compile, tmp_path: Path) -> None:
    """R1 to R4, R7 to R12 as an MPI program sees them, in its own working folder."""
    compile_mpi("every_match.c")
    words = ["-n", "3", "--engine", engine, "--preset", "tiny", "--record", "left", "--json"]
    words += ["--spill", "0"]
    done = tmu("mpi", *words, "--", "./every_match", "4")
    assert "every match is right on 3 ranks" in done.stderr
    result = result_of(done)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0)
    assert [rank["name"] for rank in result["ranks"]] == ["rank-0", "rank-1", "rank-2"]
    assert result["operations"] == sum(rank["operations"] for rank in result["ranks"]) > 500
    for rank in result["ranks"]:
        unit = rank["unit"]
        assert rank["differences"] == []
        assert unit["truncated"] == 2
        assert unit["cancels"] == unit["cancelled"] == 1
        assert unit["claim_matched"] >= 1
        assert unit["arrive_queued"] > 8
        assert unit["post_refused"] >= 1
        assert unit["unexpected_depth_max"] == 64
        assert unit["posted_depth_max"] == 64
        assert rank["traffic"]["rendezvous"] >= 3
    for device in ("model", "rtl"):
        replays_to_the_same_verdicts(tmu, tmp_path / "left" / "rank-1", device, "--spill", "0")


def replays_to_the_same_verdicts(tmu: Tmu, stem: Path, engine: str, *more: str) -> None:
    """A rank's record is a trace for `./tmu run`, whose log is the rank's own, byte by byte."""
    log = stem.with_suffix(f".{engine}")
    words = ["--engine", engine, "--preset", "tiny", *more, "--verdicts", log]
    done = tmu("run", *words, "--trace", stem.with_suffix(".trace"))
    assert done.returncode == 0, done.stderr
    assert log.read_text() == stem.with_suffix(".verdicts").read_text() != ""


@pytest.mark.parametrize("engine", launch.ENGINES)
def test_every_match_is_right_with_memory(engine: str, tmu: Tmu, compile_mpi: Compile) -> None:
    """R11: nothing is refused and nothing held back; memory is used unless it is forbidden."""
    compile_mpi("every_match.c")
    words = ["-n", "3", "--engine", engine, "--preset", "tiny", "--json"]
    done = tmu("mpi", *words, "--", "./every_match", "4")
    assert "every match is right on 3 ranks" in done.stderr
    for rank in proven(done):
        assert rank["unit"]["post_refused"] == rank["unit"]["arrive_stalled"] == 0
        assert rank["unit"]["posted_depth_max"] >= 100


def proven(done: Done) -> list[dict[str, Any]]:
    """The ranks' reports of a run in which every check held and all memory was free at the end."""
    result = result_of(done)
    assert (done.returncode, result["ok"], result["mismatches"]) == (0, True, 0)
    for rank in result["ranks"]:
        spill = rank["spill"]
        assert spill["segments"] == TINY.spill_segments
        assert spill["chunks_free"] == spill["chunks"] > 0
    ranks: list[dict[str, Any]] = result["ranks"]
    return ranks


@pytest.mark.parametrize(("engine", "many"), [("model", 2000), ("software", 2000), ("rtl", 400)])
def test_a_program_that_needs_more_than_the_tables_ends(
    engine: str, many: int, tmu: Tmu, compile_mpi: Compile, tmp_path: Path
) -> None:
    """R7, R10, R11: receives and messages in reverse order, cancels among them, all in memory.

    What is on chip is answered before what lies in memory; the record is in the law's order.
    """
    compile_mpi("beyond_tables.c")
    words = ["-n", "2", "--engine", engine, "--preset", "tiny", "--record", "left", "--json"]
    done = tmu("mpi", *words, "--", "./beyond_tables", str(many))
    assert "every message is right on 2 ranks" in done.stderr
    for rank in proven(done):
        unit = rank["unit"]
        assert unit["post_refused"] == unit["arrive_stalled"] == 0
        assert unit["posted_depth_max"] >= many
        assert unit["unexpected_depth_max"] >= many
        assert unit["cancelled"] == len(range(1, many, 10))
        if engine == "rtl":
            assert unit["spill_appended"] >= 2 * (many - TINY.posted_entries)
            assert unit["spill_errors"] == unit["spill_refused"] == 0
            assert rank["spill"]["early"] > 0
    replays_to_the_same_verdicts(
        tmu, tmp_path / "left" / "rank-0", "model" if engine == "software" else engine
    )


def test_two_threads_share_a_rank(tmu: Tmu, compile_mpi: Compile) -> None:
    compile_mpi("../record/two_threads.c")
    options = ["-n", "2", "--engine", "model", "--preset", "tiny", "--json"]
    result = result_of(tmu("mpi", *options, "--", "./two_threads"))
    assert result["ok"]
    assert result["operations"] == 1600


def test_a_program_that_fails_or_has_no_mpi_is_reported(tmu: Tmu, provider_folder: Path) -> None:
    options = ["-n", "2", "--engine", "model", "--preset", "tiny"]
    done = tmu("mpi", *options, "--", "true")
    assert done.returncode == 1
    assert "2 of the ranks left no report" in done.stdout.replace("\n", " ")
    done = tmu("mpi", *options, "--json", "--", "sh", "-c", "exit 3")
    assert done.returncode == 1
    assert result_of(done)["program_exit_code"] == 3


def test_arguments_that_cannot_work_are_refused(tmu: Tmu, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for message, words in {
        "'--engine': 'quick' is not one of 'rtl', 'model', 'software'": [
            "--engine",
            "quick",
            "--",
            "true",
        ],
        "no preset 'huge'": ["--preset", "huge", "--", "true"],
        "no-such-program: no such program": ["--", "no-such-program"],
        "expected an empty folder": ["--record", "full", "--", "true"],
        "--spill 5: preset tiny takes 4": ["--preset", "tiny", "--spill", "5", "--", "true"],
        "Missing a program; expected tmu mpi [OPTIONS] -- PROGRAM": [],
    }.items():
        done = tmu("mpi", *words)
        assert done.returncode == 2
        assert message in done.stderr


def test_the_programs_environment_is_the_callers_and_ours() -> None:
    mpi = library.Library("system", Path("mpirun"), Path("mpicc"), library.OPEN_MPI)
    job = launch.Job(["true"], 2, "ref:tiny", Path("/ours"), Path("/files"), mpi)
    alone = launch.environment(job, {"PATH": "/bin", "LD_PRELOAD": "x.so"})
    assert (alone["PATH"], alone["LD_PRELOAD"]) == ("/bin", "x.so")
    assert (alone["TMU_URI"], alone["FI_PROVIDER_PATH"]) == ("ref:tiny", "/ours")
    assert alone["TMU_FI_REPORT"] == alone["TMU_FI_RECORD"] == "/files"
    assert "TMU_FI_SPILL" not in alone
    none = launch.environment(dataclasses.replace(job, spill=0), {"TMU_FI_SPILL": "3"})
    assert none["TMU_FI_SPILL"] == "0"
    both = launch.environment(job, {"FI_PROVIDER_PATH": "/theirs"})
    assert both["FI_PROVIDER_PATH"] == "/ours:/theirs"


REPORT: dict[str, Any] = {
    "name": "rank-0",
    "endpoints": 4,
    "posted_entries": 64,
    "unexpected_entries": 64,
    "shared": False,
    "differences": [],
    "spill": {"segments": 0},
    "unit": {**dict.fromkeys(check.KINDS, 0), "posts": 1, "arrivals": 2, "arrive_stalled": 1},
}
TRACE = "# tmu-trace v1\nraw-post 0 1 0x5 0x0 any 8\nraw-arrive 0 2 0x5 3 9\n"


def judged(
    folder: Path, verdicts: str, trace: str = TRACE, report: check.Report = REPORT
) -> check.Report:
    (folder / "rank-0.trace").write_text(trace)
    (folder / "rank-0.verdicts").write_text(verdicts)
    return check.judge(report, folder / "rank-0", expected_log.program())


def test_a_wrong_verdict_is_found(tmp_path: Path) -> None:
    right = "post 1 queued\narrive 2 matched 1 truncated\n"
    assert judged(tmp_path, right)["mismatches"] == 0
    wrong = judged(tmp_path, right.replace(" truncated", ""))
    assert wrong["mismatches"] == 1
    assert wrong["mismatch"].startswith("line 2: found 'arrive 2 matched 1', expected")


def test_memory_lifts_the_limits_of_the_tables(tmp_path: Path) -> None:
    """A refusal counts as an operation only where it is a verdict of the law."""
    unit = {**REPORT["unit"], "posts": 2, "post_refused": 1}
    registered = {**REPORT, "posted_entries": 0, "spill": {"segments": 1}, "unit": unit}
    assert "--posted" not in check.limits(registered) and "--posted" in check.limits(REPORT)
    right = "post 1 queued\narrive 2 matched 1 truncated\n"
    assert judged(tmp_path, right, report=registered)["mismatches"] == 0
    alone = judged(tmp_path, right, report={**registered, "spill": {"segments": 0}})
    assert "the unit counted 3 operations, 2 are recorded" in str(alone["mismatch"])


def test_an_operation_that_was_lost_is_found(tmp_path: Path) -> None:
    short = judged(tmp_path, "post 1 queued\n", TRACE.rsplit("raw-arrive", 1)[0])
    assert short["mismatch"] == "the unit counted 2 operations, 1 are recorded"
    assert judged(tmp_path, "post 1 queued\n")["mismatches"] == 2


def of_two(first: check.Report, second: check.Report) -> list[check.Report]:
    """Reports of two ranks of a shared unit: counted, and read before and after."""
    return [{**REPORT, "shared": True, **first}, {**REPORT, "shared": True, **second}]


def test_ranks_of_a_shared_unit_count_together() -> None:
    """The first to open it read its counters before, the last to end after all that both did."""
    one = {"counted": {"posts": 3, "flushes": 1}, "before": {"posts": 7, "flushes": 2}}
    two = {"counted": {"posts": 4, "flushes": 0}, "before": {"posts": 8, "flushes": 2}}
    early = {"unit": {"posts": 12, "flushes": 3}}
    late = {"unit": {"posts": 14, "flushes": 4}}
    assert check.shared(of_two({**one, **late}, {**two, **early})) == []
    assert check.shared(of_two({**one, **early}, {**two, **late})) == []
    for posts in (13, 15):
        wrong = {"unit": {"posts": posts, "flushes": 4}}
        assert check.shared(of_two({**one, **early}, {**two, **wrong})) == [
            f"the unit's counter posts: found {posts - 7}, expected 7"
        ]


def test_a_rank_of_a_shared_unit_is_judged_by_its_own_counts(tmp_path: Path) -> None:
    counted = {**REPORT["unit"], "post_refused": 0}
    whole = dict.fromkeys(REPORT["unit"], 100)
    shared = {**REPORT, "shared": True, "counted": counted, "unit": whole}
    assert "--posted" not in check.limits(shared)
    right = "post 1 queued\narrive 2 matched 1 truncated\n"
    assert judged(tmp_path, right, report=shared)["mismatches"] == 0


def test_a_run_is_well_only_when_everything_is() -> None:
    good = {"name": "rank-0", "operations": 2, "mismatches": 0, "differences": []}
    later = {**good, "name": "rank-0-2"}
    assert summary([good, later], 1, 0)["ok"]
    for found, ranks, code in (
        ([{**good, "mismatches": 1, "mismatch": "x"}], 1, 0),
        ([{**good, "differences": ["the unit's counter posts: found 1, expected 2"]}], 1, 0),
        ([good, later], 2, 0),
        ([], 1, 0),
        ([good], 1, 1),
    ):
        result = summary(found, ranks, code)
        assert not result["ok"]
        head = {"mpi": "system", "engine": "model", "preset": "tiny"}
        assert "agree" not in verdict({**result, **head})


@pytest.mark.long
def test_hpcc_ends_with_success_on_the_hardware(
    tmu: Tmu, provider_folder: Path, tmp_path: Path
) -> None:
    """Debian's HPC Challenge on four ranks, each with a simulated unit."""
    if shutil.which("hpcc") is None:
        pytest.fail("there is no hpcc; type: sudo apt-get install --no-install-recommends hpcc")
    sample = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
    (tmp_path / "hpccinf.txt").write_text(sample.read_text())
    done = tmu("mpi", "-n", "4", "--preset", "tiny", "--json", "--", "hpcc")
    assert result_of(done)["ok"]
    assert result_of(done)["operations"] > 50_000
    assert "\nSuccess=1\n" in (tmp_path / "hpccoutf.txt").read_text()
