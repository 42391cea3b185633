# SPDX-License-Identifier: Apache-2.0
"""docs/test-plan.md: which tests cite which rule and meet which status, found in the tests.

A file is named without folders, so that moving it changes nothing.  A test counts for a rule if its
own text (name, comment, body) cites the rule, and for a status if that names it.
A rule has the files of its tests, a status the first tests as `file::name`; tests of a Scala file
are counted, for their names are sentences.
Each rule has to be cited by the code that implements it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from opentmu import regs

PLAN = Path("docs") / "test-plan.md"
RULES = range(1, 16)
STATUSES = [one.name.lower() for one in regs.Status]
# Trees that implement the whole law, and the driver, which has a part in these rules only.
WHOLE_LAW = (Path("hw") / "src", Path("sim") / "law")
DRIVER = Path("sw-driver") / "core"
DRIVER_RULES = {2, 8, 10, 11, 13, 14, 15}
SOURCES = {".scala", ".c", ".h"}
# Folders of tests: those of nothing else, and trees with a folder of tests beside each source.
SEPARATE = (Path("hw") / "test", Path("tests"))
TESTS = (*SEPARATE, Path("sim"), Path("sw-driver"))
TEST_FOLDERS = {"test", "tests"}
# Tests of the checks themselves.
NOT_COUNTED = {"canary", "generated"}
# The tests that a status row names at most.
MOST = 4

TEST = re.compile(r"`(?P<file>[\w./-]+\.(?:py|cpp|c|scala))::(?P<name>[^`]+)`")
NAMES = {
    ".py": re.compile(r"^(?:async )?def (\w+)", re.MULTILINE),
    ".c": re.compile(r"\bRUN\((\w+)\);"),
    ".cpp": re.compile(r"\bRUN\((\w+)\);"),
    ".scala": re.compile(r'it\("([^"]*)"\)'),
}
RANGE = re.compile(r"\bR(\d+)(?: to |-)R(\d+)\b")
SINGLE = re.compile(r"(?<![A-Za-z0-9])[Rr](\d+)(?![A-Za-z0-9])")


@dataclass(frozen=True)
class Test:
    """A test that runs, with its text."""

    file: Path
    name: str
    text: str


def found(root: Path) -> list[Test]:
    """Every test below `root` that a runner starts."""
    tests = []
    for file in _test_files(root):
        for name in NAMES[file.suffix].findall(file.read_text()):
            text = test_text(file, name)
            if text is not None:
                tests.append(Test(file.relative_to(root), name, text))
    return sorted(tests, key=lambda test: (test.file.name, str(test.file), test.name))


def render(root: Path) -> str:
    """docs/test-plan.md with its tables made anew; what stands around them is as it is."""
    tests = found(root)
    rules = [
        f"| R{n} | {_assertions(root, n)} | {_counts(t for t in tests if n in cites(t.text))} |"
        for n in RULES
    ]
    statuses = [
        f"| `{name}` | {_cell([t for t in tests if _meets(t.text, name)][:MOST])} |"
        for name in STATUSES
    ]
    text = (root / PLAN).read_text()
    text = _replaced(text, "rules", ["| rule | assertions | tests |", "|---|---|---|", *rules])
    return _replaced(text, "statuses", ["| status | tests |", "|---|---|", *statuses])


def _replaced(text: str, name: str, lines: list[str]) -> str:
    begin, end = f"<!-- tests:{name} -->\n", f"<!-- /tests:{name} -->"
    start = text.index(begin) + len(begin)
    return text[:start] + "\n".join(["", *lines]) + "\n" + text[text.index(end) :]


def _counts(tests: Iterable[Test]) -> str:
    """Files, with the number of their tests where there are several."""
    return " ".join(
        f"`{file.name}`" + (f"({len(names)})" if len(names) > 1 else "")
        for file, names in _by_file(tests).items()
    )


def _cell(tests: Iterable[Test]) -> str:
    """Names, those of a file together; of a Scala file how many there are."""
    return " ".join(
        f"`{file.name}`({len(names)})"
        if file.suffix == ".scala"
        else " ".join(f"`{file.name}::{name}`" for name in names)
        for file, names in _by_file(tests).items()
    )


def _by_file(tests: Iterable[Test]) -> dict[Path, list[str]]:
    files: dict[Path, list[str]] = {}
    for test in tests:
        files.setdefault(test.file, []).append(test.name)
    return files


def _meets(text: str, status: str) -> bool:
    return re.search(rf"\b(?:TMU_STATUS_|Status\.|STATUS_){status.upper()}\b", text) is not None


def _assertions(root: Path, rule: int) -> int:
    """Assertions of the hardware whose message begins with the rule."""
    texts = (file.read_text() for file in (root / "hw" / "src").rglob("*.scala"))
    return sum(len(re.findall(rf'"R{rule}: ', text)) for text in texts)


def _test_files(root: Path) -> Iterator[Path]:
    for top in TESTS:
        for file in sorted((root / top).rglob("*")):
            folders = set(file.relative_to(root).parts)
            tested = top in SEPARATE or TEST_FOLDERS & folders
            if tested and file.suffix in NAMES and not NOT_COUNTED & folders:
                yield file


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


def complaints(root: Path) -> list[str]:
    """Complaints about the plan in `root`, the tests or the citations."""
    tests = found(root)
    wrong = [f"R{n}: no test cites it" for n in RULES if not any(n in cites(t.text) for t in tests)]
    wrong += [
        f"{name}: no test names the status"
        for name in STATUSES
        if not any(_meets(t.text, name) for t in tests)
    ]
    if (root / PLAN).read_text() != render(root):
        wrong.append(f"{PLAN} is not what the tests say; to mend it type: ./tmu generate --plan")
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


def _sources(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.suffix in SOURCES and "test" not in file.relative_to(folder).parts:
            yield file


def _python(file: Path, name: str) -> str | None:
    """A pytest function, or a cocotb test of a file that a runner beside it starts."""
    text = file.read_text()
    for node in _parsed(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            is_cocotb = any(mark.startswith("cocotb.test") for mark in marks)
            runs = _has_runner(file) if is_cocotb else name.startswith("test_")
            return ast.get_source_segment(text, node) if runs else None
    return None


@lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


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
