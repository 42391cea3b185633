# SPDX-License-Identifier: Apache-2.0
"""Formal proofs of the `formal` preset; docs/proof.md says what each of them shows."""

import pytest
from opentmu.formal import card, proofs, prove

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("proof", [proofs.POSTED, proofs.UNEXPECTED], ids=lambda p: p.name)
def test_an_array_does_what_the_ordered_list_does(proof: prove.Proof) -> None:
    """R3, R4, R8 to R11, R15: for every pair of entries and every sequence, by induction."""
    prove.run(proof, "prove", 2).require("PASS")


def test_slots_come_back_unchanged() -> None:
    """The delay beside the arrays, by induction."""
    prove.run(proofs.DELAY, "prove", 4).require("PASS")


def test_the_unit_around_the_arrays() -> None:
    """R5, R6, R7, R11, R15: the race, pairs, room and handles, by induction."""
    prove.run(proofs.UNIT, "prove", 3).require("PASS")


def test_bytes_dropped_from_the_front_of_a_frame() -> None:
    """W6: no frame is lost, and each leaves two clocks behind its last beat, by induction."""
    prove.run(card.DROP, "prove", 3).require("PASS")


def test_what_the_proof_of_dropped_bytes_speaks_of_happens() -> None:
    prove.run(card.DROP, "cover", 10).require("PASS")


def test_a_number_is_delivered_once() -> None:
    """W1: by a connection, and by one that is opened again in quarantine, by induction."""
    prove.run(card.PDC, "prove", 2).require("PASS")


def test_what_the_proof_of_numbers_speaks_of_happens() -> None:
    prove.run(card.PDC, "cover", 9).require("PASS")


@pytest.mark.long
def test_what_is_sent_is_sent_once_and_done_when_answered() -> None:
    """W1, W4: numbers, window and ends of a connection that the card opens, by induction."""
    prove.run(card.INITIATOR, "prove", 2).require("PASS")


@pytest.mark.long
def test_what_the_proof_of_sending_speaks_of_happens() -> None:
    prove.run(card.INITIATOR, "cover", 9).require("PASS")


CARD = pytest.mark.parametrize("proof", card.PROOFS, ids=lambda p: p.name)


@CARD
def test_the_card_writes_inside_and_completes_behind(proof: prove.Proof) -> None:
    """W2, W3: what of a packet is written, its walk to memory, what memory owes, by induction."""
    prove.run(proof, "prove", 2).require("PASS")


@CARD
def test_what_a_proof_of_the_card_speaks_of_happens(proof: prove.Proof) -> None:
    prove.run(proof, "cover", 14).require("PASS")


@pytest.mark.long
@pytest.mark.parametrize("proof", [proofs.POSTED, proofs.UNEXPECTED], ids=lambda p: p.name)
def test_an_array_from_reset(proof: prove.Proof) -> None:
    """Without the helper invariants: every sequence of the first clocks after reset."""
    prove.run(prove.law_only(proof), "bmc", 12).require("PASS")


@pytest.mark.long
def test_the_unit_from_reset() -> None:
    """The same for the unit, whose first six clocks are reset."""
    prove.run(prove.law_only(proofs.UNIT), "bmc", 18).require("PASS")


@pytest.mark.parametrize("proof", [proofs.POSTED, proofs.UNEXPECTED], ids=lambda p: p.name)
def test_what_an_array_proof_speaks_of_happens(proof: prove.Proof) -> None:
    """No property holds only because its case never comes."""
    prove.run(proof, "cover", 12).require("PASS")


@pytest.mark.long
def test_what_the_unit_proof_speaks_of_happens() -> None:
    prove.run(proofs.UNIT, "cover", 24).require("PASS")
