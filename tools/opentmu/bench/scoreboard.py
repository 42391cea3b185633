# SPDX-License-Identifier: Apache-2.0
"""Compares what the unit answers with the law, field by field, and tells the story of a difference.

The scoreboard is told each operation in the order in which it is submitted (R7) and each answer in
the order in which a page gets it.  While queues continue in memory, a command that has to look
there is answered after later ones: then an answer is known by its handle, and its serial number
tells its position in the order.
"""

from collections import defaultdict, deque
from typing import NamedTuple

from opentmu.bench.coverage import Coverage
from opentmu.bench.law import Law, Step
from opentmu.bench.records import Answer, Operation, opcode_name, status_name
from opentmu.model import Queue
from opentmu.regs import Status

SHOWN_EVENTS = 12


class Difference(AssertionError):
    """The unit answered otherwise than the law."""


class Expected(NamedTuple):
    """An answer that has to come; of an inspect, all that may come instead."""

    answer: Answer
    sights: list[Answer]


class Scoreboard:
    """Expected answers by page; `finish` fails when one is missing."""

    def __init__(self, law: Law, coverage: Coverage | None = None) -> None:
        self.law = law
        self.coverage = coverage
        self.compared = 0
        self.submitted = 0
        self._expected: dict[int, deque[Expected]] = defaultdict(deque)
        self._walked: list[Answer] = []
        self._history: dict[int, list[str]] = defaultdict(list)

    @property
    def outstanding(self) -> int:
        """Answers that have not come yet."""
        return sum(len(due) for due in self._expected.values())

    def outstanding_elsewhere(self, page: int) -> list[Answer]:
        """Answers that have not come yet on other pages."""
        return [one.answer for other, due in self._expected.items() if other != page for one in due]

    def outstanding_of(self, page: int) -> int:
        """Answers that have not come yet on one page."""
        return len(self._expected[page])

    def sent(self, operation: Operation) -> Step:
        """The operation is on its way, after all those told before."""
        step = self.law.step(operation)
        if self.coverage is not None:
            self.coverage.observe(step)
        for answer in step.answers:
            self._expected[operation.page].append(Expected(answer, step.sights))
            text = f"operation {self.submitted}: {_text(answer)}"
            for handle in {answer.handle, answer.other}:
                self._history[handle].append(text)
        self.submitted += 1
        return step

    def received(self, page: int, found: Answer) -> None:
        """An answer came on a page; raises Difference unless it is the next one expected."""
        if not self._expected[page]:
            raise Difference(f"page {page} got an answer that nobody expects: {_text(found)}")
        which = self._which(page, found)
        expected, sights = self._expected[page][which]
        del self._expected[page][which]
        if sights:
            expected = next((one for one in sights if not one.differences(found)), expected)
        different = expected.differences(found)
        if different:
            raise Difference("\n".join(self._story(page, expected, found, different)))
        self.compared += 1
        if sights:
            self._walked.append(found)
            if self.coverage is not None:
                self.coverage.inspected(found)

    def _which(self, page: int, found: Answer) -> int:
        """Index of the expected answer that this one has to be.

        A flush with entries in memory gives those on chip first, so only each queue has its order.
        """
        if not self.law.spills:
            return 0
        due = [one.answer for one in self._expected[page]]
        mine = [n for n, one in enumerate(due) if one.handle == found.handle]
        removed = found.status == Status.REMOVED
        of_queue = [n for n in mine if removed and due[n].unexpected == found.unexpected]
        return next(iter(of_queue or mine), 0)

    def start_walk(self) -> None:
        """From here on inspects name the positions of one queue, from 0 on; nothing else comes."""
        self._walked.clear()

    @property
    def walk_ended(self) -> bool:
        """Whether the end of the table was seen."""
        return any(answer.status == Status.EMPTY for answer in self._walked)

    def end_walk(self, queue: Queue, *, one_stream: bool = True) -> None:
        """R3, R4: the positions have shown every entry of the queue once, oldest first.

        Entries of different endpoints have an order when all came by one stream.
        """
        shown = [answer.other for answer in self._walked if answer.status == Status.ENTRY]
        held = [one.operation.handle for one in self.law.tables[queue]]
        same = shown == held if one_stream else self._same_order(queue, shown, held)
        if not self.walk_ended or not same:
            raise Difference(
                f"a walk over {len(self._walked)} positions showed {len(shown)} entries; "
                f"expected {[hex(h) for h in held]}, found {[hex(h) for h in shown]}"
            )

    def _same_order(self, queue: Queue, shown: list[int], held: list[int]) -> bool:
        """The same entries, each endpoint's in the same order."""
        owner = {one.operation.handle: one.endpoint for one in self.law.tables[queue]}
        return sorted(shown) == sorted(held) and all(
            [one for one in shown if owner[one] == endpoint]
            == [one for one in held if owner[one] == endpoint]
            for endpoint in set(owner.values())
        )

    def finish(self) -> None:
        """Fails when an answer is missing, or when nothing was compared (R11, R15)."""
        missing = [_text(one.answer) for due in self._expected.values() for one in due]
        if missing:
            shown = "\n  ".join(missing[:SHOWN_EVENTS])
            raise Difference(f"{len(missing)} answers did not come, first:\n  {shown}")
        if self.compared == 0:
            raise Difference("not a single answer was compared")

    def _story(self, page: int, expected: Answer, found: Answer, different: list[str]) -> list[str]:
        lines = [f"answer {self.compared} of the run, on page {page}:"]
        lines += [f"  expected {_text(expected)}", f"  found    {_text(found)}"]
        lines += [f"  {one}" for one in different]
        handles = {expected.handle, expected.other, found.handle, found.other}
        for handle in sorted(handles - {0}):
            lines.append(f"history of handle {handle:#x} by the law:")
            lines += [f"  {event}" for event in self._history[handle][-SHOWN_EVENTS:]]
        return lines


def _text(answer: Answer) -> str:
    text = (
        f"{opcode_name(answer.opcode)} {answer.handle:#x} at endpoint {answer.endpoint}: "
        f"{status_name(answer.status)} other {answer.other:#x} match {answer.match:#x} "
        f"source {answer.source:#x} serial {answer.serial}"
    )
    return text + (" truncated" if answer.truncated else "")
