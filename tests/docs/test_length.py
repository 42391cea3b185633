# SPDX-License-Identifier: Apache-2.0
"""All documents together stay readable: at most 50,000 words, generated pages included.

A word has a letter: bars and rules of tables and plain numbers are none.  Code blocks are left out,
for they are copied and not read.
"""

import re

from opentmu import paths
from opentmu.site import tree

MOST = 50_000
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def words(text: str) -> int:
    return sum(1 for one in CODE.sub("", text).split() if re.search(r"[^\W\d_]", one))


def complaint(counts: dict[str, int], most: int) -> str:
    """Complaint about the words of all documents, with the longest ones; empty if all fit."""
    total = sum(counts.values())
    longest = sorted(counts, key=lambda name: -counts[name])[:10]
    named = ", ".join(f"{name} {counts[name]:,}" for name in longest)
    return f"found {total:,} words, expected {most:,} at most: {named}" if total > most else ""


def test_all_documents_together_are_short() -> None:
    counts = {
        file.relative_to(paths.ROOT).as_posix(): words(file.read_text())
        for file in tree.documents(paths.ROOT)
    }
    print(f"{sum(counts.values()):,} words in {len(counts)} documents, {MOST:,} at most")
    assert {"README.md", "docs/registers.md"} <= set(counts)
    wrong = complaint(counts, MOST)
    assert not wrong, wrong


def test_words_are_counted_and_too_many_are_named() -> None:
    text = "# One\n\n| two | 3.1 |\n|---|---|\n\n```sh\nnot these\n```\n`four`, five 6 - x7\n"
    assert words(text) == 5
    assert not complaint({"a.md": 5}, 5)
    assert complaint({"a.md": 5, "b.md": 1}, 5) == (
        "found 6 words, expected 5 at most: a.md 5, b.md 1"
    )
