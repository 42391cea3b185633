# SPDX-License-Identifier: Apache-2.0
"""Broken variants of the design: each makes its proof fail, in a property that it breaks."""

import pytest
from opentmu.errors import CheckFailed
from opentmu.formal import proofs, prove
from opentmu.formal.prove import Edit, Mutant

pytestmark = pytest.mark.slow


def parameters() -> list[object]:
    """All canaries; the slow ones only in long runs."""
    return [
        pytest.param(one, id=one.mutant.name, marks=[pytest.mark.long] if one.slow else [])
        for one in proofs.CANARIES
    ]


@pytest.mark.parametrize("canary", parameters())
def test_a_broken_variant_fails(canary: proofs.Canary) -> None:
    mode = "bmc" if canary.counterexample else "prove"
    proof = prove.law_only(canary.proof) if canary.counterexample else canary.proof
    result = prove.run(proof, mode, canary.depth, canary.mutant)
    result.require("FAIL" if canary.counterexample else "UNKNOWN")
    assert set(canary.properties) & {name.split(".")[-1] for name in result.failed}


@pytest.mark.parametrize("text", ["wire a = b;", "wire a = c;\nwire a = c;"])
def test_a_mutant_whose_place_is_gone_is_refused(text: str) -> None:
    mutant = Mutant("stale", (Edit("M", "a = c;", "a = d;"),))
    with pytest.raises(CheckFailed, match=r"mutant stale: found \d times in M, expected once"):
        mutant.apply({"M": text})


def test_blanks_in_a_mutant_count_as_one() -> None:
    mutant = Mutant("wrapped", (Edit("M", "a = c;", "a = d;"),))
    assert mutant.apply({"M": "wire a =\n    c;"}) == {"M": "wire a = d;"}
