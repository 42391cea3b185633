# SPDX-License-Identifier: Apache-2.0
"""`tmu synth`: what it refuses, what it prints; the tools themselves do not run here."""

import json
from pathlib import Path
from typing import Any

import pytest
from opentmu import stage
from opentmu.build import rtl
from opentmu.cli import main
from opentmu.synth import flow, lanes, tools
from opentmu.synth.pnr import Settings

STEP = {"cell": "c", "kind": "LUT4", "net": "unit.x[3]", "logic_ns": 0.2, "routing_ns": 0.8}


def routed(preset: str, **changes: Any) -> dict[str, Any]:
    """A report of a routed design as the flow makes it."""
    path = {"from": "unit.a", "to": "unit.b (DI)", "delay_ns": 8.0, "logic_ns": 2.0}
    path |= {"routing_ns": 6.0, "through": ["unit"], "steps": [STEP] * 20}
    return {
        "top": "tmu_pins",
        "preset": preset,
        "family": "ecp5",
        "device": "LFE5UM5G-85F",
        "lut": 12345,
        "ff": 678,
        "bram": 9.0,
        "uram": 0,
        "fits": True,
        "problem": None,
        "fmax_mhz": 125.0,
        "critical_path": path,
        "clock_estimate": None,
        "method": "placed and routed",
    } | changes


def mapped(preset: str) -> dict[str, Any]:
    """A report of a design that was mapped only."""
    guess = {"estimate": True, "levels": 7, "mhz_low": 294, "mhz_high": 333, "rule": "estimate"}
    step = {"kind": "LUT6", "name": "c", "net": "unit.y", "levels": 1}
    path = {"from": "unit.a", "to": "unit.b (D)", "levels": 7, "steps": [step]}
    kinds = [{"module": m, "instances": 1, "lut": 5, "ff": 6} for m in ("top", "Row")]
    changes = {"family": "xcup", "fmax_mhz": None, "clock_estimate": guess, "modules": kinds}
    return routed(preset, critical_path=path, **changes)


@pytest.fixture
def canned(monkeypatch: pytest.MonkeyPatch) -> None:
    def report(preset: str, family: str, settings: Settings) -> dict[str, Any]:
        return mapped(preset) if family == "xcup" else routed(preset)

    monkeypatch.setattr(flow, "report", report)


WRONG = {
    "preset": (["--preset", "big"], "no preset 'big'; the presets are nic, tiny"),
    "proofs": (["--preset", "formal"], "preset 'formal' has narrow keys, for proofs only"),
    "family": (["--family", "ice40"], "'ice40' is not one of 'ecp5', 'xcup'"),
    "seed": (
        ["--preset", "tiny", "--seed", "4"],
        "--seed is for --route; found --seed",
    ),
    "xcup": (["--family", "xcup", "--route"], "is for --family ecp5; found --route"),
    "card": (["--card", "--seed", "4"], "a card takes only a configuration, --timeout and"),
    "no card": (["--card", "--preset", "small"], "small: pdcs is 0; a card has a network side"),
    "limit": (["--timeout", "0"], "0.0 is not in the range x>0"),
    "row": (["--area-per-lane", "Row:x:."], "Row:x:.: expected TOP:LANES:FOLDER"),
    "folder": (["--area-per-lane", "Row:8:/none"], "Row:8:/none: found no folder /none"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_wrong_usage(case: tuple[list[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    words, sentence = case
    assert main(["synth", *words]) == 2
    said = capsys.readouterr()
    assert sentence in " ".join(said.err.split())
    assert said.out == ""


@pytest.mark.usefixtures("canned")
def test_without_a_preset_there_are_two_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synth", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["preset"], run["family"]) for run in runs] == [("nic", "xcup"), ("ecp5", "ecp5")]
    assert runs[0]["fmax_mhz"] is None and runs[0]["clock_estimate"]["estimate"] is True
    assert runs[1]["fmax_mhz"] == 125.0


@pytest.mark.usefixtures("canned")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--preset", "nic"], "xcup"),
        (["--preset", "tiny"], "ecp5"),
        (["--preset", "nic", "--family", "ecp5"], "ecp5"),
    ],
)
def test_one_preset_is_one_object(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["synth", "--json", *words]) == 0
    assert json.loads(capsys.readouterr().out)["family"] == expected


@pytest.mark.usefixtures("canned")
def test_the_table_tells_an_estimate_from_a_clock(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synth"]) == 0
    text = capsys.readouterr().out
    assert "estimate 294-333" in text and "125.0" in text
    assert "slowest path, 8.0 ns: 2.0 ns logic, 6.0 ns wires" in text
    assert "and 4 more" in text
    assert "1 x Row: 5 LUT, 6 flip-flops each" in text


def test_a_design_that_does_not_fit_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = "does not fit LFE5UM5G-85F: TRELLIS_COMB 90,507 of 83,640 (108 %)"
    changes = {"fits": False, "problem": problem, "fmax_mhz": None, "critical_path": None}
    monkeypatch.setattr(flow, "report", lambda *_: routed("ecp5", **changes))
    assert main(["synth", "--preset", "ecp5"]) == 1
    assert problem in " ".join(capsys.readouterr().out.split())
    assert main(["synth", "--preset", "ecp5", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["fmax_mhz"] is None


def test_a_run_that_took_too_long_still_has_its_resources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(*_: object) -> Path:
        raise tools.OutOfTime("nextpnr on x: stopped after 1 s")

    (tmp_path / stage.STAMP).write_text("key")
    design = flow.Design("x-ecp5", (), "tmu_pins", (), "")
    monkeypatch.setattr(flow.Design, "of_preset", lambda *_: design)
    monkeypatch.setattr(flow, "mapped", lambda *_: tmp_path)
    monkeypatch.setattr(flow, "routed", stopped)
    monkeypatch.setattr(flow, "FOLDER", tmp_path / "reports")
    monkeypatch.setattr(flow, "ecp5", lambda *_: routed("x", fmax_mhz=None))
    found = flow.report("x", "ecp5", Settings(1, 1, route=True))
    assert found["problem"] == "nextpnr on x: stopped after 1 s"
    assert found["lut"] == 12345 and found["fmax_mhz"] is None


def test_without_route_nothing_is_placed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def placed(*_: object) -> Path:
        raise AssertionError("placed without --route")

    module: dict[str, Any] = {"ports": {}, "cells": {}, "netnames": {}, "attributes": {}}
    (tmp_path / "netlist.json").write_text(json.dumps({"modules": {"tmu_pins": module}}))
    (tmp_path / stage.STAMP).write_text("key")
    design = flow.Design("x-ecp5", (), "tmu_pins", (), "")
    monkeypatch.setattr(flow.Design, "of_preset", lambda *_: design)
    monkeypatch.setattr(flow, "mapped", lambda *_: tmp_path)
    monkeypatch.setattr(flow, "routed", placed)
    monkeypatch.setattr(flow, "FOLDER", tmp_path / "reports")
    found = flow.report("x", "ecp5", Settings(1, 1))
    assert found["problem"] is None and found["fmax_mhz"] is None and found["seed"] is None
    assert found["method"].endswith("not placed, not routed")


def test_lanes_measures_every_kind_of_lane(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def measure(row: lanes.Row, family: str, settings: Settings) -> dict[str, Any]:
        counts = {"lut": 640, "ff": 1280, "lut_per_lane": 10.0, "ff_per_lane": 20.0}
        about = {"top": row.top, "folder": row.folder.name, "lanes": row.lanes, "family": family}
        return about | counts | {"levels": 8, "clock_estimate": None}

    monkeypatch.setattr(rtl, "ensure_lanes", lambda: tmp_path)
    monkeypatch.setattr(lanes, "measure", measure)
    assert main(["synth", "--lanes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["lanes"]
    kinds = [(row["top"], row["folder"], row["lanes"], row["family"]) for row in found]
    assert kinds == [
        ("ArrayRowPosted", "posted", 128, "xcup"),
        ("ArrayRowUnexpected", "unexpected", 128, "xcup"),
        ("FilterTablePosted", "filter8", 128, "xcup"),
        ("FilterTablePosted", "filter16", 128, "xcup"),
        ("FilterTablePosted", "filter32", 128, "xcup"),
    ]
    assert main(["synth", "--lanes"]) == 0
    assert "filter16" in capsys.readouterr().out
