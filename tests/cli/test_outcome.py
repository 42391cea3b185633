# SPDX-License-Identifier: Apache-2.0
"""`tmu test` counts single tests, and nothing that went wrong counts as well."""

import json
import sys
from pathlib import Path

import pytest
from opentmu import regs
from opentmu.cli import main
from opentmu.errors import CheckFailed, ToolMissing
from opentmu.process import run_into
from opentmu.testing import durations, functions, house, runner, stages
from opentmu.testing.long import CAMPAIGNS, Campaign
from opentmu.testing.outcome import Outcome, of_check, of_reports
from opentmu.testing.stages import FAST, WORKERS, Stage, lanes

REPORT = """<testsuites><testsuite name="s">
<testcase classname="a" name="good" time="1.5"/>
<testcase classname="a" name="bad"><failure message="no"/></testcase>
<testcase classname="a" name="broken"><error message="no"/></testcase>
<testcase classname="a" name="left out"><skipped message="no tool"/></testcase>
<testcase name="not built" status="notrun"/>
</testsuite></testsuites>"""


def report(folder: Path, text: str) -> Path:
    file = folder / "report.xml"
    file.write_text(text)
    return file


def test_counts_of_a_report(tmp_path: Path) -> None:
    outcome = of_reports("stage", [report(tmp_path, REPORT)], 1)
    assert (outcome.passed, outcome.failed) == (1, 2)
    assert outcome.skips == ["a.left out: no tool", "not built: notrun"]
    assert outcome.failures == ["a.bad", "a.broken"]
    assert outcome.seconds["a.good"] == 1.5


EMPTY = "<testsuite/>"
GOOD = '<testsuite><testcase name="x"/></testsuite>'


@pytest.mark.parametrize(
    ("text", "code", "failure"),
    [
        (EMPTY, 0, "stage ran no test"),
        (GOOD, 3, "stage ended with exit code 3"),
        ("<testsuite>", 0, "report.xml: no element found"),
    ],
    ids=["no test", "bad end", "half a report"],
)
def test_what_no_report_shows_is_a_failure(
    tmp_path: Path, text: str, code: int, failure: str
) -> None:
    outcome = of_reports("stage", [report(tmp_path, text)], code)
    assert outcome.failures[0].startswith(failure)


def test_a_missing_report_is_a_failure(tmp_path: Path) -> None:
    assert of_reports("stage", [tmp_path / "none.xml"], 0).failed == 1
    assert of_reports("stage", [], 0).failures == ["stage ran no test"]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("opentmu.paths.ROOT", tmp_path)
    monkeypatch.setattr("opentmu.paths.TEST_REPORTS", tmp_path / "logs")
    monkeypatch.setattr("opentmu.paths.LOCKS", tmp_path / "locks")
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def test_lanes_end_in_one_summary(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(log: Path) -> Outcome:
        log.write_text("what it printed\n")
        raise CheckFailed("it broke")

    stages = [
        [Stage("one", lambda log: of_check("one", True)), Stage("two", broken)],
        [Stage("three", lambda log: Outcome(passed=3, failures=["t.x"], skips=["t.y: no tool"]))],
    ]
    finished = runner.run_lanes(stages, logs)
    assert runner.summary(finished) == "4 passed, 2 failed, 1 skipped"
    assert runner.skip_report(finished) == "skipped t.y: no tool\n"
    told = runner.failure_report(finished)
    assert "what it printed\nit broke" in told
    assert "two could not run" in told
    assert "  t.x\n" in told
    assert "one" not in told.replace("three", "")
    assert "FAILED three: 3 passed, 1 failed" in capsys.readouterr().err


def test_runs_at_the_same_time_have_reports_of_their_own(logs: Path) -> None:
    with runner.report_folder() as first, runner.report_folder() as second:
        assert (first.name, second.name) == ("logs", "logs-2")
        runner.run_lanes([[Stage("s", lambda log: of_check("s", True))]], first)
        runner.run_lanes([[Stage("s", lambda log: of_check("s", False))]], second)
        durations.write([], first)
    assert {file.name for file in first.iterdir()} == {"s.log", "durations.json"}
    assert {file.name for file in second.iterdir()} == {"s.log"}
    with runner.report_folder() as again:
        assert again == first


def test_a_missing_tool_is_remembered(logs: Path) -> None:
    def missing(log: Path) -> Outcome:
        raise ToolMissing("no compiler")

    assert [one.exit_code for one in runner.run_lanes([[Stage("c", missing)]], logs)] == [3]


def test_mill_stages_share_a_lane() -> None:
    scala, rest = lanes(None)
    names = ["scala-format", "generated-files", "designs", "scala-tests"]
    assert [one.name for one in scala] == names
    assert {"c-tests", "c-tests-sanitized", "pytest", "python-types"} <= {s.name for s in rest}


def test_an_expression_selects_stages_by_name() -> None:
    assert [[s.name for s in lane] for lane in lanes("c-tests")] == [
        [],
        ["c-tests", "c-tests-sanitized", "c-tests-threads", "pytest"],
    ]


def _operations(campaign: Campaign) -> int:
    word = "--operations" if campaign.program == "tmu-soak" else "--random"
    return int(campaign.arguments[campaign.arguments.index(word) + 1])


def test_long_adds_campaigns() -> None:
    short = {s.name for lane in lanes(None) for s in lane}
    long = {s.name for lane in lanes(None, long=True) for s in lane}
    assert long - short == {campaign.name for campaign in CAMPAIGNS}
    operations = {c.name: _operations(c) for c in CAMPAIGNS}
    assert operations["random-tiny"] >= 10_000_000
    assert operations["random-nic"] >= 1_000_000
    assert operations["random-spill"] >= 1_000_000
    assert operations["soak-tiny"] >= 1_000_000
    # Two workloads, of which one goes to 256 endpoints.
    assert operations["soak-nic"] >= 2 * 4 * regs.PRESETS["nic"].posted_entries
    assert operations["soak-many"] >= 100_000_000
    soaks = {c.name for c in CAMPAIGNS if "--soak" in c.arguments or c.program == "tmu-soak"}
    assert soaks == {name for name in operations if name.startswith("soak-")}


def test_fast_has_no_mill_and_no_sanitizer() -> None:
    [lane] = lanes(None, fast=True)
    assert [one.name for one in lane] == list(FAST)
    assert set(FAST) <= {one.name for one in lanes(None)[1]}


def test_durations_are_kept_and_the_slowest_shown(logs: Path) -> None:
    def ran(**seconds: float) -> runner.Finished:
        return runner.Finished("s", Outcome(passed=1, seconds=seconds), 9.0, 0, logs / "s.log")

    durations.write([ran(a=1.0, b=2.0)], logs)
    slowest = durations.write([ran(**{f"t{n}": float(n) for n in range(25)}, b=30.5)], logs)
    assert len(slowest) == 20
    assert slowest[:2] == [("s: b", 30.5), ("s: t24", 24.0)]
    kept = json.loads((logs / "durations.json").read_text())
    assert kept["s: a"] == 1.0 and kept["s: b"] == 30.5
    text = durations.report(slowest[:2])
    assert text == "the 2 slowest tests:\n    30.5 s  s: b\n    24.0 s  s: t24\n"


@pytest.mark.parametrize(
    ("skips", "failures", "code"),
    [
        ([], [], 0),
        (["t: on demand: no QEMU"], [], 0),
        (["t: Missing on this machine: mpicc"], [], 3),
        (["t: Missing on this machine: mpicc"], ["u"], 1),
    ],
)
def test_what_was_skipped_for_want_of_a_tool_is_no_success(
    logs: Path, monkeypatch: pytest.MonkeyPatch, skips: list[str], failures: list[str], code: int
) -> None:
    outcome = Outcome(passed=1, skips=skips, failures=failures)
    monkeypatch.setattr(stages, "lanes", lambda *a, **k: [[Stage("s", lambda log: outcome)]])
    assert main(["test", "--log", str(logs.parent / "log")]) == code


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 1\n", "a.py:1: found no licence line"),
        (f"# {house.LICENCE}\n" + "\n" * 9, "a.py: found 10 lines, expected at most 9"),
    ],
    ids=["licence", "length"],
)
def test_house_rules_complain(text: str, complaint: str) -> None:
    [found] = house.complaints("a.py", text, most_lines=9)
    assert found.startswith(complaint)


def test_house_rules_accept_a_good_file() -> None:
    assert house.complaints("a.py", f"# {house.LICENCE}\n" + "\n" * 8, most_lines=9) == []


def test_house_rules_complain_of_long_functions() -> None:
    body = "    x();\n" * 60
    text = (
        f"struct a {{\n{body}}};\nvoid\nshort(int a,\n  int b) {{\n}}\nint f(void) {{\n{body}}}\n"
    )
    expected = "a.c:67: found 62 lines of f, expected at most 60"
    assert functions.complaints("a.c", text, ".c") == [expected]
    python = "class A:\n    def f(self):\n" + "        x()\n" * 50
    expected = "a.py:2: found 51 lines of f, expected at most 50"
    assert functions.complaints("a.py", python, ".py") == [expected]
    assert functions.complaints("a.py", python.removesuffix("        x()\n"), ".py") == []


SMALL_SUITE = """import os, pytest
@pytest.mark.parametrize("n", range(5))
def test_good(n): pass
def test_bad(): assert False
@pytest.mark.skip
def test_skipped(): pass
"""


def workers(folder: Path, suite: str) -> tuple[Outcome, Path]:
    """Outcome of a suite by the stage pytest, with its workers."""
    (folder / "test_it.py").write_text(suite)
    (folder / "pytest.ini").write_text("[pytest]\n")
    report, log = folder / "report.xml", folder / "log"
    command = [sys.executable, "-P", "-m", "pytest", f"--junitxml={report}", *WORKERS]
    with log.open("w") as output:
        code = run_into(output, command, cwd=folder)
    return of_reports("pytest", [report], code), log


def test_workers_count_each_test_once_and_by_its_name(tmp_path: Path) -> None:
    outcome, log = workers(tmp_path, SMALL_SUITE)
    assert outcome.passed == 5, log.read_text()
    assert outcome.skips == ["test_it.test_skipped: unconditional skip"]
    assert outcome.failures == ["test_it.test_bad"]
    log.write_text(log.read_text().partition("= FAILURES =")[0].rstrip("="))
    assert runner.share_of(log) == " 100 %,"


def test_a_worker_that_dies_is_a_failure(tmp_path: Path) -> None:
    outcome, log = workers(tmp_path, SMALL_SUITE + "def test_dies(): os._exit(0)\n")
    assert outcome.passed == 5, log.read_text()
    assert "test_it.test_bad" in outcome.failures
    assert any("test_dies" in name for name in outcome.failures), outcome.failures


def test_an_expression_that_selects_nothing_is_told(
    logs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    none = [[Stage("pytest", lambda log: Outcome())]]
    monkeypatch.setattr(stages, "lanes", lambda *a, **k: none)
    words = ["test", "--log", str(logs.parent / "log")]
    assert main([*words, "-k", "nothing"]) == 2
    said = capsys.readouterr().err
    assert "tmu: -k nothing: found no stage and no test of that name\n" in said
    assert main(words) == 1, "without an expression no test at all is a failure"


def test_share_of_pytest(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("tests/a.py ..... [  7%]\ntests/b.py ... [ 42%]\n..")
    assert runner.share_of(log) == " 42 %,"
    log.write_text("")
    assert runner.share_of(log) == ""
