# SPDX-License-Identifier: Apache-2.0
"""One endpoint attacks: what the others feel of it, and the bounds that hold.

Runs tmu-isolation, which drives the whole Verilated unit through the driver; each verdict of the
others is compared with the reference model, which knows of no attacker (R13).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opentmu import presets
from opentmu.benchmark import harness, targets
from opentmu.benchmark.harness import Result
from opentmu.benchmark.promise import Promise
from opentmu.build import cbuild, verilate
from opentmu.errors import BadInput, CheckFailed

PROGRAM = "tmu-isolation"
NONE, FULL, WILD, MALFORMED, CANCELS = "none", "full", "wild", "malformed", "cancels"
DOORBELLS, UNREAD, FLUSHES, STUCK, LIVES = "doorbells", "unread", "flushes", "stuck", "lives"
CROWD = "crowd"

# Evidence of an attack: a counter of the unit, and how often it counts at least.
EVIDENCE = {
    FULL: ("post_refused", 5),
    WILD: ("filter_false", 500),
    MALFORMED: ("malformed", 100),
    CANCELS: ("cancel_late", 100),
    DOORBELLS: ("doorbell_errors", 100),
    UNREAD: ("queue_overruns", 100),
    FLUSHES: ("flushes", 20),
    STUCK: ("ring_overruns", 1),
    LIVES: ("flushes", 2),
    CROWD: ("spill_deferred", 50),
}

WINDOW = 4  # operations of a victim in flight
RESERVE = 8  # slots of a victim in each table
SATURATED = 0xFFFF

# Commands between the slots and the unit, and of a turn (SubmissionQueues.scala).
BETWEEN = 5
TURN = 8
# Slots inside while rows are searched, each decided within so many clocks (architecture.md).
INSIDE = 10
DEEP_CLOCKS = targets.DEEP_CLOCKS


@dataclass(frozen=True)
class Plan:
    """The cells of a preset."""

    victims: int
    cells: tuple[str, ...]
    memory: tuple[str, ...] = ()  # with memory registered

    @property
    def runs(self) -> list[tuple[bool, tuple[str, ...]]]:
        """Each start of the program: whether memory is registered, and its cells."""
        return [(False, self.cells), *([(True, self.memory)] if self.memory else [])]


def _words(operations: int, *attacks: str) -> tuple[str, ...]:
    return tuple(f"{attack}:{operations}" for attack in attacks)


PLANS = {
    "nic": Plan(
        8,
        (
            *_words(1000, "none:0"),
            *_words(128, "flushes:0"),
            *_words(500, "full:256", "malformed:0", "cancels:0", "doorbells:0", "unread:0"),
            *_words(300, "stuck:64", "lives:64", "lives:1024", "full:2048"),
            *_words(64, "wild:2048"),
            *_words(300, "lives:2048"),
        ),
        (*_words(1000, "none:0"), *_words(2000, "crowd:200"), *_words(500, "full:17000")),
    ),
    "tiny": Plan(
        2,
        (
            *_words(20000, "none:0"),
            *_words(5000, "full:8", "malformed:0", "cancels:0", "doorbells:0", "unread:0"),
            *_words(1000, "full:48", "wild:48", "flushes:0", "stuck:40", "lives:8", "lives:48"),
        ),
        (*_words(20000, "none:0"), *_words(1000, "crowd:24", "full:96", "lives:96")),
    ),
}
QUICK = {
    "nic": Plan(8, _words(200, "none:0", "full:256", "malformed:0", "stuck:64", "lives:64")),
    "tiny": Plan(
        2,
        (
            *_words(1000, "none:0"),
            *_words(300, "full:8", "malformed:0", "cancels:0", "doorbells:0", "unread:0"),
            *_words(100, "full:48", "wild:48", "flushes:0", "stuck:40", "lives:8", "lives:48"),
        ),
        (*_words(1000, "none:0"), *_words(300, "crowd:24"), *_words(100, "full:96", "lives:96")),
    ),
}


def plan_of(preset: str, *, quick: bool) -> Plan:
    """The cells; raises BadInput for a preset without cells."""
    plans = QUICK if quick else PLANS
    if preset not in plans:
        raise BadInput(f"--isolation: found preset {preset}, expected {' or '.join(plans)}")
    return plans[preset]


def measure(preset: str, *, quick: bool) -> list[Result]:
    """Run every cell on the Verilated unit; raises CheckFailed at a wrong verdict."""
    plan = plan_of(preset, quick=quick)
    library = verilate.library(preset)
    program = cbuild.program(cbuild.ensure(), PROGRAM)

    def read(found: Result) -> Result:
        usual = {"preset": preset, "kind": "isolation", "position": found.pop("attack")}
        return usual | {"depth": found.pop("entries")} | found

    words: list[str | Path] = [program, "--uri", f"sim:{library}", "--victims", str(plan.victims)]
    runs = [
        harness.Run([*words, *(["--memory"] if memory else [])], cells, read)
        for memory, cells in plan.runs
    ]
    results = harness.collect(PROGRAM, f"attacks on preset {preset}", runs)
    check_harm(results)
    return results


def check_harm(results: Sequence[Result]) -> None:
    """Raises CheckFailed when an attack did not take place."""
    for one in results:
        if one["position"] == NONE:
            continue
        counter, least = EVIDENCE[one["position"]]
        found = one["counts"][counter]
        if found < least:
            raise CheckFailed(
                f"{PROGRAM}: {title(one)}: found {found} {counter}, expected at least {least}"
            )


def title(one: Result) -> str:
    """A cell in a few words."""
    entries = f" of {one['depth']:,}" if one["depth"] else ""
    return f"{one['position']}{entries}{' with memory' if one['memory'] else ''}"


def alone(results: Sequence[Result], one: Result) -> Result:
    """The victims without the attacker, with as much memory."""
    return next(
        base for base in results if base["position"] == NONE and base["memory"] == one["memory"]
    )


def longest(one: Result) -> int:
    """The victims' longest latency; by the simulation's clock where completions cannot say it."""
    found = int(one["host_latency_clocks"]["max"])
    return found if found < SATURATED else int(one["longest_wait"])


def ahead(victims: int) -> int:
    """Commands of the attacker that a victim's can find before it.

    One turn is being read and one is granted already, and it gets at most one more for each turn
    of a victim.
    """
    return TURN * (2 + victims) + BETWEEN


def bound(results: Sequence[Result], one: Result) -> int:
    """The most clocks that the design lets a victim wait under this attack."""
    base = alone(results, one)
    usual = longest(base)
    attack = one["position"]
    if attack == NONE:
        return usual
    # A consumer index of its own makes it be named, and nothing goes in that turn.
    if attack in (DOORBELLS, UNREAD):
        return usual + TURN
    victims = int(one["victims"])
    # Each queue of a crowd can have a turn before a victim's; memory is nobody's who is on chip.
    queues, filled = (int(one["depth"]), 0) if attack == CROWD else (0, int(one["depth"]))
    before = ahead(victims) + TURN * queues
    preset = presets.find(one["preset"])
    lanes, table = preset.array_entries, preset.posted_entries
    entries = min(filled, table)
    # Entries that others have, too, fill the lanes; what is beyond is searched row by row.
    beyond = max(0, min(entries, entries + victims * RESERVE - lanes))
    others = (INSIDE + WINDOW * victims) * DEEP_CLOCKS if beyond else 0
    # Three phases that each wait for the unit to be empty.
    flush = 3 * (int(base["unit_latency_clocks"]["max"]) + 6)
    removes = 2 * (entries - beyond + beyond * DEEP_CLOCKS)
    if attack == FLUSHES:
        return usual + (before + 1) * flush
    if attack == LIVES:
        return usual + before + others + flush + removes
    if attack == STUCK:
        return usual + before + others + flush + removes + int(one["ring_patience"])
    each = 1 if not beyond else DEEP_CLOCKS + (beyond if attack == WILD else 0)
    return usual + others + (before + (INSIDE if beyond else 0)) * each


def promises(results: Sequence[Result]) -> list[Promise]:
    """Under each attack the longest latency of the victims stays below its bound (R13)."""
    return [
        Promise(f"longest latency beside {title(one)}", longest(one), bound(results, one))
        for one in results
        if one["position"] != NONE
    ]
