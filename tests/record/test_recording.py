# SPDX-License-Identifier: Apache-2.0
"""Programs recorded under mpirun; the recording itself checks its replay by the model."""

import gzip
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu.errors import BadInput, CheckFailed, ToolMissing
from opentmu.record.cli import Recording, record
from opentmu.record.library import library

from .plain_law import replay

Compile = Callable[..., None]


@pytest.fixture
def compile_mpi(compile_mpi: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compile:
    """Builds a program of this folder into the test's own, which becomes the working folder."""
    try:
        library()
    except ToolMissing as error:
        pytest.skip(str(error))
    monkeypatch.chdir(tmp_path)
    return compile_mpi


def operations(trace: Path) -> list[list[str]]:
    data = trace.read_bytes()
    text = (gzip.decompress(data) if trace.suffix == ".gz" else data).decode()
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


@pytest.fixture
def every_call(compile_mpi: Compile) -> Recording:
    compile_mpi("every_call.c")
    return record(["mpirun", "-n", "4", "./every_call"], Path("every.trace.gz"))


def test_every_kind_of_call_is_recorded_and_repeated(every_call: Recording) -> None:
    """R3, R4, R8 to R10, R12; `record` raises when the model's replay differs from the run."""
    words = operations(every_call.output)
    assert len(words) == every_call.operations
    verdicts = [line.split() for line in replay(" ".join(line) for line in words)]
    found = Counter((verdict[0], verdict[2]) for verdict in verdicts)
    assert found["cancel", "cancelled"] == 8
    assert found["cancel", "late"] == 4
    assert found["claim", "matched"] == 3
    assert found["claim", "none"] == 1
    assert found["probe", "none"] >= 2
    assert found["probe", "found"] >= 4
    assert found["arrive", "matched"] and found["post", "matched"]
    assert sum(verdict[-1] == "truncated" for verdict in verdicts) == 4
    unexplained = ("unexplained", "left-out", "disagreeing", "replay", "ranks-cut")
    assert not [name for name in every_call.facts if name.startswith(unexplained)]


def test_communicators_persistent_requests_and_proc_null(every_call: Recording) -> None:
    arrivals = [words for words in operations(every_call.output) if words[0] == "arrive"]
    tags = Counter(int(words[5]) for words in arrivals)
    made = [words[3] for words in arrivals if words[5] == "5" and words[3] != "0"]
    assert tags[70] == 20  # five starts on each of four ranks
    assert tags[82] == 0  # to MPI_PROC_NULL
    assert len(made) == 33  # one for each member of each communicator
    assert len(set(made)) == 10
    assert every_call.facts["contexts"] == "12"
    assert every_call.facts["ranks"] == "4"


def test_the_fortran_calls_are_recorded(compile_mpi: Compile) -> None:
    """Open MPI's Fortran library calls the PMPI names, which must be ours too."""
    compile_mpi("fortran_calls.c", "-lmpi_mpifh")
    made = record(["mpirun", "-n", "3", "./fortran_calls"], Path("fortran.trace"))
    kinds = Counter(words[0] for words in operations(made.output))
    assert kinds == {"post": 3, "arrive": 3}


def test_two_threads_of_a_rank_are_recorded_and_said_to_be(compile_mpi: Compile) -> None:
    compile_mpi("two_threads.c", "-lpthread")
    made = record(["mpirun", "-n", "2", "./two_threads"], Path("threads.trace"))
    assert "several threads" in made.facts["threads"]
    kinds = Counter(words[0] for words in operations(made.output))
    assert kinds == {"post": 800, "arrive": 800}


def test_a_program_that_fails_is_reported_and_its_record_kept(compile_mpi: Compile) -> None:
    """every_call ends itself by MPI_Abort when it does not have its four ranks."""
    compile_mpi("every_call.c")
    with pytest.raises(CheckFailed, match="ended with exit code 1"):
        record(["mpirun", "-n", "2", "./every_call"], Path("failed.trace"))
    text = Path("failed.trace").read_text()
    assert "# program-exit-code: 1\n" in text
    assert "# ranks-cut-short: 2\n" in text


def test_the_program_keeps_the_callers_path_and_folder(compile_mpi: Compile) -> None:
    """Builds of ours change this process's PATH; the recorded command must not notice."""
    compile_mpi("fortran_calls.c", "-lmpi_mpifh")
    path = os.environ["PATH"]
    script = 'printf "%s\n%s\n" "$PATH" "$PWD" > seen && exec mpirun -n 2 ./fortran_calls'
    record(["sh", "-c", script], Path("seen.trace"))
    assert Path("seen").read_text().splitlines() == [path, str(Path.cwd())]


def test_a_program_without_mpi_is_refused(compile_mpi: Compile) -> None:
    with pytest.raises(CheckFailed, match="Nothing was recorded"):
        record(["mpirun", "-n", "2", "true"], Path("none.trace"))
    assert not Path("none.trace").exists()


def test_arguments_that_cannot_work_are_refused_before_the_run(tmp_path: Path) -> None:
    out = tmp_path / "x.trace"
    for message, arguments in {
        "no command": ([], out),
        "no such program": (["no-such-program-here"], out),
        "existing folder": (["true"], tmp_path / "missing" / "x.trace"),
    }.items():
        with pytest.raises(BadInput, match=message):
            record(*arguments)
    with pytest.raises(BadInput, match="delay of -1 ns"):
        record(["true"], out, -1)
    with pytest.raises(BadInput, match="limit of 0"):
        record(["true"], out, max_operations=0)
    with pytest.raises(BadInput, match="metadata name 'A b'"):
        record(["true"], out, given={"A b": "c"})
    assert shutil.which("true") and not out.exists()
