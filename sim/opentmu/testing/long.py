# SPDX-License-Identifier: Apache-2.0
"""Campaigns of `tmu test --long`: too long for every change, run in the night."""

from dataclasses import dataclass

from opentmu.replay import engine


@dataclass(frozen=True)
class Campaign:
    """One run of `program`; it passes with exit code 0 and at least one operation.

    `preset` names the Verilated configuration; with `pauses` random pauses are put in, and with
    `lulls` stretches without any, of up to so many clocks.
    """

    name: str
    preset: str
    arguments: tuple[str, ...]
    pauses: int | None = None
    lulls: int | None = None
    program: str = engine.PROGRAM


CAMPAIGNS: tuple[Campaign, ...] = (
    Campaign(
        "random-tiny", "tiny", ("--random", "10000000", "--seed", "1", "--spill", "0"), pauses=1
    ),
    Campaign("random-spill", "tiny", ("--random", "1000000", "--seed", "1"), pauses=1),
    Campaign("random-nic", "nic", ("--random", "1000000", "--seed", "1"), pauses=1),
    Campaign("soak-tiny", "tiny", ("--random", "1000000", "--seed", "1", "--soak"), pauses=1),
    Campaign(
        "soak-flow",
        "tiny",
        ("--random", "7000000", "--seed", "6", "--soak", "--spill", "0", "--quota", "5"),
        pauses=1,
    ),
    Campaign(
        "soak-many",
        "many",
        ("--operations", "100000000", "--seed", "1"),
        pauses=1,
        lulls=2000,
        program="tmu-soak",
    ),
    Campaign("soak-nic", "nic", ("--random", "131072", "--seed", "1", "--soak"), pauses=1),
)
