# SPDX-License-Identifier: Apache-2.0
"""Words that the glossary replaces stand nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

from opentmu import paths
from opentmu.testing import house

# Words of a language or a library: a keyword, a method, a named argument.
KEYWORDS = {".sv": frozenset(["end"])}
# Names that users have in their programs and scripts, which therefore stay: two constants of the
# released header, and a field of the JSON of replays and of the soak.
RELEASED = re.compile(r"(TMU_)?DOORBELL_PICTURE_(OFFSET|CLOCKS)|\bgiven_back\b")
# Start of a word within an identifier.
JOINT = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
NOT_OURS = (r"(?<!\.)", r"(?!=[^=])")
GLOSSARY = "docs/glossary.md"
# In C a word of too many senses: it is left where a released name has it (a message's `place`,
# which of its memories the unit flips a bit in) and in idioms.
PLACE = re.compile(
    r"\b(in place( of)?|MPI_IN_PLACE|place[- ]and[- ]route)\b|(?<=[.>])places?\b"
    r"|PLACES_(SHIFT|MASK)|\buint64_t place;|message's place",
    re.IGNORECASE,
)
PLACE_OF = "index, slot, address, room or reservation"
FAULTS = re.compile(r"(\b|_)faults?\b")
C = (".c", ".h", ".cpp")
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
    """The words that a file must not have: all but its language's own."""
    free = KEYWORDS.get(Path(name).suffix, frozenset())
    return {word: term for word, term in words.items() if word not in free}


def complaints(name: str, text: str, words: dict[str, str]) -> list[str]:
    """A line for each replaced word of a file, alone, as a plural or as a part of a name."""
    before, after = NOT_OURS
    text = JOINT.sub(" ", RELEASED.sub("", text)).lower()
    found = []
    for word, term in ((word, term) for word, term in words.items() if word in text):
        for hit in re.finditer(rf"{before}\b{re.escape(word)}s?\b{after}", text):
            number = text.count("\n", 0, hit.start()) + 1
            found.append((number, f"{name}:{number}: found '{word}', expected '{term}'"))
    return [line for _, line in sorted(found)]


def documents() -> Iterator[Path]:
    """Every page of the checkout but for what is made below build/."""
    for folder in sorted(paths.ROOT.iterdir()):
        if folder.is_dir() and not folder.name.startswith(".") and folder.name not in OTHERS:
            yield from sorted(folder.rglob("*.md"))
        elif folder.suffix == ".md":
            yield folder


def test_replaced_words_are_gone() -> None:
    words = replaced((paths.ROOT / GLOSSARY).read_text())
    assert len(words) > 30, f"found {len(words)} replaced words in the table of {GLOSSARY}"
    wrong = []
    for file in (*house.source_files(paths.ROOT), *documents()):
        name = file.relative_to(paths.ROOT).as_posix()
        if name not in (GLOSSARY, ITSELF):
            wrong += complaints(name, file.read_text(), held(name, words))
    assert not wrong, "\n".join(wrong)


def places(name: str, text: str) -> list[str]:
    """A line for each `place` of a C file that is neither a released name nor an idiom."""
    if Path(name).suffix not in C or FAULTS.search(name):
        return []
    kept = ["" if "fault_" in line.lower() else PLACE.sub(" ", line) for line in text.split("\n")]
    return complaints(name, "\n".join(kept), {"place": PLACE_OF})


def test_places_of_c_have_a_name_each() -> None:
    wrong = []
    for file in house.source_files(paths.ROOT):
        wrong += places(file.relative_to(paths.ROOT).as_posix(), file.read_text())
    assert not wrong, "\n".join(wrong)


def test_a_place_is_seen() -> None:
    text = "size_t place;\nx.place = 1;\nuint64_t place;\nqueue->places[2]\nfind_place(x)\n"
    assert [line[:5] for line in places("default.c", text)] == ["defau", "defau"]
    text += "tmu_fault_t place;\nMPI_IN_PLACE\n"
    assert [line[:5] for line in places("a.c", text)] == ["a.c:1", "a.c:5"]
    assert places("a.py", text) == places("tmu_fault.c", text) == []


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
    text = "in_dispute_t a;\nisTorn\nTORN_MAX\nTMU_DOORBELL_PICTURE_CLOCKS\ntorns\n"
    words |= {"picture": "snapshot"}
    assert [line[:5] for line in complaints("a.c", text, words)] == [
        f"a.c:{n}" for n in (1, 2, 3, 5)
    ]


def test_a_language_keeps_its_own_words() -> None:
    words = {"end": "sink", "in dispute": "overused"}
    assert held("examples/a.c", words) == words
    assert held("examples/a.sv", words) == {"in dispute": "overused"}
