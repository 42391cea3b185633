# SPDX-License-Identifier: Apache-2.0
"""The subject of a comment is a noun that can be searched for."""

import re

import pytest
from opentmu import paths
from opentmu.testing import house

# A comment or docstring whose line begins with a question word, or with a pronoun for its subject.
WRONG = re.compile(r'^[ \t]*(?:r?"""|//|#|/?\*+)[ \t]*(What|Where|How|Who|It)\b', re.MULTILINE)


def complaints(name: str, text: str) -> list[str]:
    """A line for each comment of a file that begins without a noun."""
    return [
        f"{name}:{text.count(chr(10), 0, hit.start()) + 1}: found '{hit[1]}', expected a noun"
        for hit in WRONG.finditer(text)
    ]


def test_comments_begin_with_their_subject() -> None:
    wrong = []
    for file in house.source_files(paths.ROOT):
        name = file.relative_to(paths.ROOT).as_posix()
        if name not in house.GENERATED:
            wrong += complaints(name, file.read_text())
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            'x = 1\n\n\ndef f():\n    """What f returns."""\n',
            ["a:5: found 'What', expected a noun"],
        ),
        ("# It is small.\nY = 1\n# Where x is.\n", ["a:1: found 'It'", "a:3: found 'Where'"]),
        ("int x;\n/* Who frees x. */\n", ["a:2: found 'Who', expected a noun"]),
        ("/** How it is done. */\nval x = 1\n", ["a:1: found 'How', expected a noun"]),
        ("/*\n * A page.\n * It's small.\n */\n", ["a:3: found 'It', expected a noun"]),
        ("  // What is held.\n", ["a:1: found 'What', expected a noun"]),
        ("// Whether x holds\n# Items, however few\n/* Pages: what holds them. */\n", []),
        ('what = "What is it?"\nprint("# It")\nreturn x  # what is left\n', []),
    ],
)
def test_a_comment_without_a_noun_is_seen(text: str, found: list[str]) -> None:
    seen = complaints("a", text)
    assert len(seen) == len(found)
    assert all(line.startswith(start) for line, start in zip(seen, found, strict=True))
