# SPDX-License-Identifier: Apache-2.0
"""Traces of shapes that matching units are known to break on."""

from pathlib import Path


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("# tmu-trace v1\n" + "".join(f"{line}\n" for line in lines))
    return path


def reverse(count: int, endpoint: int = 3) -> list[str]:
    """Receives whose messages come in reverse order: each match is the youngest."""
    posts = [f"post {endpoint} {i} 1 0 {i} 64" for i in range(count)]
    return posts + [f"arrive {endpoint} {i} 1 0 {count - 1 - i} 64" for i in range(count)]


def equal_modulo(count: int, modulus: int) -> list[str]:
    """Tags that a filter of the low bits cannot tell apart."""
    posts = [f"post 3 {i} 7 2 {i * modulus} 8" for i in range(count)]
    order = [(7 * i) % count for i in range(count)]
    return posts + [f"arrive 3 {i} 7 2 {tag * modulus} 9" for i, tag in enumerate(order)]


def negative_tags(count: int) -> list[str]:
    """Library-internal tags beside receives with ANY_TAG, which must not take them (R2)."""
    lines = []
    for i in range(count):
        source = "any" if i % 2 else "3"
        lines.append(f"post 1 {i} 0 {source} any 8")
    for i in range(count):
        lines.append(f"arrive 1 {i} 0 {i % 5} {i if i % 3 == 0 else -1 - i} 8")
    for i in range(count):
        lines.append(f"probe 1 {count + 3 * i} 0 any any")
        lines.append(f"post 1 {count + 3 * i + 1} 0 any {-1 - i} 4")
        lines.append(f"claim 1 {count + 3 * i + 2} 0 any {-2 - i}")
    return lines


def unexpected_reverse(count: int) -> list[str]:
    """Unexpected messages wanted in reverse order, some of them longer than their receives."""
    arrivals = [f"arrive 0 {i} 1 {i % 3} {i} {i}" for i in range(count)]
    posts = [f"post 0 {i} 1 any {count - 1 - i} {count // 2}" for i in range(count)]
    return arrivals + posts
