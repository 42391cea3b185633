# SPDX-License-Identifier: Apache-2.0
"""A case class of three or more parameters is constructed by name: arguments in a wrong order would
compile, and a reader would have to look the parameters up.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentmu import paths

MOST = 2
DECLARED = re.compile(r"\bcase class (\w+)(?:\[[^\]]*\])?\(")

# A call, or what only looks like one: a declaration, a pattern, a superclass.
CALL = re.compile(r"(?<![\w.])(class |case |extends )?([A-Z]\w*)\(")
NAMED = re.compile(r"\w+ =\s")

# Texts, characters and comments, which may have brackets and commas.
QUOTED = re.compile(
    r'""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\\])\'|/\*.*?\*/|//[^\n]*', re.DOTALL
)


def arguments(text: str, at: int) -> list[str]:
    """Texts between commas from `at`, behind an opening bracket, to the closing one."""
    depth, begin = 0, at
    found = []
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}" and depth:
            depth -= 1
        elif text[i] in ",)" and not depth:
            found.append(text[begin:i].strip())
            begin = i + 1
            if text[i] == ")":
                break
    return [one for one in found if one]


def plain(text: str) -> str:
    """A source without texts and comments, in the same lines."""
    return QUOTED.sub(
        lambda quoted: re.sub(r"[^\n]", " " if quoted[0][0] == "/" else "_", quoted[0]), text
    )


def positional(sources: dict[str, str]) -> Iterator[str]:
    """Each construction of a case class, of more parameters than MOST, that does not name all."""
    texts = {name: plain(text) for name, text in sources.items()}
    long = {
        declared[1]
        for text in texts.values()
        for declared in DECLARED.finditer(text)
        if len(arguments(text, declared.end())) > MOST
    }
    for name, text in texts.items():
        for call in CALL.finditer(text):
            given = arguments(text, call.end())
            if call[1] or call[2] not in long or len(given) <= MOST:
                continue
            unnamed = sum(not NAMED.match(one) for one in given)
            if unnamed:
                line = text.count("\n", 0, call.start()) + 1
                yield f"{name}:{line}: {call[2]}: {unnamed} of {len(given)} arguments have no name"


def test_case_classes_are_constructed_by_name() -> None:
    files = sorted((paths.HW / "src").rglob("*.scala"))
    assert files
    sources = {str(Path(file).relative_to(paths.ROOT)): file.read_text() for file in files}
    assert list(positional(sources)) == []


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("Code(name, 1, 2)", ["A.scala:3: Code: 3 of 3 arguments have no name"]),
        ('Code(name = "a, b)", 1, of(2))', ["A.scala:3: Code: 2 of 3 arguments have no name"]),
        ('Code(name = "a", value = 1, text = f(1, 2))', []),
        ("Code(name = a, /* 1, */ value = 1, text = 2)", []),
        ("case Code(name, value, text) =>", []),
        ("Pair(1, 2)", []),
    ],
)
def test_an_argument_without_a_name_is_told(call: str, complaint: list[str]) -> None:
    classes = (
        "case class Code(name: String, value: Int, text: Int)\ncase class Pair(a: Int, b: Int)"
    )
    assert list(positional({"A.scala": f"{classes}\n{call}\n"})) == complaint
