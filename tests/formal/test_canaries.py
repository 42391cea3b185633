# SPDX-License-Identifier: Apache-2.0
"""Broken variants of the design: each makes its proof fail, in a property that it breaks."""

import pytest
from opentmu.errors import CheckFailed
from opentmu.formal import proofs, prove

pytestmark = pytest.mark.slow


def parameters() -> list[object]:
    """All canaries; the slow ones only in long runs."""
    return [
        pytest.param(one, id=one.mutant, marks=[pytest.mark.long] if one.slow else [])
        for one in proofs.CANARIES
    ]


@pytest.mark.parametrize("canary", parameters())
def test_a_broken_variant_fails(canary: proofs.Canary) -> None:
    mode = "bmc" if canary.counterexample else "prove"
    proof = prove.law_only(canary.proof) if canary.counterexample else canary.proof
    result = prove.run(proof, mode, canary.depth, canary.mutant)
    result.require("FAIL" if canary.counterexample else "UNKNOWN")
    assert set(canary.properties) & {name.split(".")[-1] for name in result.failed}


def test_a_mutant_that_the_device_has_not_is_refused() -> None:
    """The delay has no rule that could be wrong."""
    with pytest.raises(CheckFailed, match=r"SlotDelay: found no mutant pair, expected a switch"):
        prove.run(proofs.DELAY, "prove", 2, "pair")
