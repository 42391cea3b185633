# SPDX-License-Identifier: Apache-2.0
"""Broken variants of the design: each makes its proof fail in the assertion that it breaks."""

import re
from dataclasses import replace

import pytest
from opentmu.errors import CheckFailed
from opentmu.formal import card, proofs, prove

pytestmark = pytest.mark.slow


def parameters() -> list[object]:
    """All canaries; the slow ones only in long runs."""
    return [
        pytest.param(one, id=one.mutant, marks=[pytest.mark.long] if one.slow else [])
        for one in proofs.CANARIES
    ]


@pytest.mark.parametrize("canary", parameters())
def test_a_broken_variant_fails(canary: proofs.Canary) -> None:
    result = fall(canary)
    result.require("FAIL")
    assert {name.split(".")[-1] for name in result.failed} == {canary.assertion}


def fall(canary: proofs.Canary) -> prove.Result:
    """The run that has to fail, in no assertion but the canary's."""
    proof = prove.law_only(canary.proof)
    return prove.run(proof, "bmc", canary.depth, canary.mutant, canary.assertion)


def test_a_mutant_that_breaks_something_else_is_no_canary() -> None:
    """W3: a write from byte 0 on completes as often as it should; that it breaks W2 is no help."""
    right = next(one for one in proofs.CANARIES if one.mutant == "first_byte")
    with pytest.raises(CheckFailed, match="found PASS, expected FAIL"):
        fall(replace(right, assertion="told_once", depth=8)).require("FAIL")


@pytest.mark.parametrize("name", ["inside told_once", "assert__*", "gone"])
def test_an_assertion_that_the_checker_has_not_is_refused(name: str) -> None:
    """Neither a list, nor a pattern, nor what has another name: each could fit any or none."""
    with pytest.raises(CheckFailed, match=f"found no assertion {re.escape(name)} in steps.sv"):
        prove.run(card.STEPS, "bmc", 2, "first_byte", name)


def test_a_mutant_that_the_device_has_not_is_refused() -> None:
    """The delay has no rule that could be wrong."""
    with pytest.raises(CheckFailed, match=r"SlotDelay: found no mutant pair, expected a switch"):
        prove.run(proofs.DELAY, "prove", 2, "pair")
