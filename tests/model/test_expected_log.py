# SPDX-License-Identifier: Apache-2.0
"""tmu-expected-log against the law written a second time, on random traces and limits.

The second law keeps one list for all endpoints and tries every held arrival again after every
operation, where the model keeps a list per endpoint and leaves passes out.
"""

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from opentmu.build import cbuild

ANY_SOURCE = 0xFFFFFFFF
ANY_TAG = 0x7FFFFFFF


@dataclass(frozen=True)
class Op:
    kind: str
    endpoint: int
    number: int
    match: int = 0
    ignore: int = 0
    source: int = 0
    source_ignore: int = 0
    size: int = 0
    target: int = 0

    def line(self) -> str:
        """The operation in a trace, in the raw form where the key is no MPI key."""
        source = "any" if self.source_ignore else str(self.source)
        context, tag = self.match >> 32, self.match & 0xFFFFFFFF
        signed = tag - 2**32 if tag >> 31 else tag
        head = f"{self.kind} {self.endpoint} {self.number}"
        size = f" {self.size}" if self.kind in ("post", "arrive") else ""
        if self.kind == "flush":
            return head
        if self.kind == "cancel":
            return f"{head} {self.target}"
        if self.ignore not in (0, ANY_TAG):
            return f"raw-{head} {self.match:#x} {self.ignore:#x} {source}{size}"
        return f"{head} {context} {source} {'any' if self.ignore else signed}{size}"


def fits(receive: Op, message: Op) -> bool:
    """R1, R2."""
    return (
        receive.endpoint == message.endpoint
        and (receive.match ^ message.match) & ~receive.ignore == 0
        and (receive.source ^ message.source) & ~receive.source_ignore == 0
    )


@dataclass
class Limits:
    endpoints: int
    capacity: int = 0
    quota: int = 0

    def arguments(self) -> list[str]:
        return [
            f"--{name} {value}"
            for name, value in (
                ("endpoints", self.endpoints),
                ("posted", self.capacity),
                ("unexpected", self.capacity),
                ("quota-posted", self.quota),
                ("quota-unexpected", self.quota),
            )
        ]


@dataclass
class Law:
    limits: Limits
    posted: list[Op] = field(default_factory=list)
    unexpected: list[Op] = field(default_factory=list)
    held: list[Op] = field(default_factory=list)
    answers: dict[tuple[bool, int], str] = field(default_factory=dict)

    def room(self, queue: list[Op], endpoint: int) -> bool:
        mine = sum(entry.endpoint == endpoint for entry in queue)
        return not (
            (self.limits.quota and mine >= self.limits.quota)
            or (self.limits.capacity and len(queue) >= self.limits.capacity)
        )

    def arrive(self, op: Op) -> str:
        """R3, R6, R11."""
        hit = next((receive for receive in self.posted if fits(receive, op)), None)
        if hit:
            self.posted.remove(hit)
            return f"matched {hit.number}" + (" truncated" if op.size > hit.size else "")
        if not self.room(self.unexpected, op.endpoint):
            return "held"
        self.unexpected.append(op)
        return "queued"

    def search(self, op: Op) -> str:
        """R4, R5, R8, R9, R11: a post, probe or claim."""
        hit = next((message for message in self.unexpected if fits(op, message)), None)
        if hit and op.kind == "probe":
            return f"found {hit.number}"
        if hit:
            self.unexpected.remove(hit)
            cut = op.kind == "post" and hit.size > op.size
            return f"matched {hit.number}" + (" truncated" if cut else "")
        if op.kind != "post":
            return "none"
        if not self.room(self.posted, op.endpoint):
            return "refused quota"
        self.posted.append(op)
        return "queued"

    def cancel(self, op: Op) -> str:
        """R10."""
        for receive in self.posted:
            if (receive.endpoint, receive.number) == (op.endpoint, op.target):
                self.posted.remove(receive)
                return f"cancelled {op.target}"
        return f"late {op.target}"

    def flush(self, op: Op) -> str:
        """R14."""
        before = len(self.posted), len(self.unexpected)
        self.posted = [entry for entry in self.posted if entry.endpoint != op.endpoint]
        self.unexpected = [entry for entry in self.unexpected if entry.endpoint != op.endpoint]
        return f"removed {before[0] - len(self.posted)} {before[1] - len(self.unexpected)}"

    def waits(self, op: Op, older: list[Op]) -> bool:
        """R7: an older arrival of the same endpoint and source is held."""
        return any((op.endpoint, op.source) == (o.endpoint, o.source) for o in older)

    def answer(self, op: Op) -> str:
        if op.endpoint >= self.limits.endpoints:
            return "refused endpoint"  # R13
        if op.kind == "arrive":
            return "held" if self.waits(op, self.held) else self.arrive(op)
        if op.kind in ("cancel", "flush"):
            return self.cancel(op) if op.kind == "cancel" else self.flush(op)
        return self.search(op)

    def execute(self, op: Op) -> None:
        """One operation and then one pass over the held arrivals (R11)."""
        text = self.answers[op.kind == "arrive", op.number] = self.answer(op)
        if text == "held":
            self.held.append(op)
            return
        still: list[Op] = []
        for arrival in self.held:
            again = "held" if self.waits(arrival, still) else self.arrive(arrival)
            self.answers[True, arrival.number] = again
            if again == "held":
                still.append(arrival)
        self.held = still

    def log(self, ops: list[Op]) -> str:
        for op in ops:
            self.execute(op)
        return "".join(
            f"{op.kind} {op.number} {self.answers[op.kind == 'arrive', op.number]}\n" for op in ops
        )


def random_ops(rng: random.Random, count: int, endpoints: int) -> Iterator[Op]:
    """Few keys, so that much matches; an endpoint too many, so that some are refused."""
    kinds = ["post"] * 9 + ["arrive"] * 10 + ["probe"] * 2 + ["claim"] * 2 + ["cancel"] * 2
    for number in range(count):
        kind = rng.choice(kinds) if rng.random() > 0.01 else "flush"
        endpoint = rng.randrange(endpoints) if rng.random() > 0.02 else endpoints
        if kind == "flush":
            yield Op(kind, endpoint, number)
        elif kind == "cancel":
            yield Op(kind, endpoint, number, target=rng.randrange(number + 1))
        else:
            ignore = 0 if kind == "arrive" else rng.choice([0, 0, 0, ANY_TAG, 0x2_0000_0001])
            tag = 0 if ignore == ANY_TAG else rng.choice([0, 1, 2, 2**32 - 1])
            any_source = kind != "arrive" and rng.random() < 0.3
            yield Op(
                kind,
                endpoint,
                number,
                match=rng.randrange(2) << 32 | tag,
                ignore=ignore,
                source=0 if any_source else rng.randrange(3),
                source_ignore=ANY_SOURCE if any_source else 0,
                size=rng.randrange(4) if kind in ("post", "arrive") else 0,
            )


def expected_log(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [word for argument in arguments for word in argument.split(" ")]
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def program(c_build: Path) -> Path:
    return cbuild.program(c_build, "tmu-expected-log")


LIMITS = [
    Limits(1),
    Limits(3),
    Limits(1, quota=1),
    Limits(3, quota=2),
    Limits(3, quota=5),
    Limits(2, capacity=1),
    Limits(3, capacity=6),
    Limits(3, capacity=7, quota=3),
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_r1_to_r14_the_two_laws_agree(
    program: Path, tmp_path: Path, limits: Limits, seed: int
) -> None:
    ops = list(random_ops(random.Random(seed), 1500, limits.endpoints))
    file = tmp_path / "random.trace"
    file.write_text("# tmu-trace v1\n" + "".join(f"{op.line()}\n" for op in ops))
    done = expected_log(program, *limits.arguments(), str(file))
    expected = Law(limits).log(ops)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == expected.splitlines()
    assert done.stdout.endswith("\n")


def test_r11_the_random_traces_hold_arrivals_and_admit_them() -> None:
    """The comparison above would say nothing about R11 if nothing were held."""
    law = Law(Limits(3, quota=2))
    was_held: set[int] = set()
    for op in random_ops(random.Random(0), 1500, 3):
        law.execute(op)
        was_held.update(arrival.number for arrival in law.held)
    admitted = [number for number in was_held if law.answers[True, number] != "held"]
    assert len(admitted) > 50
    assert len(law.held) > 0


def test_bad_input_and_bad_usage_end_with_2(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.trace"
    file.write_text("# tmu-trace v1\nflush 0\n")
    done = expected_log(program, str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"{file}:2: found 1 field after flush, expected flush <endpoint> <req> [@<ns>]\n"
    )
    for words in ("", "--endpoints 0 x", "--endpoints -1 x", "--posted x", "--what 1 x", "a b"):
        done = expected_log(program, *([words] if words else []))
        assert done.returncode == 2, words
        assert done.stderr.startswith("usage: tmu-expected-log"), words
