# SPDX-License-Identifier: Apache-2.0
"""The right answers of the unit: the reference model's verdicts in the host interface's words."""

from dataclasses import dataclass, field, fields

from opentmu import model, regs
from opentmu.bench.records import Answer, Operation, values_of
from opentmu.model import Key, Queue, ReferenceModel
from opentmu.regs import Opcode, Status

# The model's statuses by name; whoever compares translates.
STATUS: dict[model.Status, Status] = {
    one: Status[one.name]
    for one in model.Status
    if one.name in Status.__members__ and one is not model.Status.OK
}


@dataclass(frozen=True)
class Quota:
    """Instead of an operation: give an endpoint these quotas and reserves, between two."""

    endpoint: int
    posted: int
    unexpected: int
    reserve_posted: int = 0
    reserve_unexpected: int = 0


@dataclass
class Held:
    """An entry that is queued, with its table."""

    queue: Queue
    endpoint: int
    operation: Operation


@dataclass
class Step:
    """One operation, what the law answers, and what the tables looked like before it."""

    operation: Operation
    endpoint: int
    answers: list[Answer]
    depths: tuple[int, int]
    hit: Held | None = None
    position: int = -1

    # Of an inspect: all that may be answered, for where an entry lies depends on what has left.
    sights: list[Answer] = field(default_factory=list)


class Law:
    """The reference model with the table order of all endpoints together, which inspect shows.

    Handles of queued entries have to be unique, so that an entry is known by its handle.
    """

    def __init__(self, preset: regs.Preset, *, spills: bool = False) -> None:
        """With `spills` queues continue in memory, so that no table is ever full (R11)."""
        self.preset = preset
        self.spills = spills
        self.model = ReferenceModel(
            preset.endpoints,
            posted_capacity=0 if spills else preset.posted_entries,
            unexpected_capacity=0 if spills else preset.unexpected_entries,
        )
        self.tables: dict[Queue, list[Held]] = {queue: [] for queue in Queue}
        self.quotas: dict[int, tuple[int, int]] = {}
        self.answers: dict[tuple[int, int], int] = {}
        self.removed = dict.fromkeys(Queue, 0)
        self.truncated = 0

    def close(self) -> None:
        """Free the model."""
        self.model.close()

    def set_quota(self, quota: Quota) -> None:
        """Change one endpoint's quotas and reserves (R11)."""
        self.model.set_quota(quota.endpoint, quota.posted, quota.unexpected)
        if not self.spills:
            self.model.set_reserve(quota.endpoint, quota.reserve_posted, quota.reserve_unexpected)
        self.quotas[quota.endpoint] = (quota.posted, quota.unexpected)

    def live_ids(self, endpoint: int) -> set[int]:
        """Receive ids in use at an endpoint."""
        posted = self.tables[Queue.POSTED]
        return {held.operation.receive_id for held in posted if held.endpoint == endpoint}

    def step(self, operation: Operation) -> Step:
        """Carry one operation out."""
        endpoint = operation.target(self.preset)
        depths = (len(self.tables[Queue.POSTED]), len(self.tables[Queue.UNEXPECTED]))
        step = Step(operation, endpoint, [], depths)
        refusal = operation.refusal(self.preset)
        if refusal is not None:
            step.answers = [self._answer(step, refusal)]
        elif operation.opcode == Opcode.INSPECT:
            step.sights = self._sights(step)
            step.answers = step.sights[-1:]
        elif operation.opcode == Opcode.FLUSH:
            step.answers = self._flush(step)
        else:
            step.answers = [self._verdict(step)]
        for answer in step.answers:
            key = (answer.opcode, answer.status)
            self.answers[key] = self.answers.get(key, 0) + 1
            self.truncated += answer.truncated
        return step

    def counters(self) -> dict[str, int]:
        """Every counter of the unit that follows from the answers alone."""
        effective = {
            key: count
            for key, count in self.answers.items()
            if key[1] not in (Status.MALFORMED, Status.REFUSED_ENDPOINT, Status.REFUSED_PRIVILEGE)
        }

        def of(opcode: int | None, status: int | None = None) -> int:
            chosen = effective if status is None else self.answers
            return sum(
                count
                for (op, st), count in chosen.items()
                if opcode in (None, op) and status in (None, st)
            )

        totals = self.model.stats()
        completions = sum(self.answers.values())
        return {
            "commands": completions - of(None, Status.REMOVED),
            "completions": completions,
            "posts": of(Opcode.POST),
            "arrivals": of(Opcode.ARRIVE),
            "probes": of(Opcode.PROBE),
            "claims": of(Opcode.CLAIM),
            "cancels": of(Opcode.CANCEL),
            "flushes": of(None, Status.FLUSHED),
            "inspects": of(Opcode.INSPECT),
            "post_matched": of(Opcode.POST, Status.MATCHED),
            "post_queued": of(Opcode.POST, Status.QUEUED),
            "post_refused": totals["refused_quota"],
            "arrive_matched": of(Opcode.ARRIVE, Status.MATCHED),
            "arrive_queued": of(Opcode.ARRIVE, Status.QUEUED),
            "arrive_stalled": totals["stalled"],
            "probe_found": totals["found"],
            "claim_matched": of(Opcode.CLAIM, Status.MATCHED),
            "cancelled": totals["cancelled"],
            "cancel_late": totals["late"],
            "removed_posted": self.removed[Queue.POSTED],
            "removed_unexpected": self.removed[Queue.UNEXPECTED],
            "truncated": totals["truncated"],
            "refused_endpoint": of(None, Status.REFUSED_ENDPOINT),
            "refused_privilege": of(None, Status.REFUSED_PRIVILEGE),
            "malformed": of(None, Status.MALFORMED),
            "posted_depth_max": totals["posted_max"],
            "unexpected_depth_max": totals["unexpected_max"],
        }

    def _answer(self, step: Step, status: Status, **values: int) -> Answer:
        operation = step.operation
        given = {"endpoint": step.endpoint, "handle": operation.handle, **values}
        return Answer(opcode=operation.opcode, status=status, **given)

    def _verdict(self, step: Step) -> Answer:
        operation, endpoint = step.operation, step.endpoint
        key = _key(operation)
        law = self.model
        handle, length, address = operation.handle, operation.length, operation.address
        if operation.opcode == Opcode.POST:
            ident = operation.receive_id
            options = {"length": length, "address": address, "receive_id": ident}
            verdict = law.post(endpoint, handle, key, **options)
        elif operation.opcode == Opcode.ARRIVE:
            message = values_of(operation)
            verdict = law.arrive(endpoint, handle, **message, length=length, place=address)
        elif operation.opcode == Opcode.PROBE:
            verdict = law.probe(endpoint, handle, key)
        elif operation.opcode == Opcode.CLAIM:
            verdict = law.claim(endpoint, handle, key)
        else:
            verdict = law.cancel_id(endpoint, handle, operation.receive_id)
        status = STATUS[verdict.status]
        if status == Status.QUEUED:
            queue = Queue.POSTED if operation.opcode == Opcode.POST else Queue.UNEXPECTED
            self.tables[queue].append(Held(queue, endpoint, operation))
        if status in (Status.MATCHED, Status.FOUND, Status.CANCELLED):
            on_posted = operation.opcode in (Opcode.ARRIVE, Opcode.CANCEL)
            queue = Queue.POSTED if on_posted else Queue.UNEXPECTED
            self._hit(step, queue, verdict.other, take=status != Status.FOUND)
        return self._answer(
            step,
            status,
            serial=verdict.serial,
            other=verdict.other,
            **values_of(verdict),
            message_length=verdict.message_length,
            receive_length=verdict.receive_length,
            address=verdict.address,
            truncated=int(verdict.truncated),
        )

    def _hit(self, step: Step, queue: Queue, handle: int, *, take: bool) -> None:
        table = self.tables[queue]
        at = next(
            i
            for i, held in enumerate(table)
            if held.operation.handle == handle and held.endpoint == step.endpoint
        )
        step.hit, step.position = table[at], at
        if take:
            del table[at]

    def _flush(self, step: Step) -> list[Answer]:
        """R14: a report for each removed entry, then the counts."""
        operation = step.operation
        verdict, removed = self.model.flush(step.endpoint, operation.handle, _key(operation))
        answers = []
        for entry in removed:
            self._hit(step, entry.queue, entry.handle, take=True)
            self.removed[entry.queue] += 1
            is_message = entry.queue is Queue.UNEXPECTED
            values = {
                "other": entry.handle,
                **values_of(entry.key),
                "address": entry.address,
                "unexpected": int(is_message),
                "message_length" if is_message else "receive_length": entry.length,
            }
            answers.append(self._answer(step, Status.REMOVED, **values))
        low = regs.COMPLETION_FIELDS["removed_unexpected"][1]
        counts = verdict.removed_unexpected << low | verdict.removed_posted
        answers.append(self._answer(step, Status.FLUSHED, serial=verdict.serial, other=counts))
        return answers

    def _sights(self, step: Step) -> list[Answer]:
        """Any entry of the table, whichever endpoint it belongs to, or none; or the table's end.

        There are more positions than entries, since some wait to be filled.
        """
        if step.operation.is_beyond(self.preset):
            return [self._answer(step, Status.EMPTY)]
        of_messages, _ = step.operation.inspected
        held = self.tables[Queue.UNEXPECTED if of_messages else Queue.POSTED]
        return [self._answer(step, Status.VACANT), *(self._sight(step, one) for one in held)]

    def _sight(self, step: Step, held: Held) -> Answer:
        seen = held.operation
        is_message = held.queue is Queue.UNEXPECTED
        return self._answer(
            step,
            Status.ENTRY,
            endpoint=held.endpoint,
            other=seen.handle,
            **values_of(seen),
            message_length=seen.length,
            address=seen.address,
            unexpected=int(is_message),
            **{mask: 0 if is_message else getattr(seen, mask) for _, mask, *_ in regs.KEY},
        )


def _key(operation: Operation) -> Key:
    return Key(**{one.name: getattr(operation, one.name) for one in fields(Key)})
