# SPDX-License-Identifier: Apache-2.0
"""Traces whose queues outgrow every table."""

import random

from . import shapes

ENDPOINT = 2


def receives_reversed(count: int) -> list[str]:
    """Receives whose messages come in reverse order, at an endpoint that every preset has."""
    return shapes.reverse(count, ENDPOINT)


def messages_reversed(count: int) -> list[str]:
    """Messages that are wanted in reverse order, by posts and claims in turn."""
    arrivals = [f"arrive {ENDPOINT} {i} 1 {i % 3} {i} {i}" for i in range(count)]
    wanted = []
    for i in range(count):
        tag = count - 1 - i
        if i % 2:
            wanted.append(f"claim {ENDPOINT} {i} 1 any {tag}")
        else:
            wanted.append(f"post {ENDPOINT} {i} 1 any {tag} {count // 2}")
    return arrivals + wanted


def both_reversed(count: int) -> list[str]:
    """Both queues of one endpoint at once, each emptied from its young end."""
    lines = []
    for i in range(count):
        lines.append(f"post {ENDPOINT} {i} 1 any {i} 64")
        lines.append(f"arrive {ENDPOINT} {i} 1 5 {count + i} 64")
    for i in range(count):
        late = count - 1 - i
        lines.append(f"arrive {ENDPOINT} {count + i} 1 6 {late} 64")
        lines.append(f"post {ENDPOINT} {count + i} 1 5 {count + late} 64")
    return lines


class _Mixed:
    """Random operations on four endpoints that stay deep: most keys are never met."""

    def __init__(self, seed: int, tags: int) -> None:
        self.random = random.Random(seed)
        self.tags = tags
        self.number = 0
        self.posted: list[tuple[int, int]] = []

    def key(self, wild: bool) -> str:
        source = "any" if wild and self.random.random() < 0.1 else self.random.randrange(3)
        tag = "any" if wild and self.random.random() < 0.02 else self.random.randrange(self.tags)
        return f"{self.random.randrange(2)} {source} {tag}"

    def line(self) -> str:
        self.number += 1
        number = self.number
        endpoint = self.random.randrange(4)
        kind = self.random.choices(
            ("post", "arrive", "probe", "claim", "cancel", "flush"), (40, 40, 8, 6, 6, 0.05)
        )[0]
        if kind == "flush":
            return f"flush {endpoint} {number}"
        if kind == "cancel":
            if not self.posted:
                return f"cancel {endpoint} {number} {10**9 + number}"
            endpoint, target = self.random.choice(self.posted)
            return f"cancel {endpoint} {number} {target}"
        if kind == "post":
            self.posted.append((endpoint, number))
        size = f" {self.random.randrange(200)}" if kind in ("post", "arrive") else ""
        return f"{kind} {endpoint} {number} {self.key(kind != 'arrive')}{size}"


def mixed(count: int, tags: int, seed: int) -> list[str]:
    """Posts, arrivals, probes, claims, cancels and a few flushes; more tags make deeper queues."""
    made = _Mixed(seed, tags)
    return [made.line() for _ in range(count)]
