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
    """A mutant, the proof that has to fail on it, and the properties in one of which it has to.

    With `counterexample` the solver shows a sequence of at most `depth` clocks after reset;
    without, where that takes too long, the induction refuses the mutant. `slow` ones run only
    in long tests.
    """

    proof: Proof
    mutant: str
    properties: tuple[str, ...]
    depth: int = 12
    counterexample: bool = True
    slow: bool = False


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Which property of the list falls first, when a variant breaks several, is the solver's choice.
LIST = (
    "found_is_live found_matches match_is_found oldest_wins in_one_location "
    "neither_lost_nor_invented lane_keeps_entry nothing_beside"
)


def _array(mutant: str, properties: str, *, slow: bool = False) -> Canary:
    return Canary(POSTED, mutant, _words(properties), slow=slow)


def _unit(mutant: str, properties: str) -> Canary:
    return Canary(UNIT, mutant, _words(properties), 18, slow=True)


def _induction(mutant: str, properties: str, *, slow: bool = True) -> Canary:
    return Canary(UNIT, mutant, _words(properties), 3, counterexample=False, slow=slow)


CANARIES = (
    # An entry that crosses rows while a search settles is overlooked.
    _array("crossing", LIST, slow=True),
    # The operation ahead takes an entry that crosses, and the one behind takes it again.
    _array("remains", LIST),
    # A taken entry that shifts in the same clock stays.
    _array("kill", LIST, slow=True),
    # The comparison stays in its lane while the entry shifts.
    _array("comparison_stays", LIST),
    # A search that has found goes on into the next row.
    _array("goes_on", LIST),
    # The youngest of a row instead of the oldest, taken and reported alike.
    _array("youngest", "oldest_wins"),
    # A lane beside takes the entry of another endpoint (R13).
    _array("endpoint", "found_matches"),
    # A receive's ignored bits are compared all the same (R2).
    _array("wildcard", LIST),
    # Entries that wait to enter the lanes are not compared.
    _array("incoming", LIST),
    # A push goes through a hole into the row below.
    _array("push_through", LIST + " assert__chisel3_builtin"),
    # Post and arrival of one clock are not compared: both are queued.
    _unit("pair", "never_apart"),
    # The post of the same clock wins over an older receive.
    _unit("pair_first", "pair_is_youngest"),
    # A post that is taken at once is queued all the same.
    _unit("pair_twice", "pair_in_no_list"),
    # An arrival that is told queued gets lost when a post is queued beside it.
    _unit("lost", "counts_m"),
    # A post is queued in a full table (R11).
    _induction("no_room", "counts_r has_room"),
    # The slot of an entry that stays is freed.
    _induction("slot", "slots_all_r once"),
    # A full table defers a post although no memory is registered (R11). Of the properties that
    # fall, one is the marks' own: that no more than one changes in a clock.
    _induction(
        "deferred", "deferred5 nothing_deferred carried1 assert__chisel3_builtin", slow=False
    ),
    # An arrival names the store's entry although it took the post beside it (R15).
    _unit("handle", "pair_back"),
    *(Canary(proof, name, _words(properties)) for proof, name, properties in card.MUTANTS),
    *(
        Canary(
            card.INITIATOR,
            name,
            _words(properties),
            2,
            counterexample=False,
            slow=name == "number_twice",
        )
        for name, properties in card.STEP_MUTANTS
    ),
)
