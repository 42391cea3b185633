# SPDX-License-Identifier: Apache-2.0
"""The bench itself: empty bins, wrong, missing and surplus answers, empty runs, an untrue plan."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from opentmu import paths, regs
from opentmu.bench import campaigns, coverage, simulate
from opentmu.bench.coverage import BinsMissed, Coverage
from opentmu.bench.law import Law
from opentmu.bench.records import Answer
from opentmu.bench.scoreboard import Difference, Scoreboard
from opentmu.bench.traffic import EXACT, Quota, Traffic
from opentmu.build import cbuild
from opentmu.errors import CheckFailed
from opentmu.testing import plan

PRESET = regs.PRESETS["tiny"]


@pytest.fixture
def board() -> Iterator[Scoreboard]:
    """A scoreboard with coverage, without a simulation."""
    cbuild.ensure()
    law = Law(PRESET)
    yield Scoreboard(law, Coverage(law))
    law.close()


def test_an_unreached_bin_fails(board: Scoreboard) -> None:
    """Traffic without wildcards leaves the bins of R2 empty."""
    traffic = Traffic(board.law, 1)
    for operation in traffic.mixed(300, wild=EXACT, inspect=False):
        board.sent(operation)
    assert board.coverage is not None
    board.coverage.check(["post queued", "R2 exact R3"])
    with pytest.raises(BinsMissed, match="R2 any tag R3"):
        board.coverage.check(coverage.required())


def test_every_bin_is_needed_and_known(board: Scoreboard) -> None:
    """The whole campaign reaches all bins; without any one of them the check fails."""
    traffic = Traffic(board.law, 2)
    for item in campaigns.everything(traffic):
        if isinstance(item, Quota):
            board.law.set_quota(item.endpoint, item.posted, item.unexpected)
        else:
            board.sent(item)
    assert board.coverage is not None
    board.coverage.check(coverage.required())
    assert set(board.coverage.counts) <= coverage.required() | {"reserved"} | {
        name for name in board.coverage.counts if name.startswith("opcode ")
    }
    for name in coverage.required():
        kept = board.coverage.counts.pop(name)
        with pytest.raises(BinsMissed):
            board.coverage.check(coverage.required())
        board.coverage.counts[name] = kept
    with pytest.raises(BinsMissed, match="no coverage bin is required"):
        board.coverage.check([])
    with pytest.raises(KeyError):
        board.coverage.hit("a bin that nobody knows")


def test_every_field_of_an_answer_is_compared(board: Scoreboard) -> None:
    """One wrong bit in any field is a difference that names the field."""
    traffic = Traffic(board.law, 3)
    for field in fields(Answer):
        right = board.sent(traffic.arrive(0, match=1, source=1)).answers[0]
        page = 0 if board.outstanding_of(0) else PRESET.endpoints
        with pytest.raises(Difference, match=f"{field.name}: expected"):
            board.received(page, replace(right, **{field.name: getattr(right, field.name) ^ 1}))


def test_missing_and_surplus_answers_are_noticed(board: Scoreboard) -> None:
    """R11, R15: an answer that does not come, one that nobody expects, none at all."""
    with pytest.raises(Difference, match="not a single answer"):
        board.finish()
    operation = Traffic(board.law, 4).arrive(0, match=1, source=1)
    right = board.sent(operation).answers[0]
    with pytest.raises(Difference, match="1 answers did not come"):
        board.finish()
    board.received(operation.page, right)
    board.finish()
    with pytest.raises(Difference, match="nobody expects"):
        board.received(operation.page, right)


def test_a_run_of_nothing_is_a_failure(tmp_path: Path) -> None:
    """A file without cocotb tests, a test that is not there, results that name another."""
    empty = tmp_path / "cocotb_empty.py"
    empty.write_text("async def not_a_test(dut):\n    pass\n")
    with pytest.raises(CheckFailed, match="holds no cocotb test"):
        simulate.cocotb_tests(empty)
    one = tmp_path / "cocotb_one.py"
    one.write_text("@cocotb.test()\nasync def one(dut):\n    pass\n")
    with pytest.raises(CheckFailed, match="holds no cocotb test two"):
        simulate.run(tmp_path, "TmuTop", one, "two")
    results = tmp_path / "results.xml"
    assert not simulate.passed(results, "one")
    for cases, good in (
        ("", False),
        ('<testcase name="two"/>', False),
        ('<testcase name="one"><skipped/></testcase>', False),
        ('<testcase name="one"><failure/></testcase>', False),
        ('<testcase name="one"/>', True),
    ):
        results.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        assert simulate.passed(results, "one") is good, cases


def test_an_untrue_plan_is_noticed() -> None:
    """An unknown test, a rule without tests, a test that does not cite, a test that never runs."""
    text = (paths.ROOT / plan.PLAN).read_text()
    row = next(line for line in text.splitlines() if line.startswith("| R9 |"))

    def wrong(new: str) -> str:
        return "\n".join(plan.complaints(paths.ROOT, text.replace(row, new)))

    there = "tests/block/cocotb_match_unit.py"
    assert "R9: the plan names no test" in wrong("| R9 | nothing | |")
    assert "R9: the plan names no test" in wrong("")
    assert f"there is no test {there}::gone" in wrong(f"| R9 | | `{there}::gone` |")
    assert "R9: there is no test gone.py::x" in wrong("| R9 | | `gone.py::x` |")
    assert "does not cite" in wrong(f"| R9 | | `{there}::r12_lengths` |")
    assert "there is no test" in wrong(f"| R9 | | `{there}::started` |")
    assert "R16: no such rule" in wrong(f"{row}\n| R16 | | |")


def test_a_rule_that_no_source_cites_is_noticed(tmp_path: Path) -> None:
    """Every tree that implements the law has to cite each of its rules."""
    for tree in (*plan.WHOLE_LAW, plan.DRIVER):
        (tmp_path / tree).mkdir(parents=True)
        (tmp_path / tree / "all.c").write_text("/* R1 to R15 */")
    assert plan.uncited(tmp_path) == []
    (tmp_path / plan.WHOLE_LAW[0] / "all.c").write_text("/* R1 to R8, R10-R15 */")
    assert plan.uncited(tmp_path) == [f"R9: no source in {plan.WHOLE_LAW[0]} cites it"]
