# SPDX-License-Identifier: Apache-2.0
"""Words that the glossary replaces stand nowhere."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
OTHERS = ("build", "out")
ITSELF = "tests/docs/test_words.py"
# Sources that are no house file by their ending, and have words too.
MORE = ("tests/formal/*.svh", "fpga/**/*.ys", "**/*.cmake", "**/CMakeLists.txt")
# Between two words of a phrase: parts of a name, or the end of a comment's line.
GAP = r"[\s*/#_-]+"


@dataclass(frozen=True)
class Kept:
    """A phrase with a word of many senses, in a meaning that may stay."""

    phrase: str
    why: str
    files: str = ""  # what their names have

    @property
    def pattern(self) -> re.Pattern[str]:
        words = self.phrase.replace(" ", GAP)
        return re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE)


PLACE_OF = "index, slot, position, address, room or reservation"
PLACE_KEPT = (
    Kept("in place", "Without a copy, or instead of: an idiom."),
    Kept("dropWhileInPlace", "The same, in a name of Scala's library."),
    Kept("(take|took) place", "Happens: an idiom."),
    Kept("one place", "One change, one place: the rule has this name."),
    Kept("place and route|to place", "What an FPGA tool does.", r"fpga|synth|ShellWiring"),
    Kept("places?", "The verb: payload is placed in memory.", r"card/(cocotb_)?complete"),
    Kept("uint64_t place", "The message's member that is released."),
    Kept(r"(?<=[.>])place|message's place", "That member, used.", r"\.[ch]$"),
    Kept('place(?==)|(?<==)place|place: int|"place"', "That member in Python.", r"model|bench/law"),
    Kept('"places?"|(select|live_hi) places?', "Fields of released registers and of their JSON."),
    Kept("--place|fault_t place", "The option and the type of the released faults."),
    Kept("places?", "A word of that interface.", r"(?<![a-z])fault[^/]*\.[ch]$|/faults/.*\.[ch]$"),
)
WAY_OF = "path, route, stream, direction or method"
WAY_KEPT = (
    Kept("under way|underWay", "Begun and not at its end: an idiom."),
    Kept("(its|their|on the) way", "In flight: an idiom."),
    Kept("(in|out of) the way", "An obstacle: an idiom."),
    Kept("giv(e|en|es) way", "Yields: an idiom."),
    Kept("the other way|half way", "Reversed, or in the middle: idioms."),
    Kept("(in|ends) (one|any|each|the same|the awkward) way", "A manner, not a path."),
    Kept("the same way|either way|by way of|(every|short) ways? to", "A manner."),
    Kept("both ways of|equally good ways", "A manner."),
    Kept("ways?", "Ways of a set-associative table.", r"HashTable|message_bench"),
    Kept("pairs_per_clock_one_way", "A field of the benchmark's JSON, which users read."),
)


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


def unphrased(text: str, kept: Iterable[Kept]) -> str:
    """The text without the phrases that may stay, line by line as long as it was."""
    for phrase in kept:
        text = phrase.pattern.sub(lambda hit: "\n" * hit[0].count("\n") + " ", text)
    return text


def many_sensed(name: str, text: str) -> list[str]:
    """A line for each `place` or `way` of a source that has no meaning which may stay."""
    found = []
    for word, terms, kept in (("place", PLACE_OF, PLACE_KEPT), ("way", WAY_OF, WAY_KEPT)):
        phrases = [one for one in kept if re.search(one.files, name)]
        rest = JOINT.sub(" ", unphrased(text, phrases)).lower()
        for hit in re.finditer(rf"\b{word}s?\b", rest):
            line = rest.count("\n", 0, hit.start()) + 1
            found.append(f"{name}:{line}: found '{word}', expected {terms}")
    return found


def sources() -> Iterator[Path]:
    """Hand-written sources of every language."""
    yield from house.source_files(paths.ROOT)
    for pattern in MORE:
        for file in sorted(paths.ROOT.glob(pattern)):
            if file.relative_to(paths.ROOT).parts[0] not in OTHERS:
                yield file


def test_words_of_many_senses_have_one_in_sources() -> None:
    wrong = []
    for file in sources():
        name = file.relative_to(paths.ROOT).as_posix()
        if name != ITSELF:
            wrong += many_sensed(name, file.read_text())
    assert not wrong, "\n".join(wrong)


def test_every_phrase_that_may_stay_stands_somewhere() -> None:
    texts = {file.relative_to(paths.ROOT).as_posix(): file.read_text() for file in sources()}
    del texts[ITSELF]
    for kept in (*PLACE_KEPT, *WAY_KEPT):
        there = (text for name, text in texts.items() if re.search(kept.files, name))
        assert any(kept.pattern.search(text) for text in there), kept


def seen(name: str, text: str) -> list[int]:
    return [int(line.split(":")[1]) for line in many_sensed(name, text)]


def test_a_place_is_seen() -> None:
    text = "size_t place;\nx.place = 1;\nuint64_t place;\nqueue->places[2]\nfind_place(x)\n"
    assert seen("default.c", text) == [1, 4, 5]
    assert seen("a.py", text) == [1, 2, 4, 5]
    assert seen("a.c", "MPI_IN_PLACE\nin\n * place of\nin its place\n") == [4]
    assert seen("tmu_fault.c", text) == []
    text = "val byPlace = 0\nclass SpillPlace\nplaceBits\nio.placed\nplacement\n// its place\n"
    assert seen("hw/src/tmu/A.scala", text) == [1, 2, 3, 6]
    assert seen("hw/src/tmu/card/complete/A.scala", "val places = placed") == []
    assert seen("a.sv", "wire place_r;\n// replaced\n") == [1]


def test_a_way_is_seen() -> None:
    text = "way_t way;\nint ways;\nunder_way\nalways\nis on its\n * way.\nthe way to it\n"
    assert seen("a.c", text) == [1, 1, 2, 7]
    assert seen("a.scala", "val ways = 2\nunderWay\n// the way is long\n// away\n") == [1, 3]
    assert seen("hw/src/tmu/card/message/HashTable.scala", "ways: Int") == []
    assert seen("a.py", "for way, pin in ports:\n    #: on the way\n") == [1]


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
