# SPDX-License-Identifier: Apache-2.0
"""R11: memory that is used up to its last slot; every engine gives the log of the law.

Chunks with few entries are made by flushes of a part, which a trace cannot name:
sw-driver/tests/test_spill_full.c has them, and random operations at the end of memory.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from opentmu import regs
from opentmu.replay import engine

from . import shapes
from .expected import law

Tmu = Callable[..., subprocess.CompletedProcess[str]]
TINY = regs.PRESETS["tiny"]
TABLE = TINY.unexpected_entries
SEGMENT = 512 * 60
FIRST_POST = SEGMENT + 1000


def one_beyond_memory() -> list[str]:
    """Messages for table, memory and one more; receives that find room on chip; the return."""
    messages = TABLE + SEGMENT + 1
    lines = [f"arrive 0 {i} 1 0 5 8" for i in range(messages)]
    # No chunk is free, and the table of receives is empty. Their messages have another source.
    lines += [f"post 0 {FIRST_POST + i} 1 1 9 8" for i in range(10)]
    lines += [f"probe 0 {FIRST_POST + 50} 1 1 9", f"cancel 0 {FIRST_POST + 51} {FIRST_POST + 9}"]
    lines += [f"arrive 0 {messages + i} 1 1 9 8" for i in range(9)]
    lines += [f"post 1 {FIRST_POST + 60 + i} 1 0 7 8" for i in range(TABLE)]
    # The oldest leave, so that the last message comes in.
    lines += [f"claim 0 {FIRST_POST + 200 + i} 1 0 5" for i in range(2 * TABLE)]
    return [*lines, f"flush 1 {FIRST_POST + 500}"]


@pytest.mark.parametrize("engine", engine.ENGINES)
def test_one_beyond_memory(tmu: Tmu, tmp_path: Path, engine: str) -> None:
    """A held message loses nothing, receives have the room on chip, and the judge agrees."""
    trace = shapes.write(tmp_path / "beyond.trace", one_beyond_memory())
    log = tmp_path / "beyond.log"
    words = ["run", "--trace", trace, "--preset", "tiny", "--engine", engine]
    device = engine in ("rtl", "model")  # the others' queues have no limit
    words += ["--spill", "1"] if device else []
    done = tmu(*words, "--verdicts", log, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["mismatches"] == result["refused"] == 0
    assert result.get("held", 0) == 0
    assert log.read_text() == law(trace, endpoints=TINY.endpoints)
    if device:
        assert result["flow"]["stalls"] > 0
        assert result["counters"]["spill_refused"] == result["flow"]["stalls"]
        assert result["spill"]["chunks"] == 512
