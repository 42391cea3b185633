# SPDX-License-Identifier: Apache-2.0
"""Campaigns of `tmu test --long`: too long for every change, run in the night."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opentmu.replay import engine
from opentmu.testing.outcome import Outcome


@dataclass(frozen=True)
class Campaign:
    """One run of `program`; it passes with exit code 0 and when its result has what it is for.

    `least` says what that is: the least values of numbers in the result, by their names, with a
    dot where one is inside another.
    `preset` names the Verilated configuration; with `pauses` random pauses are put in, and with
    `lulls` stretches without any, of up to so many clocks.
    """

    name: str
    preset: str
    arguments: tuple[str, ...]
    least: Mapping[str, int]
    pauses: int | None = None
    lulls: int | None = None
    program: str = engine.PROGRAM


# A seed of tmu-replay draws the same operations and events each time, and the verdicts follow from
# these: the functional device has the same numbers.  What goes to memory differs with the
# hardware's timing, as all of tmu-soak does.  docs/nightly.md says where the bounds are from.
CAMPAIGNS: tuple[Campaign, ...] = (
    Campaign(
        "random-tiny",
        "tiny",
        ("--random", "10000000", "--seed", "1", "--spill", "0"),
        {
            "operations": 10_000_000,
            "flow.stalls": 800_000,
            "flow.resumes": 550_000,
            "counters.post_refused": 80_000,
            "counters.cancelled": 150_000,
            "counters.flushes": 14_000,
        },
        pauses=1,
    ),
    Campaign(
        "random-spill",
        "tiny",
        ("--random", "1000000", "--seed", "1"),
        {
            "operations": 1_000_000,
            "counters.spill_appended": 80_000,
            "counters.spill_taken": 65_000,
            "counters.spill_refilled": 6_000,
        },
        pauses=1,
    ),
    Campaign(
        "random-nic",
        "nic",
        ("--random", "1000000", "--seed", "1"),
        {
            "operations": 1_000_000,
            "flow.stalls": 7_000,
            "flow.resumes": 3_500,
            "counters.post_refused": 7_000,
            # More than the array's 1,024: the rest lies in rows.
            "depth_max.posted": 2_500,
            "depth_max.unexpected": 4_000,
        },
        pauses=1,
    ),
    Campaign(
        "soak-tiny",
        "tiny",
        ("--random", "1000000", "--seed", "1", "--soak"),
        {
            "operations": 1_000_000,
            "flow.stalls": 120_000,
            "flow.resumes": 130_000,
            "soak.resets": 90,
            "soak.quota_changes": 2_300,
            "soak.reserve_changes": 2_400,
            "soak.given_back": 380_000,
            "soak.forgotten": 18_000,
            "counters.spill_appended": 80_000,
            "counters.spill_taken": 40_000,
            "counters.spill_refilled": 25_000,
        },
        pauses=1,
    ),
    Campaign(
        "soak-flow",
        "tiny",
        ("--random", "7000000", "--seed", "6", "--soak", "--spill", "0", "--quota", "5"),
        {
            "operations": 7_000_000,
            "flow.stalls": 1_100_000,
            "flow.resumes": 900_000,
            "soak.resets": 6_000,
            "soak.quota_changes": 25_000,
            "soak.reserve_changes": 25_000,
            "soak.given_back": 2_500_000,
        },
        pauses=1,
    ),
    Campaign(
        "soak-many",
        "many",
        ("--operations", "100000000", "--seed", "1"),
        {
            "operations": 100_000_000,
            "stalls": 140_000,
            "resumes": 105_000,
            "kills": 20_000,
            "killed_in_flight": 14_000,
            "resets": 400,
            "reset_in_flight": 75_000,
            "quota_changes": 90_000,
            "quota_changes_under_way": 12_000,
            "reserve_changes": 20_000,
            "ledger.given_back": 40_000_000,
            "unit.spill_appended": 500_000,
        },
        pauses=1,
        lulls=2000,
        program="tmu-soak",
    ),
    Campaign(
        "soak-nic",
        "nic",
        ("--random", "131072", "--seed", "1", "--soak"),
        {
            "operations": 131_072,
            "flow.stalls": 7_000,
            "flow.resumes": 3_500,
            "soak.resets": 3,
            "soak.quota_changes": 600,
            "soak.reserve_changes": 600,
            "soak.given_back": 40_000,
            "soak.forgotten": 20_000,
        },
        pauses=1,
    ),
)


def judge(campaign: Campaign, result: Mapping[str, Any]) -> Outcome:
    """The outcome of a campaign; a failure says what was found and expected."""
    complaints = [] if result["ok"] else ["its program failed"]
    complaints += [
        f"found {_number(found)} {name}, expected at least {least:,}"
        for name, least in campaign.least.items()
        if (found := _value(result, name)) is None or found < least
    ]
    failures = [f"{campaign.name}: {one}" for one in complaints]
    return Outcome(failures=failures) if failures else Outcome(passed=1)


def _value(result: Mapping[str, Any], name: str) -> int | None:
    """A number of the result; None when it has none of that name."""
    found: Any = result
    for word in name.split("."):
        found = found.get(word) if isinstance(found, Mapping) else None
    return found if isinstance(found, int) else None


def _number(found: int | None) -> str:
    return "no" if found is None else f"{found:,}"
