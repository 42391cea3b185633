# SPDX-License-Identifier: Apache-2.0
"""Proofs of the card's stages: what is written of a packet, the walk through a write, what memory
owes; and the broken variants that each has to refuse."""

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
PROOFS = (DESTINATION, STEPS, LEDGER)

# Of each: its proof, its name, the properties of which one has to fall, and what is changed.
MUTANTS: tuple[tuple[Proof, str, str, tuple[str, str]], ...] = (
    # A packet is written beyond its receive, or its message (W2).
    (
        DESTINATION,
        "receive-length",
        "inside",
        ("usable = room < held_length ? room : held_length", "usable = held_length"),
    ),
    (
        DESTINATION,
        "message-length",
        "inside",
        ("usable = room < held_length ? room : held_length", "usable = room"),
    ),
    # A packet does not wait for the verdict on its message (W2).
    (
        DESTINATION,
        "no-verdict",
        "known",
        ("able = ~_orders_io_deq_bits_belongs | _able_T_1[0]", "able = 1'h1"),
    ),
    # The first beat is written from its byte 0 on, or the last to its last byte (W2).
    (STEPS, "first-byte", "inside once", ("from = first ? shift : 2'h0", "from = 2'h0")),
    (STEPS, "last-byte", "inside", ("_below_WIRE_3 = tail == 2'h0", "_below_WIRE_3 = 1'h1")),
    # A burst goes on beyond its page.
    (
        STEPS,
        "page",
        "page whole follows",
        ("within_0 ? _io_step_bits_more_T[1:0] : ~(index[1:0])", "_io_step_bits_more_T[1:0]"),
    ),
    # The first of two bursts completes the message (W3).
    (
        STEPS,
        "told-early",
        "told_once told_last",
        ("completes & (~writing | within_0)", "completes"),
    ),
    # A message is complete before memory has answered its last burst (W3).
    (
        LEDGER,
        "no-answer",
        "not_before with_answer",
        ("& (~_queue_io_deq_bits_burst | io_answer_valid)", ""),
    ),
    # An answer is taken although its completion cannot leave yet: the next one stands for it (W3).
    (
        LEDGER,
        "answer-lost",
        "one_each not_before",
        ("& (~_queue_io_deq_bits_completes | io_complete_ready)", ""),
    ),
)
