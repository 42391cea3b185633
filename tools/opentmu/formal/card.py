# SPDX-License-Identifier: Apache-2.0
"""Proofs of the card's stages: bytes dropped from a frame, numbers of connections, what is written
of a packet, the walk through a write, what memory owes, what is sent and when it is done; and the
mutants that each has to refuse."""

from opentmu.formal.prove import Proof

# Part of the card's Verilog: the placement at the sizes of the proofs.
SMALL = "placement-small"

DESTINATION = Proof(
    "destination",
    "destination.sv",
    "destination_proof",
    "DestinationStep",
    replaced=("memory_4x21", "table_2x12"),
    card=SMALL,
)
STEPS = Proof("steps", "steps.sv", "steps_proof", "WriteSteps", card=SMALL)
LEDGER = Proof(
    "ledger",
    "ledger.sv",
    "ledger_proof",
    "WriteLedger",
    replaced=("memory_4x3",),
    card=SMALL,
)
DROP = Proof("drop", "drop_front.sv", "drop_proof", "DropFront14_18_22", card="frame")
PDC = Proof("pdc", "pdc.sv", "pdc_proof", "PdcStage", card="pdc-small")
INITIATOR = Proof(
    "initiator", "initiator.sv", "initiator_proof", "StepRules", card="initiator-small"
)
PROOFS = (DESTINATION, STEPS, LEDGER)

# Of each: its proof, its name, and the assertion that has to fall.
MUTANTS: tuple[tuple[Proof, str, str], ...] = (
    # A number that was delivered is delivered again (W1).
    (PDC, "duplicates", "once"),
    # A belated copy of its first packet opens a closed connection again (W1).
    (PDC, "quarantine", "once"),
    # A packet is written beyond its receive, or its message (W2).
    (DESTINATION, "receive_length", "inside"),
    (DESTINATION, "message_length", "inside"),
    # A packet does not wait for the verdict on its message (W2).
    (DESTINATION, "no_verdict", "known"),
    # The first beat is written from its byte 0 on, or the last to its last byte (W2).
    (STEPS, "first_byte", "inside"),
    (STEPS, "last_byte", "inside"),
    # A burst goes on beyond its page.
    (STEPS, "page_crossed", "page"),
    # The first of two bursts completes the message (W3).
    (STEPS, "told_early", "told_once"),
    # A message is complete before memory has answered its last burst (W3).
    (LEDGER, "no_answer", "not_before"),
    # An answer is taken although its completion cannot leave yet: the next one stands for it (W3).
    (LEDGER, "answer_lost", "one_each"),
    # Bytes that a beat leaves when it has filled the one before go out once more (W6).
    (DROP, "beat_twice", "all_bytes"),
    # A last beat that fits just so is held for bytes that it has not got.
    (DROP, "just_fits", "one_last"),
)

# Of the steps of a connection that the card opens.
STEP_MUTANTS: tuple[tuple[str, str], ...] = (
    # A number is used for two packets (W1).
    ("number_twice", "one_number"),
    # More packets are sent than the window has.
    ("no_window", "window"),
    # A packet is passed that has no answer; a message ends with its first packet (W4).
    ("unanswered", "answered"),
    ("first_ends", "whole"),
)
