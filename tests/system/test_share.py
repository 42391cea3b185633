# SPDX-License-Identifier: Apache-2.0
"""Recorded traffic in sessions of tmu-share: one has the unit's endpoints, or two at once.

Each log is the law's.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.build import verilate
from opentmu.mpi import share

from . import sessions, shapes
from .device_process import PATIENCE, replay_words, running

MELT = paths.TRACES / "lammps-melt.trace.gz"


@pytest.fixture(params=["ref", "sim", "vfu"])
def uri(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URI of a session, without options, for each kind of device."""
    if request.param == "vfu":
        with running() as device, share.serving(device.uri, None) as one:
            yield one.partition("?")[0]
        return
    device_uri = "ref:tiny" if request.param == "ref" else f"sim:{verilate.library('tiny')}"
    with share.serving(device_uri, None) as one:
        yield one.partition("?")[0]


def start(uri: str, endpoints: int, trace: Path) -> subprocess.Popen[str]:
    """A replay in a session, whose log is beside the trace."""
    words = replay_words(f"{uri}?endpoints={endpoints}", "--trace", trace)
    words += ["--verdicts", str(trace.with_suffix(".log"))]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_traffic_in_sessions_gives_the_log_of_the_law(uri: str, tmp_path: Path) -> None:
    """R3, R4, R7, R11, R13: two at the same time, then one with queues far beyond the tables."""
    together = [sessions.part(MELT, i, 2, tmp_path / f"part-{i}") for i in (0, 2)]
    reverse = shapes.write(tmp_path / "reverse", shapes.reverse(200, endpoint=0))
    for traces, endpoints in ((together, 2), ([reverse], 4)):
        for trace, process in [(trace, start(uri, endpoints, trace)) for trace in traces]:
            said = process.communicate(timeout=PATIENCE)[0]
            assert process.returncode == 0, said
            assert trace.with_suffix(".log").read_text() == sessions.law(trace, endpoints) != ""
