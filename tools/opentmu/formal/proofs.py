# SPDX-License-Identifier: Apache-2.0
"""The proofs there are, and the broken variants of the design that each has to refuse."""

from dataclasses import dataclass

from opentmu.formal.prove import Edit, Mutant, Proof

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

DROP = Proof("drop", "drop_front.sv", "drop_proof", "DropFront14_18_22", card="frame")


@dataclass(frozen=True)
class Canary:
    """A mutant, the proof that has to fail on it, and the properties in one of which it has to.

    With `counterexample` the solver shows a sequence of at most `depth` clocks after reset;
    without, where that takes too long, the induction refuses the mutant. `slow` ones run only
    in long tests.
    """

    proof: Proof
    mutant: Mutant
    properties: tuple[str, ...]
    depth: int = 12
    counterexample: bool = True
    slow: bool = False


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Which property of the list falls first, when a variant breaks several, is the solver's choice.
LIST = (
    "found_is_live found_matches match_is_found oldest_wins in_one_place "
    "neither_lost_nor_invented lane_keeps_entry nothing_beside"
)


def _row(name: str, properties: str, *edits: tuple[str, str]) -> Canary:
    return Canary(POSTED, Mutant(name, _edits("ArrayRowPosted", edits)), _words(properties))


def _array(name: str, properties: str, *edits: tuple[str, str]) -> Canary:
    return Canary(POSTED, Mutant(name, _edits("MatchArrayPosted", edits)), _words(properties))


def _unit(name: str, module: str, properties: str, *edits: tuple[str, str]) -> Canary:
    return Canary(UNIT, Mutant(name, _edits(module, edits)), _words(properties), 18, slow=True)


def _induction(name: str, module: str, properties: str, *edits: tuple[str, str]) -> Canary:
    mutant = Mutant(name, _edits(module, edits))
    return Canary(UNIT, mutant, _words(properties), 3, counterexample=False, slow=True)


def _drop(name: str, *edits: tuple[str, str]) -> Canary:
    properties = "one_last one_first all_bytes full not_both"
    return Canary(DROP, Mutant(name, _edits(DROP.device, edits)), _words(properties))


def _edits(module: str, edits: tuple[tuple[str, str], ...]) -> tuple[Edit, ...]:
    return tuple(Edit(module, old, new) for old, new in edits)


CANARIES = (
    # An entry that crosses rows while a search settles is overlooked.
    _row(
        "crossing",
        LIST,
        ("hitAbove & push & io_above_remains;", "1'h0;"),
    ),
    # The operation ahead takes an entry that crosses, and the one behind takes it again.
    _row(
        "first-claim",
        LIST,
        (
            "assign io_foot_remains = valid[0] & ~(hit[0] & open & takes);",
            "assign io_foot_remains = valid[0];",
        ),
    ),
    # A taken entry that shifts in the same clock stays.
    _row(
        "kill",
        LIST,
        ("io_foot_shifts_0 ? _valid_T_6 :", "io_foot_shifts_0 ? valid[1] :"),
    ),
    # The comparison stays in its lane while the entry shifts.
    _row(
        "comparison-stays",
        LIST,
        ("{push ? compared_2 : compared_1,", "{compared_1,"),
    ),
    # A search that has found goes on into the next row.
    _row(
        "goes-on",
        LIST,
        ("assign io_openOut = open & ~found;", "assign io_openOut = open;"),
    ),
    # The youngest of a row instead of the oldest, taken and reported alike.
    _row(
        "youngest",
        "oldest_wins",
        (
            "(hit[0] & valid[0] ? entries_0_slot",
            "(hit[0] & valid[0] & ~_candidates_T_1[1] ? entries_0_slot",
        ),
        ("hit[1] & valid[1] & _GEN_2[0] ?", "hit[1] & valid[1] ?"),
        (
            "~(candidates & {~(_candidates_T_1 | _GEN_1), 1'h1} &",
            "~(candidates & {~(_candidates_T_1 | _GEN_1) | 2'h1, ~_candidates_T_1[1]} &",
        ),
        (
            "valid[0] & ~(hit[0] & open & takes);",
            "valid[0] & ~(hit[0] & ~_candidates_T_1[1] & open & takes);",
        ),
    ),
    # A lane beside takes the entry of another endpoint (R13).
    _row(
        "endpoint",
        "found_matches",
        (": asks_endpoint == entries_1_endpoint &", ": 1'h1 &"),
    ),
    # A receive's ignored bits are compared all the same (R2).
    _row(
        "wildcard",
        LIST,
        (
            "^ entries_1_key_bits) & ~asks_ignore_bits & ~entries_1_ignore_bits)",
            "^ entries_1_key_bits) & ~asks_ignore_bits)",
        ),
    ),
    # What waits to enter the lanes is not compared.
    _array(
        "incoming",
        LIST,
        ("= meets & arrives & hitsIncoming;", "= 1'h0;"),
    ),
    # A push goes through a hole into the row below.
    _array(
        "push-through",
        LIST + " assert__chisel3_builtin",
        (".io_nextFull (_row1_io_full)", ".io_nextFull (1'h1)"),
    ),
    # Post and arrival of one clock are not compared: both are queued.
    Canary(
        UNIT,
        Mutant(
            "pair",
            (
                Edit(
                    "DecideStage", "io_walked_found_1 & io_walked_pairs", "io_walked_found_1 & 1'h0"
                ),
            ),
        ),
        ("never_apart",),
        18,
    ),
    # The post of the same clock wins over an older receive.
    _unit(
        "pair-first",
        "DecideStage",
        "pair_is_youngest",
        ("takesPost = direct_takes & ~io_walked_found_1", "takesPost = direct_takes"),
    ),
    # A post that is taken at once is queued all the same.
    _unit(
        "pair-twice",
        "AppendStage",
        "pair_in_no_list",
        (
            "io_posted_valid = io_walkedDecision_post_appends & ~io_walkedDecision_takesPost;",
            "io_posted_valid = io_walkedDecision_post_appends;",
        ),
    ),
    # An arrival that is told queued gets lost when a post is queued beside it.
    _unit(
        "lost",
        "AppendStage",
        "counts_m",
        (
            "io_unexpected_valid = io_walkedDecision_arrival_appends;",
            "io_unexpected_valid = io_walkedDecision_arrival_appends & "
            "~io_walkedDecision_post_appends;",
        ),
    ),
    # A post is queued in a full table (R11).
    _induction(
        "no-room",
        "DecideStage",
        "counts_r has_room",
        (
            "rooms_post = _endpoints_io_room_0 & _tables_io_spare_0;",
            "rooms_post = _endpoints_io_room_0;",
        ),
    ),
    # The slot of an entry that stays is freed.
    _induction(
        "slot",
        "BodyStage",
        "slots_all_r once",
        (
            "postedStore_io_release_valid_REG <= io_decision_takesQueued;",
            "postedStore_io_release_valid_REG <= "
            "io_decision_arrival_found & ~io_decision_takesPost;",
        ),
    ),
    # A full table defers a post although no memory is registered (R11).
    Canary(
        UNIT,
        Mutant(
            "deferred",
            _edits("SpillMarks", (("| io_lent & ~io_spare_0 &", "| ~io_spare_0 &"),)),
        ),
        ("deferred5", "nothing_deferred", "carried1"),
        3,
        counterexample=False,
    ),
    # An arrival names the store's entry although it took the post beside it (R15).
    Canary(
        UNIT,
        Mutant(
            "handle",
            (Edit("AnswerStage", "tookPost_REG <= io_takesPost;", "tookPost_REG <= 1'h0;"),),
        ),
        ("pair_back",),
        18,
        slow=True,
    ),
    # What a beat leaves when it has filled the one before it goes out once more (W6).
    _drop("twice", ("waits <= io_in_valid ? ~spent :", "waits <= io_in_valid ? 1'h1 :")),
    # A last beat that fits just so is held for bytes that it has not got.
    _drop("just-so", ("io_in_bits_beat_bytes <= casez_tmp;", "io_in_bits_beat_bytes < casez_tmp;")),
)
