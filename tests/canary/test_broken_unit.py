# SPDX-License-Identifier: Apache-2.0
"""Whole units with one wrong line: the main job's checker notices and tells the story.

Those whose submission queues are wrong are noticed by many queues at work.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from opentmu import paths
from opentmu.benchmark import queues
from opentmu.build import cbuild, rtl, verilate

# File of the elaborated design, text in it, what it becomes, what the report must say.
MUTANTS = {
    "truncation": (
        "CompletionWriter.sv",
        "held_truncated <=",
        "held_truncated <= 1'h1 |",
        "truncated",
    ),
    "serial": (
        "CompletionWriter.sv",
        "held_serial <= entering_serial",
        "held_serial <= entering_serial ^ 32'h1",
        "serial",
    ),
}

# The same of submission queues: the loads that meet it, and what one of the reports must say.
QUEUE_MUTANTS = {
    # A page has two turns on their way, and its commands come twice.
    "turns": (
        "SubmissionQueues.sv",
        "named_io_deq_ready = advance & ~meets;",
        "named_io_deq_ready = advance;",
        ["pairs:8:4", "pairs:2:16"],
        ("a completion came without a command", "the completion is of opcode", "not the law's"),
    ),
    # Two commands one behind the other lie in one slot.
    "tail": (
        "SubmissionQueues.sv",
        "follows_REG & follows_REG_1 == come_page ? tail_REG + 17'h1 : readTail;",
        "readTail;",
        ["pairs:1:16"],
        ("no completion in", "the completion is of opcode"),
    ),
    # A command starts without room for its answer: a ring that is not read stops everybody.
    "room": (
        "SubmissionQueues.sv",
        "most = waiting < spare ? waiting : spare;",
        "most = waiting;",
        ["unread:8:4"],
        ("no completion in",),
    ),
    # The end of a command is not counted: its ring seems to fill.
    "finals": (
        "CompletionWriter.sv",
        "position_finals + {16'h0, held_status != 8'h7};",
        "position_finals;",
        ["pairs:4:4"],
        ("no completion in",),
    ),
}


def broken_library(folder: Path, file: str, old: str, new: str) -> Path:
    """The device library of a copy of the design with some text replaced."""
    design = folder / "design"
    shutil.copytree(rtl.ensure("tiny"), design)
    text = (design / file).read_text()
    assert text.count(old) >= 1, f"{file} does not have {old!r}"
    (design / file).write_text(text.replace(old, new))
    top, library = folder / "top", folder / "library"
    top.mkdir()
    library.mkdir()
    verilate.make_top("tiny", design, top, wave=False)
    verilate.make_library("tiny", top, library, wave=False)
    return library / verilate.library_name("tiny")


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_unit_is_noticed(name: str, tmp_path: Path) -> None:
    """The run ends with exit code 1, the first difference and the history of its entries."""
    file, old, new, word = MUTANTS[name]
    library = broken_library(tmp_path, file, old, new)
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    trace = min(paths.TRACES.glob("mpi4py*.gz"))
    words = [str(program), "--uri", f"sim:{library}", "--trace", str(trace)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    for text in ("first difference", "operation: ", "expected: ", "found: ", word, "history"):
        assert text in done.stderr, f"{text!r} is not in\n{done.stderr}"


def test_a_silent_unit_is_noticed(tmp_path: Path) -> None:
    """R11: a verdict that never comes ends the run with exit code 1 instead of hanging it."""
    valid = "assign io_out_valid = io_in_valid;"
    library = broken_library(tmp_path, "VerdictOrder.sv", valid, "assign io_out_valid = 1'h0;")
    program = cbuild.program(cbuild.ensure(), "tmu-replay")
    trace = tmp_path / "one.trace"
    trace.write_text("# tmu-trace v1\npost 0 1 0 any any 8\n")
    words = [str(program), "--uri", f"sim:{library}", "--trace", str(trace)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1, done.stdout
    assert "found no verdict in 1048576 clocks with 1 operations in flight" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("turns", "room") else pytest.mark.long)
        for name in QUEUE_MUTANTS
    ],
)
def test_a_broken_queue_is_noticed(name: str, tmp_path: Path) -> None:
    """R7, R11, R13: the load ends with exit code 1 and a sentence."""
    file, old, new, loads, sentences = QUEUE_MUTANTS[name]
    library = broken_library(tmp_path, file, old, new)
    program = cbuild.program(cbuild.ensure(), queues.PROGRAM)
    words = [str(program), "--uri", f"sim:{library}", "--operations", "6000", *loads]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 1, done.stdout
    assert any(sentence in done.stderr for sentence in sentences), done.stderr
