# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md has an outcome for every fault, and each test that it names is there."""

import re

from opentmu import paths
from opentmu.testing import plan

TEXT = (paths.ROOT / "docs" / "faults.md").read_text()
FAULTS = (
    "AXI read error",
    "AXI write error",
    "late answer",
    "reordered answers",
    "reset amid commands",
    "killed driver process",
    "ring not drained",
)


def test_every_test_that_is_named_is_there() -> None:
    named = [(test["file"], test["name"]) for test in plan.TEST.finditer(TEXT)]
    assert len(named) > len(FAULTS)
    missing = [one for one in named if plan.test_text(paths.ROOT / one[0], one[1]) is None]
    assert not missing


def test_every_fault_has_an_outcome_and_a_test() -> None:
    for fault in FAULTS:
        rows = re.findall(rf"^\| {fault} \|(.+)\|$", TEXT, re.MULTILINE)
        assert rows, fault
        for row in rows:
            where, outcome, tests = (cell.strip() for cell in row.split(" | "))
            assert where and outcome and plan.TEST.search(tests), f"{fault}: {where}"
