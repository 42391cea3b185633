# SPDX-License-Identifier: Apache-2.0
"""Checks docs/test-plan.md: every rule and every error status has tests, and they are there.

A test is named `file::name`.  It counts for a rule only if its own text (name, comment, body)
cites the rule, and a rule has to be cited by the code that implements it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from opentmu import regs

PLAN = Path("docs") / "test-plan.md"
RULES = range(1, 16)
STATUSES = [one.name.lower() for one in regs.Status]
# Trees that implement the whole law, and the driver, which has a part in these rules only.
WHOLE_LAW = (Path("hw") / "src", Path("sim") / "model")
DRIVER = Path("sw-driver") / "src"
DRIVER_RULES = {2, 8, 10, 11, 13, 14, 15}
SOURCES = {".scala", ".c", ".h"}

ROW = re.compile(r"^\| `?(?P<key>R\d+|[a-z_]+)`? \|(?P<rest>.*)\|$")
TEST = re.compile(r"`(?P<file>[\w./-]+\.(?:py|cpp|c|scala))::(?P<name>[^`]+)`")
RANGE = re.compile(r"\bR(\d+)(?: to |-)R(\d+)\b")
SINGLE = re.compile(r"(?<![A-Za-z0-9])[Rr](\d+)(?![A-Za-z0-9])")


def rows(text: str) -> dict[str, list[tuple[str, str]]]:
    """The tests that the plan names, by rule or status."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in text.splitlines():
        row = ROW.match(line)
        if row and row["key"] not in ("rule", "status"):
            tests = [(test["file"], test["name"]) for test in TEST.finditer(row["rest"])]
            found.setdefault(row["key"], []).extend(tests)
    return found


def cites(text: str) -> set[int]:
    """The rules that a text cites: R3, r3_..., R1 to R15."""
    found = {int(number) for number in SINGLE.findall(text)}
    for first, last in RANGE.findall(text):
        found |= set(range(int(first), int(last) + 1))
    return found


def test_text(file: Path, name: str) -> str | None:
    """The text of a test that really runs, or None."""
    if not file.is_file():
        return None
    find = {".py": _python, ".c": _c, ".cpp": _c, ".scala": _scala}[file.suffix]
    return find(file, name)


def complaints(root: Path, text: str | None = None) -> list[str]:
    """What is wrong with the plan (by default the one in `root`) or with the citations."""
    named = rows((root / PLAN).read_text() if text is None else text)
    wrong = [f"{key}: no such rule or status" for key in named if key not in set(_keys())]
    for key in _keys():
        if not named.get(key):
            wrong.append(f"{key}: the plan names no test")
    for key, tests in named.items():
        twice = sorted({one for one in tests if tests.count(one) > 1})
        wrong += [f"{key}: names {file}::{name} more than once" for file, name in twice]
        for file, name in tests:
            found = test_text(root / file, name)
            if found is None:
                wrong.append(f"{key}: there is no test {file}::{name}")
            elif key.startswith("R") and int(key[1:]) not in cites(found):
                wrong.append(f"{key}: {file}::{name} does not cite the rule")
    return wrong + uncited(root)


def uncited(root: Path) -> list[str]:
    """Rules that no source of the trees that implement them cites."""
    wrong = []
    for tree in (*WHOLE_LAW, DRIVER):
        cited: set[int] = set()
        for file in _sources(root / tree):
            cited |= cites(file.read_text())
        needed = DRIVER_RULES if tree == DRIVER else set(RULES)
        wrong += [f"R{n}: no source in {tree} cites it" for n in sorted(needed - cited)]
    return wrong


def _keys() -> Iterator[str]:
    yield from (f"R{n}" for n in RULES)
    yield from STATUSES


def _sources(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.suffix in SOURCES and "test" not in file.relative_to(folder).parts:
            yield file


def _python(file: Path, name: str) -> str | None:
    """A pytest function, or a cocotb test of a file that a runner beside it starts."""
    text = file.read_text()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            is_cocotb = any(mark.startswith("cocotb.test") for mark in marks)
            runs = _has_runner(file) if is_cocotb else name.startswith("test_")
            return ast.get_source_segment(text, node) if runs else None
    return None


def _has_runner(file: Path) -> bool:
    runners = file.parent.glob("test_*.py")
    return any(f'with_name("{file.name}")' in runner.read_text() for runner in runners)


def _c(file: Path, name: str) -> str | None:
    """A function that the program runs, with the comment before it."""
    text = file.read_text()
    comment = r"(?:/\*(?:(?!\*/).)*\*/\n)?"
    pattern = rf"{comment}^(?:static )?void {re.escape(name)}\((?:void)?\) \{{.*?^\}}"
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    return found[0] if found and f"RUN({name});" in text else None


def _scala(file: Path, name: str) -> str | None:
    """The words of a ScalaTest test, and its body up to the next one."""
    text = file.read_text()
    start = text.find(f'it("{name}")')
    if start < 0:
        return None
    end = text.find("\n    it(", start + 1)
    return text[start : end if end > 0 else None]
