# SPDX-License-Identifier: Apache-2.0
"""Flipped bits in stored words: what depends on one is withheld, everything else is right.

What is withheld is one endpoint's (R13), where the unit can tell whose the word was.
"""

import json
from typing import Any

import pytest
from click.testing import CliRunner
from opentmu import regs
from opentmu.bench import seed
from opentmu.benchmark import harness
from opentmu.build import cbuild
from opentmu.commands import faults
from opentmu.errors import CheckFailed

PRESET = "tiny"
# A flip there is made up for: it must not cost an answer.
MADE_UP = {
    regs.Fault.POSTED_SLOTS,
    regs.Fault.UNEXPECTED_SLOTS,
    regs.Fault.POSTED_FILTERS,
    regs.Fault.UNEXPECTED_FILTERS,
    regs.Fault.FREE_CHUNKS,
    regs.Fault.WORDS,
    regs.Fault.WORD_TAGS,
}
# Nobody can work without these: all that needs memory is withheld, whoever asks.
MEMORY = {
    regs.Fault.CHUNK_LINKS,
    regs.Fault.CHUNK_LIVES,
    regs.Fault.LISTS,
    regs.Fault.ANSWERED,
}
# Some of their bits tell whose the word is, or where the rest of it lies.
NAMING = {
    regs.Fault.POSTED_LANES,
    regs.Fault.UNEXPECTED_LANES,
    regs.Fault.POSTED_STORE,
    regs.Fault.UNEXPECTED_STORE,
}
# These words are read too seldom for a short run.
SELDOM = {
    regs.Fault.POSTED_SLOTS,
    regs.Fault.UNEXPECTED_SLOTS,
    regs.Fault.CHUNK_LINKS,
    regs.Fault.FREE_CHUNKS,
}


def campaign(trials: int) -> dict[str, Any]:
    """A campaign with pauses; its table."""
    chosen = seed.announce()
    result = faults.campaign(PRESET, trials, chosen, pauses=chosen)
    assert result["trials"] == trials
    assert result["silent"] == 0
    assert result["uncontained"] == 0
    return result


def check(stores: dict[str, Any], expected: set[regs.Fault]) -> None:
    """Bits were flipped in the stores, and had the outcomes that the stores are known for."""
    for store in expected:
        counts = stores[store.name.lower()]
        withheld = counts["withheld"] + counts["spread"]
        assert counts["made_up"] + withheld > 0, f"{store.name}: found no flip that was seen"
        assert (withheld == 0) == (store in MADE_UP), store.name
        # A link needs a queue of more than a chunk, which a trial has with one endpoint alone.
        if store in MEMORY and store != regs.Fault.CHUNK_LINKS:
            assert counts["spread"] > 0, f"{store.name}: memory failed for one endpoint alone"


def contained(stores: dict[str, Any]) -> None:
    """No flip in a store of one endpoint's words has cost another one an answer."""
    for store in set(regs.Fault) - MEMORY:
        counts = stores[store.name.lower()]
        assert counts["uncontained"] == 0, store.name
        if store in NAMING:
            assert counts["spread"] < counts["withheld"], store.name
        else:
            assert counts["spread"] == 0, store.name


def test_no_flipped_bit_gives_a_wrong_answer_R13() -> None:
    stores = campaign(1000)["places"]
    assert set(stores) == {store.name.lower() for store in regs.Fault}
    check(stores, set(regs.Fault) - SELDOM)
    contained(stores)


@pytest.mark.long
def test_a_hundred_thousand_flipped_bits_R13() -> None:
    stores = campaign(100_000)["places"]
    check(stores, set(regs.Fault))
    contained(stores)


def test_the_table_is_shown() -> None:
    done = CliRunner().invoke(faults.command, ["--trials", "20", "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert len(result["places"]) == len(regs.Fault)
    for store, counts in result["places"].items():
        assert set(counts) == {*faults.OUTCOMES, "answers_withheld"}, store
    shared = sum(counts["uncontained"] for counts in result["places"].values())
    assert result["uncontained"] == shared == 0
    done = CliRunner().invoke(faults.command, ["--trials", "20"])
    assert "posted lanes" in done.stdout
    for head in ("Withheld", "Spread", "Uncontained", "Silent"):
        assert head in done.stdout


def test_a_device_that_checks_nothing_is_refused() -> None:
    with pytest.raises(CheckFailed, match="the device does not check stored words"):
        harness.run(
            [cbuild.program(cbuild.ensure(), faults.PROGRAM), "--uri", "ref:tiny"],
            print,
            print,
        )
