# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of each stage of the card on that stage alone."""

from pathlib import Path

import pytest
from opentmu.bench import simulate
from opentmu.build import rtl

pytestmark = pytest.mark.mill

STAGES = {
    "frame": "FrameParser",
    "pdc": "PdcStage",
    "message": "MessageStage",
    "answer": "AnswerBuilder",
    "responses": "ResponseStore",
    "request": "RequestBuilder",
    "initiator": "Initiator",
    "fetch": "PayloadFetch",
    "send": "SendSide",
    "order": "SendOrder",
    "placement": "Placement",
    "complete": "MessageCompletions",
    "pool": "PoolCopy",
    "memory": "WriteJoin",
    "reads": "ReadJoin",
    "merge": "FrameMerge",
    "loop": "FrameLoop",
}


def bench(stage: str) -> Path:
    """The cocotb tests of a stage."""
    return Path(__file__).with_name(f"cocotb_{stage}.py")


CASES = [(stage, name) for stage in STAGES for name in simulate.cocotb_tests(bench(stage))]


@pytest.mark.parametrize(("stage", "name"), CASES, ids=["-".join(case) for case in CASES])
def test_stage(stage: str, name: str) -> None:
    """One cocotb test."""
    top = STAGES[stage]
    folder = simulate.build(top, rtl.ensure_stages() / stage)
    simulate.run(folder, top, bench(stage), name).require()
