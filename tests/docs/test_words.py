# SPDX-License-Identifier: Apache-2.0
"""Words that the glossary replaces stand nowhere."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from opentmu import paths
from opentmu.testing import house

# Of the glossary's third column, what is still in use, by the files that await their rewriting
# (`*` takes folders with it). Whoever has rewritten some of them narrows or removes their line.
LENT = ("lend", "lent", "lending", "give back", "given back", "gives back", "picture", "visit")
PLACES = ("free place", "live place", "open place", "place on chip", "places on chip")
WAYS = ("way back", "way in", "way through", "way to memory", "way from memory", "two ways")
STILL = frozenset([*LENT, *PLACES, *WAYS, "place in memory", "both ways at once"])
NOT_YET: dict[str, frozenset[str]] = {
    "docs/test-plan.md": STILL,
    "sim/device/*": STILL,
    "sim/endpoint/*": STILL,
    "sim/pci/*": STILL,
    "sim/run/*": STILL,
    "sw-driver/*": STILL,
}
# What a language or a library calls so: a keyword, a method, a named argument.
KEYWORDS = {".sv": frozenset(["end"])}
NOT_OURS = (r"(?<!\.)", r"(?!=[^=])")
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


def held(name: str, words: dict[str, str]) -> dict[str, str]:
    """The words that a file must not have: all but its language's own and those not yet gone."""
    free = KEYWORDS.get(Path(name).suffix, frozenset())
    free = free.union(*(some for files, some in NOT_YET.items() if fnmatch(name, files)))
    return {word: term for word, term in words.items() if word not in free}


def complaints(name: str, text: str, words: dict[str, str]) -> list[str]:
    """A line for each replaced word of a file, alone or as a plural."""
    before, after = NOT_OURS
    patterns = {
        word: re.compile(rf"{before}\b{re.escape(word)}s?\b{after}", re.IGNORECASE)
        for word in words
    }
    return [
        f"{name}:{number}: found '{word}', expected '{term}'"
        for number, line in enumerate(text.splitlines(), 1)
        for word, term in words.items()
        if patterns[word].search(line)
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
    assert set(words) >= STILL, "NOT_YET has words that the glossary does not replace"
    wrong = []
    for file in (*house.source_files(paths.ROOT), *documents()):
        name = file.relative_to(paths.ROOT).as_posix()
        if name not in (GLOSSARY, ITSELF):
            wrong += complaints(name, file.read_text(), held(name, words))
    assert not wrong, "\n".join(wrong)


def test_what_awaits_its_rewriting_names_files() -> None:
    names = [
        file.relative_to(paths.ROOT).as_posix()
        for file in (*house.source_files(paths.ROOT), *documents())
    ]
    empty = [files for files in NOT_YET if not any(fnmatch(name, files) for name in names)]
    assert not empty, f"NOT_YET matches no file with {empty}"


def test_a_replaced_word_is_seen() -> None:
    words = replaced(
        "| term | meaning | not |\n|---|---|---|\n| overused | x | in dispute, torn |\n"
        "| sink | x | end |\n"
    )
    assert words == {"in dispute": "overused", "torn": "overused", "end": "sink"}
    text = "a wire\na wire In Dispute\nundisputed\n"
    assert complaints("a.c", text, words) == ["a.c:2: found 'in dispute', expected 'overused'"]
    text = 'two ends\nx.end()\nprint(x, end="")\nbend\nif (at == end)\n'
    assert [line[:5] for line in complaints("a.c", text, words)] == ["a.c:1", "a.c:5"]


def test_each_folder_is_held_to_what_it_has_rewritten() -> None:
    words = {"end": "sink", "in dispute": "overused"}
    assert held("examples/a.c", words) == words
    assert held("examples/a.sv", words) == {"in dispute": "overused"}
