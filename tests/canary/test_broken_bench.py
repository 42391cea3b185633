# SPDX-License-Identifier: Apache-2.0
"""The bench itself: empty bins, wrong, missing and surplus answers, empty runs, an untrue plan."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from opentmu import paths, regs
from opentmu.bench import campaigns, coverage, simulate
from opentmu.bench.coverage import BinsMissed, Coverage
from opentmu.bench.law import Law, Quota
from opentmu.bench.meetings import ARRIVAL, MEETINGS, POST, Accepted, meetings
from opentmu.bench.records import Answer, Operation, pages_of
from opentmu.bench.scoreboard import Difference, Scoreboard
from opentmu.bench.traffic import EXACT, Traffic, Walk
from opentmu.build import cbuild
from opentmu.errors import CheckFailed
from opentmu.model import Queue
from opentmu.regs import Opcode, Status
from opentmu.testing import plan

PRESET = regs.PRESETS["tiny"]


@pytest.fixture
def board() -> Iterator[Scoreboard]:
    """A scoreboard with coverage, without a simulation."""
    cbuild.ensure()
    law = Law(PRESET)
    yield Scoreboard(law, Coverage(law))
    law.close()


def answer_all(board: Scoreboard, operation: Operation) -> None:
    """Answer as a right unit does; an inspect shows nothing."""
    step = board.sent(operation)
    for answer in step.sights[:1] or step.answers:
        board.received(operation.page, answer)


def look_at_all(
    board: Scoreboard, walk: Walk, show: Callable[[list[Answer]], list[Answer]]
) -> None:
    """A walk over a table without holes, whose positions show what `show` makes of the entries."""
    board.start_walk()
    position, shown = 0, None
    while not board.walk_ended:
        operation = walk.inspect(position)
        sights = board.sent(operation).sights
        if shown is None:
            shown = show([one for one in sights if one.status == Status.ENTRY])
        end = [one for one in sights if one.status == Status.EMPTY]
        there = [replace(one, handle=operation.handle) for one in shown[position : position + 1]]
        board.received(operation.page, (there + end + sights)[0])
        position += 1
    board.end_walk(walk.queue)


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
            board.law.set_quota(item)
        elif isinstance(item, Walk):
            look_at_all(board, item, lambda entries: entries)
        else:
            answer_all(board, item)
    assert board.coverage is not None
    board.coverage.check(coverage.required())
    assert set(board.coverage.counts) <= coverage.required() | {"reserved", "send malformed"} | {
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
        pages = (*pages_of(PRESET, 0), PRESET.queues)
        page = next(page for page in pages if board.outstanding_of(page))
        with pytest.raises(Difference, match=f"{field.name}: expected"):
            board.received(page, replace(right, **{field.name: getattr(right, field.name) ^ 1}))


def test_entries_in_the_wrong_order_are_noticed(board: Scoreboard) -> None:
    """R3: a walk that shows two entries the other way round, one less, or one twice."""
    traffic = Traffic(board.law, 5)
    for n in range(4):
        answer_all(board, traffic.post(0, match=n, source=1))
    walk = traffic.walk(Queue.POSTED)
    look_at_all(board, walk, lambda entries: entries)
    changes: list[Callable[[list[Answer]], list[Answer]]] = [
        lambda entries: entries[::-1],
        lambda entries: entries[1:],
        lambda entries: [*entries, entries[0]],
    ]
    for change in changes:
        with pytest.raises(Difference, match="a walk over"):
            look_at_all(board, walk, change)


def test_an_entry_that_is_not_there_is_noticed(board: Scoreboard) -> None:
    """R13: an inspect that shows what no queue holds, or answers what an inspect does not."""
    traffic = Traffic(board.law, 6)
    answer_all(board, traffic.post(0, match=1, source=1))
    for change in ({"match": 2}, {"status": Status.MATCHED}, {"status": Status.EMPTY}):
        look = traffic.inspect(Queue.POSTED, 3)
        entry = next(one for one in board.sent(look).sights if one.status == Status.ENTRY)
        with pytest.raises(Difference, match="expected"):
            board.received(look.page, replace(entry, **change))


def test_every_order_of_meeting_can_be_missed() -> None:
    """Streams that never share a slot and never match leave all bins of their meetings empty."""
    apart = [
        Accepted(Operation(Opcode.POST, 0, handle=1), POST, 5),
        Accepted(Operation(Opcode.ARRIVE, 0, handle=2), ARRIVAL, 8),
    ]
    taken = Answer(Opcode.ARRIVE, Status.MATCHED, 2, 0, other=1)
    assert not any(meetings(PRESET, apart, [taken]).values())
    together = [apart[0], replace(apart[1], clock=5)]
    found = meetings(PRESET, together, [taken])
    assert {name for name in MEETINGS if found[name]} == {
        "both in one slot",
        "both at one endpoint",
        "pair in one slot",
    }


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


def test_an_untrue_plan_is_noticed(tmp_path: Path) -> None:
    """A plan that is not fresh; a rule or a status that no test cites; a test that never runs."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / plan.PLAN).write_text((paths.ROOT / plan.PLAN).read_text())
    statuses = " ".join(f"TMU_STATUS_{name.upper()}" for name in plan.STATUSES)
    test = tmp_path / "tests" / "test_all.py"
    test.write_text(f'def test_all() -> None:\n    """R1 to R15 {statuses}"""\n')
    assert any("is not what the tests say" in one for one in plan.complaints(tmp_path))
    (tmp_path / plan.PLAN).write_text(plan.render(tmp_path))

    def wrong() -> list[str]:
        return [one for one in plan.complaints(tmp_path) if "no source" not in one]

    assert wrong() == []
    test.write_text(test.read_text().replace("R1 to R15", "R1 to R8, R10-R15"))
    assert "R9: no test cites it" in wrong()
    test.write_text(test.read_text().replace("TMU_STATUS_LATE", ""))
    assert "late: no test names the status" in wrong()
    test.write_text(test.read_text().replace("test_all", "helper"))
    assert "R1: no test cites it" in wrong()


def test_a_rule_that_no_source_cites_is_noticed(tmp_path: Path) -> None:
    """Every tree that implements the law has to cite each of its rules."""
    for tree in (*plan.WHOLE_LAW, plan.DRIVER):
        (tmp_path / tree).mkdir(parents=True)
        (tmp_path / tree / "all.c").write_text("/* R1 to R15 */")
    assert plan.uncited(tmp_path) == []
    (tmp_path / plan.WHOLE_LAW[0] / "all.c").write_text("/* R1 to R8, R10-R15 */")
    assert plan.uncited(tmp_path) == [f"R9: no source in {plan.WHOLE_LAW[0]} cites it"]
