# SPDX-License-Identifier: Apache-2.0
"""Words that the glossary replaces stand nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

from opentmu import paths
from opentmu.testing import house

# Of the glossary's third column, what is still in use: the rewriting of the tree is not done yet.
NOT_YET = frozenset(["end", "give back", "late", "lend", "picture", "place", "visit", "way"])
GLOSSARY = "docs/glossary.md"
OTHERS = ("build", "out")
ITSELF = "tests/docs/test_words.py"


def replaced(glossary: str) -> dict[str, str]:
    """The replaced words of the glossary's table, each with the term that stands for it."""
    found: dict[str, str] = {}
    for line in glossary.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[0] not in ("term", "---"):
            found |= {word.strip(): cells[0] for word in cells[2].split(",") if word.strip()}
    return found


def complaints(name: str, text: str, words: dict[str, str]) -> list[str]:
    """A line for each replaced word of a file."""
    return [
        f"{name}:{number}: found '{word}', expected '{term}'"
        for number, line in enumerate(text.splitlines(), 1)
        for word, term in words.items()
        if re.search(rf"\b{re.escape(word)}\b", line, re.IGNORECASE)
    ]


def documents() -> Iterator[Path]:
    """Every page of the checkout but for what is made below build/."""
    for folder in sorted(paths.ROOT.iterdir()):
        if folder.is_dir() and not folder.name.startswith(".") and folder.name not in OTHERS:
            yield from sorted(folder.rglob("*.md"))
        elif folder.suffix == ".md":
            yield folder


def test_replaced_words_are_gone() -> None:
    words = replaced((paths.ROOT / GLOSSARY).read_text())
    kept = {word: term for word, term in words.items() if word not in NOT_YET}
    assert kept, "the glossary replaces no word"
    wrong = []
    for file in (*house.source_files(paths.ROOT), *documents()):
        name = file.relative_to(paths.ROOT).as_posix()
        if name not in (GLOSSARY, ITSELF):
            wrong += complaints(name, file.read_text(), kept)
    assert not wrong, "\n".join(wrong)


def test_a_replaced_word_is_seen() -> None:
    words = replaced(
        "| term | meaning | not |\n|---|---|---|\n| overused | x | in dispute, torn |\n"
    )
    assert words == {"in dispute": "overused", "torn": "overused"}
    text = "a wire\na wire In Dispute\nundisputed\n"
    assert complaints("a.c", text, words) == ["a.c:2: found 'in dispute', expected 'overused'"]
