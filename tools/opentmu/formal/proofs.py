# SPDX-License-Identifier: Apache-2.0
"""The proofs there are, and the broken variants of the design that each has to refuse."""

from dataclasses import dataclass

from opentmu.formal import card
from opentmu.formal.prove import Proof

POSTED = Proof("posted", "array.sv", "array_proof", "MatchArrayPosted", ("RECEIVES",))
UNEXPECTED = Proof("unexpected", "array.sv", "array_proof", "MatchArrayUnexpected")
DELAY = Proof("delay", "delay.sv", "delay_proof", "SlotDelay", same_as_delay=3)
UNIT = Proof(
    "unit",
    "unit.sv",
    "unit_proof",
    "MatchUnit",
    ("UNIT",),
    (
        *("MatchArrayPosted", "MatchArrayUnexpected", "Queue12_Checked"),
        *("block_12x22", "block_12x17", "copies_2x10"),
    ),
    delays=(("SlotDelay", 3),),
)


@dataclass(frozen=True)
class Canary:
    """A mutant, and the assertion that catches it in its proof, wherever the checker has it.

    The solver shows a sequence of at most `depth` clocks after reset that ends with this assertion
    false, whatever the others say: no mutant counts as caught by a side effect.
    `slow` ones run only in long tests.
    """

    proof: Proof
    mutant: str
    assertion: str
    depth: int = 12
    slow: bool = False


def _array(mutant: str, assertion: str) -> Canary:
    return Canary(POSTED, mutant, assertion)


def _unit(mutant: str, assertion: str, *, depth: int = 18, slow: bool = True) -> Canary:
    return Canary(UNIT, mutant, assertion, depth, slow)


CANARIES = (
    # An entry that crosses rows while a search settles is overlooked.
    _array("crossing", "match_is_found"),
    # The operation ahead takes an entry that crosses, and the one behind takes it again.
    _array("remains", "found_is_live"),
    # A taken entry that shifts in the same clock stays.
    _array("kill", "neither_lost_nor_invented"),
    # The comparison stays in its lane while the entry shifts.
    _array("comparison_stays", "found_matches"),
    # A search that has found goes on into the next row.
    _array("goes_on", "oldest_wins"),
    # The youngest of a row instead of the oldest, taken and reported alike.
    _array("youngest", "oldest_wins"),
    # A lane beside takes the entry of another endpoint (R13).
    _array("endpoint", "found_matches"),
    # A receive's ignored bits are compared all the same (R2).
    _array("wildcard", "match_is_found"),
    # Entries that wait to enter the lanes are not compared.
    _array("incoming", "match_is_found"),
    # A push goes through a hole into the row below.
    _array("push_through", "neither_lost_nor_invented"),
    # Post and arrival of one clock are not compared: both are queued.
    _unit("pair", "never_apart"),
    # The post of the same clock wins over an older receive.
    _unit("pair_first", "pair_is_youngest"),
    # A post that is taken at once is queued all the same.
    _unit("pair_twice", "pair_in_no_list", slow=False),
    # An arrival that is told queued gets lost when a post is queued beside it.
    _unit("lost", "counts_m"),
    # A post is queued in a full table (R11).
    _unit("no_room", "has_room"),
    # The slot of an entry that stays is freed.
    _unit("slot", "once"),
    # A full table defers a post although no memory is registered (R11).
    _unit("deferred", "nothing_deferred", depth=24),
    # An arrival names the store's entry although it took the post beside it (R15).
    _unit("handle", "pair_back"),
    *(Canary(proof, name, assertion) for proof, name, assertion in card.MUTANTS),
    *(
        Canary(card.INITIATOR, name, assertion, slow=name == "no_window")
        for name, assertion in card.STEP_MUTANTS
    ),
)
