# SPDX-License-Identifier: Apache-2.0
"""A campaign of `tmu test --long` fails when its run had less than the campaign is for."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from opentmu.build import cbuild, verilate
from opentmu.replay import engine
from opentmu.testing.long import CAMPAIGNS, Campaign, judge
from opentmu.testing.outcome import Outcome
from opentmu.testing.stages import lanes

Result = dict[str, Any]
BY_NAME = {one.name: one for one in CAMPAIGNS}
DEMANDS = [(one, name) for one in CAMPAIGNS for name in one.least]


def made_up(values: Mapping[str, int]) -> Result:
    """The result of a run that went well and has these values."""
    result: Result = {"ok": True}
    for name, value in values.items():
        *outer, last = name.split(".")
        node = result
        for word in outer:
            node = node.setdefault(word, {})
        node[last] = value
    return result


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=list(BY_NAME))
def test_the_least_is_enough(campaign: Campaign) -> None:
    assert judge(campaign, made_up(campaign.least)) == Outcome(passed=1)


@pytest.mark.parametrize(
    ("campaign", "name"), DEMANDS, ids=[f"{one.name}-{name}" for one, name in DEMANDS]
)
def test_one_less_is_a_failure(campaign: Campaign, name: str) -> None:
    least = campaign.least[name]
    result = made_up({**campaign.least, name: least - 1})
    sentence = f"{campaign.name}: found {least - 1:,} {name}, expected at least {least:,}"
    assert judge(campaign, result) == Outcome(failures=[sentence])


def test_what_the_result_does_not_have_is_a_failure() -> None:
    flow = BY_NAME["soak-flow"]
    result = made_up(flow.least)
    del result["flow"]
    assert judge(flow, result).failures == [
        "soak-flow: found no flow.stalls, expected at least 1,100,000",
        "soak-flow: found no flow.resumes, expected at least 900,000",
    ]


def test_a_program_that_failed_is_a_failure() -> None:
    many = BY_NAME["soak-many"]
    result = made_up(many.least) | {"ok": False}
    assert judge(many, result) == Outcome(failures=["soak-many: its program failed"])


def test_the_stage_says_it_in_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a made-up run of the program: everything but a single kill."""
    many = BY_NAME["soak-many"]
    monkeypatch.setattr(cbuild, "ensure", lambda: tmp_path)
    monkeypatch.setattr(cbuild, "program", lambda folder, name: folder / name)
    monkeypatch.setattr(verilate, "library", lambda preset: tmp_path / preset)
    result = made_up({**many.least, "kills": 0})
    monkeypatch.setattr(engine, "replay", lambda words, progress, message: result)
    [stage] = [one for lane in lanes(None, long=True) for one in lane if one.name == many.name]
    sentence = "soak-many: found 0 kills, expected at least 20,000"
    assert stage.run(tmp_path / "log").failures == [sentence]
    assert (tmp_path / "log").read_text().splitlines()[-1] == sentence


def test_every_campaign_demands_what_it_is_for() -> None:
    for one in CAMPAIGNS:
        assert min(one.least.values()) > 0
        # The word before it is --random or --operations.
        assert str(one.least["operations"]) == one.arguments[1]
        inner = "" if one.program == "tmu-soak" else "soak."
        if one.name.startswith("soak-"):
            assert {f"{inner}resets", f"{inner}quota_changes"} <= set(one.least)
    assert (
        BY_NAME["soak-flow"].least["flow.stalls"] + BY_NAME["soak-flow"].least["flow.resumes"]
        >= 2_000_000
    ), "docs/nightly.md promises two million"
    assert {"kills", "stalls", "reset_in_flight"} <= set(BY_NAME["soak-many"].least)
    for name in ("random-spill", "soak-tiny"):
        assert {"counters.spill_appended", "counters.spill_taken"} <= set(BY_NAME[name].least)


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=list(BY_NAME))
def test_the_programs_have_these_values(campaign: Campaign) -> None:
    """A short run on the functional device has all of them, however small they are."""
    program = cbuild.program(cbuild.ensure(), campaign.program)
    word, _, *rest = campaign.arguments
    words = [str(program), "--uri", f"ref:{campaign.preset}", word, "500", *rest]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    failures = judge(campaign, {"ok": True, **json.loads(done.stdout)}).failures
    assert failures and not any("found no " in one for one in failures)
