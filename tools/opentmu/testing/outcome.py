# SPDX-License-Identifier: Apache-2.0
"""Counts of single tests, from JUnit XML or from one program's exit code."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree


@dataclass
class Outcome:
    """Results of a stage's tests: names of those that failed, and reasons of those not run."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)  # by test

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def total(self) -> int:
        return self.passed + len(self.skips) + self.failed

    def add(self, other: "Outcome") -> None:
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips
        self.seconds |= other.seconds


def of_check(name: str, good: bool) -> Outcome:
    """A lint or a freshness check counts as one test."""
    return Outcome(passed=1) if good else Outcome(failures=[name])


def of_reports(stage: str, reports: Iterable[Path], code: int) -> Outcome:
    """The counts of JUnit files; a stage that ran nothing or ended badly has failed.

    `code` is the exit code of the program that wrote them: an error that no report shows
    (a crash, a failed compilation) counts as one more failure.
    """
    outcome = Outcome()
    for report in reports:
        outcome.add(_of_file(report))
    if outcome.total == 0:
        outcome.failures.append(f"{stage} ran no test")
    elif code != 0 and not outcome.failures:
        outcome.failures.append(f"{stage} ended with exit code {code}")
    return outcome


def _of_file(report: Path) -> Outcome:
    outcome = Outcome()
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (ElementTree.ParseError, OSError) as error:
        return Outcome(failures=[f"{report.name}: {error}"])
    for case in cases:
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        outcome.seconds[name] = float(case.get("time") or 0)
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failures.append(name)
        elif (skipped := case.find("skipped")) is not None:
            outcome.skips.append(f"{name}: {skipped.get('message') or 'no reason given'}")
        elif case.get("status") in ("notrun", "disabled"):
            outcome.skips.append(f"{name}: {case.get('status')}")
        else:
            outcome.passed += 1
    return outcome
