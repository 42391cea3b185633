# SPDX-License-Identifier: Apache-2.0
"""The length of functions, in lines from the head to the end of the body."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_LINES = {".py": 50, ".c": 60, ".h": 60, ".cpp": 60}
# Head of a block at the left edge of C and C++ that is no function.
NO_FUNCTION = re.compile(
    r'(typedef |static |const |inline )*(struct|enum|union|class|namespace|extern "C")\b[^()]*\{$'
)


class Function(NamedTuple):
    """A function with the line of its head, from 1."""

    name: str
    line: int
    length: int


def of_python(text: str) -> Iterator[Function]:
    """Every function and method, those inside others too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Function(node.name, node.lineno, length)


def of_c(text: str) -> Iterator[Function]:
    """Functions as clang-format lays them out: head and last brace at the left edge."""
    head: tuple[str, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("}"):
            if head:
                yield Function(head[0], head[1], number - head[1] + 1)
            head = None
        elif re.match(r"[A-Za-z_]\w*.*\(", line) and not line.endswith(";"):
            named = re.search(r"(\w+)\(", line)
            head = (named[1] if named else line, number)
        elif line.endswith(";") and not line.startswith(" "):
            head = None
        if NO_FUNCTION.match(line):
            head = None


def complaints(name: str, text: str, suffix: str) -> list[str]:
    """A line for each function of a file that is too long."""
    if suffix not in MOST_LINES:
        return []
    most = MOST_LINES[suffix]
    found = of_python(text) if suffix == ".py" else of_c(text)
    return [
        f"{name}:{one.line}: found {one.length} lines of {one.name}, expected at most {most}"
        for one in found
        if one.length > most
    ]
