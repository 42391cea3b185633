# SPDX-License-Identifier: Apache-2.0
"""`tmu-dump`: both queues of each endpoint in words, after a part of a trace."""

import subprocess
from pathlib import Path

import pytest
from opentmu import regs
from opentmu.build import cbuild, verilate

pytestmark = pytest.mark.slow

TINY = regs.PRESETS["tiny"]
TRACE = """# tmu-trace v1
post 0 1 0 any any 8
post 0 2 3 5 -7 80
raw-post 0 3 0x100000002 0xff any 9
arrive 1 11 0 2 3 100
cancel 0 4 1
"""


def dump(
    trace: Path, *options: str | Path, uri: str = "ref:tiny"
) -> subprocess.CompletedProcess[str]:
    program = cbuild.program(cbuild.ensure(), "tmu-dump")
    words = [program, "--uri", uri, "--trace", trace, *options]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def shown(trace: Path, *options: str, uri: str = "ref:tiny") -> list[str]:
    """Printed lines without addresses, which are the replay's own."""
    done = dump(trace, *options, uri=uri)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    lines = [line.partition(", address 0x") for line in done.stdout.splitlines()]
    assert all(address for words, _, address in lines if "handle" in words)
    return [words for words, _, _ in lines]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "some.trace"
    path.write_text(TRACE)
    return path


def devices() -> list[str]:
    return ["ref:tiny", f"sim:{verilate.library('tiny')}"]


def test_queues_in_words(trace: Path) -> None:
    """R2, R10: what is wild, what has other masks, and nothing of what was cancelled."""
    for uri in devices():
        assert shown(trace, uri=uri) == [
            "endpoint 0: 2 receives, 0 messages",
            "  receive 0: context 3, tag -7, source 5, 80 bytes, handle 2",
            "  receive 1: match 0x100000002 but for 0xff, any source, 9 bytes, handle 3",
            "endpoint 1: 0 receives, 1 messages",
            "  message 0: context 0, tag 3, source 2, 100 bytes, handle 11",
        ]


def test_in_the_middle_of_a_trace(trace: Path) -> None:
    assert shown(trace, "--stop", "1") == [
        "endpoint 0: 1 receives, 0 messages",
        "  receive 0: context 0, any tag, any source, 8 bytes, handle 1",
    ]
    assert shown(trace, "--stop", "0") == []


def test_one_endpoint(trace: Path) -> None:
    assert shown(trace, "--endpoint", "1")[0] == "endpoint 1: 0 receives, 1 messages"
    assert shown(trace, "--endpoint", "2") == []


def test_entries_in_memory_are_shown_behind_the_others(tmp_path: Path) -> None:
    """R11: the hardware's queue is the model's, which has all of it on chip."""
    trace = tmp_path / "deep.trace"
    count = TINY.posted_entries + 9
    posts = "".join(f"post 2 {n} 0 0 {n} 8\n" for n in range(count))
    trace.write_text("# tmu-trace v1\n" + posts)
    model, hardware = (shown(trace, uri=uri) for uri in devices())
    assert model[0] == f"endpoint 2: {count} receives, 0 messages"
    ends = [f"tag {n}, source 0, 8 bytes, handle {n}" for n in range(count)]
    assert all(line.endswith(end) for line, end in zip(model[1:], ends, strict=True))
    assert hardware == model
    told = [dump(trace, uri=uri).stdout.count(", in memory\n") for uri in devices()]
    assert told == [0, 9]


def test_held_messages_are_counted(tmp_path: Path) -> None:
    """R11: without memory a full table leaves the rest to the driver."""
    trace = tmp_path / "full.trace"
    count = TINY.unexpected_entries + 3
    arrivals = "".join(f"arrive 2 {n} 0 0 {n} 8\n" for n in range(count))
    trace.write_text("# tmu-trace v1\n" + arrivals)
    lines = shown(trace, "--spill", "0")
    assert len(lines) == TINY.unexpected_entries + 2
    assert lines[-1] == "held back by the driver: 3 messages"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["more"], "tmu-dump: found a word that is no option"),
        (["--stop", "x"], "tmu-dump: found --stop 'x', expected a number from 0"),
        (["--endpoint", "4"], "tmu-dump: --endpoint 4: the device has endpoints 0 to 3"),
        (["--spill", "5"], "tmu-dump: spill memory: "),
        (["--nothing"], "usage: tmu-dump"),
        (["--uri", "sim:none"], "tmu-dump: there is no libtmu_sim_none.so"),
        (["--trace", "/nowhere"], "tmu-dump: /nowhere"),
    ],
)
def test_bad_words_end_with_2(trace: Path, words: list[str], complaint: str) -> None:
    done = dump(trace, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert complaint in done.stderr


def test_without_a_device_or_a_trace() -> None:
    program = cbuild.program(cbuild.ensure(), "tmu-dump")
    for words, complaint in (([], "no --uri"), (["--uri", "ref:tiny"], "no --trace")):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and f"tmu-dump: found {complaint}" in done.stderr
    told = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    assert told.returncode == 0 and told.stdout.startswith("usage: tmu-dump --uri URI")
