# SPDX-License-Identifier: Apache-2.0
"""`tmu run` around the replay program, which a stand-in plays here."""

import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from opentmu import regs
from opentmu.errors import BadInput, CheckFailed, TmuError, ToolMissing
from opentmu.replay import engine, report
from rich.console import Console

OPTIONS = engine.Options("rtl", "tiny", pauses=7, quota=3, spill=2, timed=True, clock_mhz=250.0)


def play(script: str) -> tuple[dict[str, Any], list[tuple[int, int]], list[str]]:
    shown: list[tuple[int, int]] = []
    told: list[str] = []
    words = [sys.executable, "-c", f"import sys\n{script}"]
    result = engine.replay(words, lambda done, total: shown.append((done, total)), told.append)
    return result, shown, told


def test_device_names() -> None:
    library = Path("/b/lib.so")
    assert engine.uri(OPTIONS, library, None) == "sim:/b/lib.so?pauses=7"
    assert engine.uri(OPTIONS, library, Path("w.fst")) == "sim:/b/lib.so?pauses=7&wave=w.fst"
    assert engine.uri(engine.Options("rtl", "tiny"), library, None) == "sim:/b/lib.so"
    assert engine.uri(engine.Options("model", "tiny"), None, None) == "ref:tiny"


def test_command_line_of_a_replay() -> None:
    words = engine.command(Path("p"), "ref:tiny", Path("t"), OPTIONS, Path("v"))
    assert " ".join(words) == (
        "p --uri ref:tiny --trace t --progress --verdicts v --quota 3 --spill 2 --timed "
        "--clock-mhz 250.0"
    )


def test_software_engines_have_a_table_only_without_memory() -> None:
    for spill, entries in ((0, 64), (None, 0), (1, 0)):
        options = engine.Options("list", "tiny", spill=spill)
        words = " ".join(engine.software_command(Path("p"), Path("t"), options, None))
        assert f"--posted {entries} --unexpected {entries}" in words


def test_progress_and_messages_are_told_apart() -> None:
    result, shown, told = play(
        "print('progress 1 2', file=sys.stderr)\n"
        "print('progress is slow', file=sys.stderr)\n"
        "print('{\"mismatches\": 0}')"
    )
    assert shown == [(1, 2)]
    assert told == ["progress is slow"]
    assert result == {"mismatches": 0, "ok": True}


def test_a_difference_is_a_result() -> None:
    result, _, _ = play("print('{\"mismatches\": 4}'); sys.exit(1)")
    assert result == {"mismatches": 4, "ok": False}


def test_a_failed_check_without_differences_is_not_ok() -> None:
    assert play("print('{\"mismatches\": 0}'); sys.exit(1)")[0]["ok"] is False
    assert play("print('{\"mismatches\": 1}')")[0]["ok"] is False


@pytest.mark.parametrize(
    ("script", "kind", "text"),
    [
        ("sys.stderr.write('F:1: found x\\n'); sys.exit(2)", BadInput, "^$"),
        ("sys.exit(3)", ToolMissing, "ended with code 3"),
        ("import os; os.abort()", CheckFailed, "ended with code -6"),
        ("print('no json')", CheckFailed, "found 'no json.*expected a JSON object"),
        ("print('[]')", CheckFailed, "found list, expected a JSON object"),
        ("sys.exit(1)", CheckFailed, "found '', expected a JSON object"),
    ],
    ids=["bad input", "missing tool", "crash", "no JSON", "a list", "nothing"],
)
def test_no_result_is_an_error(script: str, kind: type[TmuError], text: str) -> None:
    with pytest.raises(kind, match=text):
        play(script)


def test_an_interrupted_replay_ends_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupt)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        play("import time; time.sleep(300)")
    assert time.monotonic() - started < 100


RESULT: dict[str, Any] = {
    "engine": "rtl",
    "preset": "tiny",
    "trace": "folder/ring.trace.gz",
    "operations": 1200,
    "matches": 500,
    "refused": 0,
    "held": 0,
    "mismatches": 0,
    "clocks": 2400,
    "clocks_per_operation": 2.0,
    "latency_clocks": {"p50": 9, "p99": 11, "max": 12},
    "host_latency_clocks": {"p50": 31, "p99": 37, "max": 41},
    "depth_max": {"posted": 7, "unexpected": 3},
    "endpoint_depth_max": {"posted": 6, "unexpected": 2},
    "counters": dict.fromkeys(regs.COUNTERS, 0)
    | {"posts": 600, "posted_visited": 77, "clocks": 4000}
    | {"commands": 1000, "command_stall_clocks": 500, "command_idle_1": 2345}
    | {"command_idle_4": 17, "command_idle_16": 3, "command_idle_64": 2, "command_idle_256": 1},
    "model_counters": {"posts": 601},
    "ok": True,
}


def shown(*results: dict[str, Any]) -> str:
    console = Console(width=120)
    with console.capture() as capture:
        report.show(console, results)
    return capture.get()


def test_report_has_every_figure() -> None:
    text = shown(RESULT)
    for figure in (
        "ring",
        "1,200",
        "500",
        "2,400",
        "2.00",
        "9",
        "11",
        "12",
        "31",
        "37",
        "41",
        "7",
        "3",
    ):
        assert figure in text.split()
    assert "engine rtl, preset tiny" in text
    assert "all 1,200 verdicts agree with the reference model" in text


def test_report_has_no_row_for_what_the_engine_does_not_know() -> None:
    """A software engine has a time and no host interface; the unit has clocks and no time."""
    assert "nanoseconds" not in shown(RESULT)
    software = {key: value for key, value in RESULT.items() if key != "host_latency_clocks"}
    software |= {"engine": "list", "clocks": None, "ns_per_operation": 14.125}
    lines = {line.split("  ")[0].strip(): line.split() for line in shown(software).splitlines()}
    assert lines["nanoseconds per operation"][-1] == "14.12"
    assert lines["clocks"][-1] == "-"
    assert not any("host interface" in line for line in lines)


def test_report_marks_a_counter_that_differs_from_the_model() -> None:
    lines = {line.split()[0]: line.split() for line in shown(RESULT).splitlines() if line.strip()}
    assert lines["posts"] == ["posts", "600", "601", "differs"]
    assert lines["posted_visited"] == ["posted_visited", "77", "-"]


def test_report_tells_what_the_clocks_of_each_stream_were() -> None:
    lines = [line.split() for line in shown(RESULT).splitlines()]
    heads = ["transfers", "active", "stalled", "idle"]
    runs = ["1-3", "4-15", "16-63", "64-255", "256+"]
    assert ["stream", *heads, *runs] in lines
    shares = ["25.0%", "12.5%", "62.5%"]
    assert ["command", "1,000", *shares, "2,345", "17", "3", "2", "1"] in lines
    assert not any(line[:2] == ["spill", "write"] for line in lines), "it was never in use"
    assert not any(line[:1] == ["command_idle_1"] for line in lines), "they stand with the streams"


def test_report_leaves_out_what_nobody_counted() -> None:
    """A row without a count is noise; one that the model alone counted is a difference."""
    names = {line.split()[0] for line in shown(RESULT).splitlines() if line.strip()}
    assert "posts" in names and "malformed" not in names and "cancels" not in names
    missed = {**RESULT, "model_counters": {"posts": 600, "cancels": 3}}
    assert "3 differs" in shown(missed)


def test_report_fits_a_screen_of_80_columns() -> None:
    """Of six traces, with names as long as those that are committed."""
    six = [{**RESULT, "trace": f"lammps-peptide-{n}", "operations": 54_378_000} for n in range(6)]
    console = Console(width=80)
    with console.capture() as capture:
        report.show(console, six)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    assert max(map(len, lines)) <= 80
    assert [line.count("54,378,000") for line in lines if "54,378,000" in line] == [2, 2, 2]
    assert sum("endpoint depth, unexpected, max" in line for line in lines) == 3


def test_report_has_no_streams_without_clocks() -> None:
    assert "streams," in shown(RESULT)
    assert "streams," not in shown({**RESULT, "clocks": None})


def test_report_tells_differences_and_failed_checks() -> None:
    assert "3 of 2,400 verdicts differ" in shown(RESULT, {**RESULT, "mismatches": 3, "ok": False})
    assert "a check failed in 1 of 2 runs" in shown(RESULT, {**RESULT, "ok": False})


def test_report_does_not_count_held_arrivals_as_verdicts() -> None:
    text = shown({**RESULT, "held": 4})
    assert "held back at the end 4" in " ".join(text.split())
    assert "all 1,196 verdicts agree with the reference model; 4 arrivals were still held" in text
    assert "3 of 1,196 verdicts differ" in shown(
        {**RESULT, "held": 4, "mismatches": 3, "ok": False}
    )


def test_report_of_an_engine_without_clocks() -> None:
    without = {key: value for key, value in RESULT.items() if "clock" not in key}
    assert "all 1,200 verdicts agree" in shown({**without, "counters": {}})
