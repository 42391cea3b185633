# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: named bins that a campaign has to reach; an empty one is a failure."""

from collections import Counter
from collections.abc import Iterable

from opentmu import regs
from opentmu.bench.law import Law, Step
from opentmu.bench.records import Answer, Operation, opcode_name, status_name
from opentmu.model import Queue
from opentmu.regs import Opcode, Status

ALL_SOURCE = (1 << regs.COMMAND_FIELDS["source"][2]) - 1
ALL_MATCH = (1 << regs.COMMAND_FIELDS["match"][2]) - 1
TAG_SIGN = 1 << 31
ANY_TAG = TAG_SIGN - 1
TAG = 2 * TAG_SIGN - 1
CONTEXT = ALL_MATCH & ~TAG

DEPTHS = ("one row", "rows", "full")
POSITIONS = ("oldest", "inside", "youngest")
MASKS = ("exact", "any source", "any tag", "any both", "raw")
SIZES = ("shorter", "equal", "truncated")
SEARCHES = {
    (Opcode.ARRIVE, Status.MATCHED): "R3",
    (Opcode.POST, Status.MATCHED): "R4",
    (Opcode.PROBE, Status.FOUND): "R8",
    (Opcode.CLAIM, Status.MATCHED): "R9",
    (Opcode.CANCEL, Status.CANCELLED): "R10",
}
VERDICTS = {
    Opcode.POST: "matched queued refused_quota refused_endpoint malformed",
    Opcode.ARRIVE: "matched queued stalled refused_endpoint malformed",
    Opcode.PROBE: "found none refused_endpoint malformed",
    Opcode.CLAIM: "matched none refused_endpoint malformed",
    Opcode.CANCEL: "cancelled late refused_endpoint malformed",
    Opcode.FLUSH: "removed flushed refused_endpoint malformed",
    Opcode.INSPECT: "entry vacant empty refused_privilege refused_endpoint malformed",
}


def required() -> set[str]:
    """Every bin that a whole campaign has to reach."""
    bins = {f"{opcode_name(o)} {s}" for o, names in VERDICTS.items() for s in names.split()}
    bins |= {f"{rule} {d} {p}" for rule in SEARCHES.values() for d in DEPTHS for p in POSITIONS}
    bins |= {f"R2 {mask} {rule}" for mask in MASKS for rule in ("R3", "R4", "R8", "R9")}
    bins |= {f"R12 {op} {size}" for op in ("post", "arrive") for size in SIZES}
    bins |= {f"R11 {op} {why}" for op in ("post", "arrive") for why in ("quota", "table")}
    bins |= {"R11 post hits while posted is full", "R11 arrive hits while unexpected is full"}
    bins |= {f"R14 flush {what}" for what in ("nothing", "posted", "unexpected", "both")}
    bins |= {"R14 flush keeps others", "R2 negative tag passes any tag", "R13 other endpoint"}
    bins |= {"R7 equal keys back to back", "unknown opcode", "R13 endpoint of page", "R15 handle 0"}
    return bins


class BinsMissed(AssertionError):
    """A required bin is empty."""


class Coverage:
    """Counts of bins; `observe` fills them from what the law did."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self.counts: Counter[str] = Counter()
        self._last: Step | None = None

    def hit(self, name: str) -> None:
        """One more in a bin; the bin has to be a known one."""
        if name not in required():
            raise KeyError(f"no coverage bin is called {name!r}")
        self.counts[name] += 1

    def check(self, needed: Iterable[str]) -> None:
        """Fails and names the bins of `needed` that are empty."""
        wanted = set(needed)
        if not wanted:
            raise BinsMissed("no coverage bin is required, so nothing would be checked")
        missed = sorted(name for name in wanted if self.counts[name] == 0)
        if missed:
            raise BinsMissed(f"{len(missed)} of {len(wanted)} bins were not reached: {missed}")

    def observe(self, step: Step) -> None:
        """Fill the bins of one step."""
        # The entry that an inspect shows is known when its answer comes: `inspected`.
        answers = [] if step.sights else step.answers
        for answer in {a.status: a for a in answers}.values():
            self.counts[f"{opcode_name(answer.opcode)} {status_name(answer.status)}"] += 1
        if step.operation.opcode not in VERDICTS:
            self.hit("unknown opcode")
        if step.operation.opcode == Opcode.FLUSH:
            self._flush(step)
        elif step.hit is not None and step.operation.opcode != Opcode.INSPECT:
            self._search(step)
        elif step.answers[0].status in (Status.QUEUED, Status.REFUSED_QUOTA, Status.STALLED):
            self._appended(step)
        if step.operation.page != self.law.preset.queues and step.operation.endpoint:
            self.hit("R13 endpoint of page")
        self._last = step

    def inspected(self, answer: Answer) -> None:
        """Fill the bin of what an inspect has shown."""
        self.hit(f"{opcode_name(answer.opcode)} {status_name(answer.status)}")

    def _search(self, step: Step) -> None:
        answer = step.answers[0]
        rule = SEARCHES[Opcode(answer.opcode), Status(answer.status)]
        on_posted = rule in ("R3", "R10")
        depth = step.depths[Queue.POSTED if on_posted else Queue.UNEXPECTED]
        preset = self.law.preset
        size = preset.posted_entries if on_posted else preset.unexpected_entries
        self.hit(f"{rule} {_depth(depth, preset.lanes, size)} {_position(step.position, depth)}")
        if step.operation.opcode in (Opcode.POST, Opcode.ARRIVE):
            self._lengths(step)
        if rule == "R10":
            return
        masked = step.hit.operation if on_posted and step.hit else step.operation
        self.hit(f"R2 {_mask(masked)} {rule}")
        if answer.other == 0:
            self.hit("R15 handle 0")
        last = self._last
        if last is not None and last.hit is not None and last.answers[0].match == answer.match:
            self.hit("R7 equal keys back to back")
        full = (
            step.depths[0] == preset.posted_entries,
            step.depths[1] == preset.unexpected_entries,
        )
        if answer.opcode == Opcode.POST and full[Queue.POSTED]:
            self.hit("R11 post hits while posted is full")
        if answer.opcode == Opcode.ARRIVE and full[Queue.UNEXPECTED]:
            self.hit("R11 arrive hits while unexpected is full")

    def _lengths(self, step: Step) -> None:
        answer = step.answers[0]
        longer = answer.message_length - answer.receive_length
        size = "truncated" if longer > 0 else "shorter" if longer else "equal"
        self.hit(f"R12 {opcode_name(answer.opcode)} {size}")

    def _appended(self, step: Step) -> None:
        name = opcode_name(step.operation.opcode)
        refused = step.answers[0].status != Status.QUEUED
        if refused:
            preset = self.law.preset
            sizes = (preset.posted_entries, preset.unexpected_entries)
            queue = Queue.POSTED if name == "post" else Queue.UNEXPECTED
            self.hit(f"R11 {name} {'table' if step.depths[queue] == sizes[queue] else 'quota'}")
        if name != "arrive":
            return
        for held in self.law.tables[Queue.POSTED]:
            if held.endpoint != step.endpoint and _equal(held.operation, step.operation):
                self.hit("R13 other endpoint")
            if held.endpoint == step.endpoint and _only_sign_differs(
                held.operation, step.operation
            ):
                self.hit("R2 negative tag passes any tag")

    def _flush(self, step: Step) -> None:
        if step.answers[-1].status != Status.FLUSHED:
            return
        kinds = {answer.unexpected for answer in step.answers[:-1]}
        names = {(): "nothing", (0,): "posted", (1,): "unexpected", (0, 1): "both"}
        self.hit(f"R14 flush {names[tuple(sorted(kinds))]}")
        left = any(h.endpoint == step.endpoint for t in self.law.tables.values() for h in t)
        if kinds and left:
            self.hit("R14 flush keeps others")


def _depth(depth: int, lanes: int, size: int) -> str:
    return "full" if depth == size else "one row" if depth <= lanes else "rows"


def _position(position: int, depth: int) -> str:
    return "oldest" if position == 0 else "youngest" if position == depth - 1 else "inside"


def _mask(operation: Operation) -> str:
    names = {
        (0, 0): "exact",
        (0, ALL_SOURCE): "any source",
        (ANY_TAG, 0): "any tag",
        (ANY_TAG, ALL_SOURCE): "any both",
    }
    return names.get((operation.ignore, operation.source_ignore), "raw")


def _differing(receive: Operation, message: Operation) -> tuple[int, int]:
    return (
        (receive.match ^ message.match) & ~receive.ignore,
        (receive.source ^ message.source) & ~receive.source_ignore,
    )


def _equal(receive: Operation, message: Operation) -> bool:
    return _differing(receive, message) == (0, 0)


def _only_sign_differs(receive: Operation, message: Operation) -> bool:
    return receive.ignore == ANY_TAG and _differing(receive, message) == (TAG_SIGN, 0)
