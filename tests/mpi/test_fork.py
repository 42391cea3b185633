# SPDX-License-Identifier: Apache-2.0
"""A process under the provider forks: its child's end is the end of nothing else."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from opentmu import paths
from opentmu.build import cbuild, verilate
from opentmu.mpi import check, share

Build = Callable[..., Path]
HERE = Path(__file__).parent


@contextmanager
def device() -> Iterator[str]:
    """The URI of the Verilated preset tiny in a process of its own."""
    with TemporaryDirectory(prefix="tmu-fork-") as folder:
        socket = f"{folder}/socket"
        program = cbuild.program(cbuild.ensure(), "tmu-device")
        words: list[str | Path] = [
            program,
            "--library",
            verilate.library("tiny"),
            "--socket",
            socket,
        ]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert f" at {socket}" in process.stderr.readline()
            yield f"vfu:{socket}"
            process.terminate()


@pytest.fixture(params=["ref", "sim", "vfu", "share"])
def uri(request: pytest.FixtureRequest) -> Iterator[str]:
    """A device of each kind that runs without a machine of its own."""
    if request.param == "ref":
        yield "ref:tiny"
    elif request.param == "sim":
        yield f"sim:{verilate.library('tiny')}"
    elif request.param == "vfu":
        with device() as one:
            yield one
    else:
        with share.serving("ref:tiny", None) as one:
            yield f"{one.partition('?')[0]}?endpoints=2"


def test_a_child_that_exits_ends_nothing(
    uri: str, compile_fabric: Build, provider_folder: Path, tmp_path: Path
) -> None:
    """Its parent's device matches on, and the report and the recording are the parent's alone."""
    program = compile_fabric(HERE / "fabric_fork.c", tmp_path)
    files = {"TMU_FI_REPORT": str(tmp_path), "TMU_FI_RECORD": str(tmp_path)}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TMU_")}
    settings = {**kept, "FI_PROVIDER_PATH": str(provider_folder), "TMU_URI": uri, **files}
    done = subprocess.run(
        [program], env=settings, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the parent goes on\n", "")
    (report,) = check.reports(tmp_path)
    assert (report["mismatches"], report["differences"]) == (0, [])
    assert report["counted"]["posts"] == 41


def test_no_wait_is_by_a_clock_that_can_be_set() -> None:
    """One that is set back would prolong it."""
    folders = (paths.ROOT / "sw-driver", paths.SIM, paths.TOOLS)
    sources = [file for folder in folders for file in folder.rglob("*.[ch]*")]
    assert len(sources) > 100
    assert [file.name for file in sources if "CLOCK_REALTIME" in file.read_text()] == []
